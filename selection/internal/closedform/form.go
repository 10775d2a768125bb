// Package closedform scores kernels without fitting the learner. The scores are the leave-one-out error of kernel ridge regression
// and the evidence of a Gaussian process, at all ridges, computed from a kernel matrix, features or pivots.
package closedform

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
)

// The smallest ridges by default, in units of the mean of k(x, x).
const (
	// LeastRidge is the limit for machines of package lssvm, since the form is their own score. Below the limit, rounding errors
	// dominate the solutions.
	LeastRidge = 1e-8
	// LeastRidgeOfOthers is the limit for other learners. For targets without noise, kernel ridge regression can use eigenvalues
	// that are much smaller than the diagonal. Other learners, in particular sparse ones, cannot use them, and perform poorly with
	// the smooth kernels that the form would then prefer.
	LeastRidgeOfOthers = 1e-3
)

// Form scores kernels on the rows of a run at any ridge, without fitting the learner. A nil Form scores nothing.
type Form struct {
	Targets *mat.Dense // n×k, centred, in units of unit
	Signs   *mat.Dense // ±1 for classes; nil for numbers
	Means   []float64  // means of the signs
	Weights []float64  // row weights; nil: 1 each
	// MinRidge is the smallest ridge, in units of the mean diagonal.
	MinRidge float64
	Workers  int

	unit     float64 // a power of two; in this unit, squares and fourth powers of the targets do not overflow
	variance float64 // sum of the variances of the targets
	within   float64 // variance within equal rows, which does not depend on the kernel
}

// New returns the form of a run, with the smallest ridge for its learner. If all kernels fit the targets equally well, it returns
// nil and adds a warning to the run.
func New(r *search.Run) (*Form, error) {
	out := &Form{Weights: r.Weights, MinRidge: LeastRidgeOfOthers, Workers: r.Workers}
	if r.RidgeMachine || r.Features != nil {
		out.MinRidge = LeastRidge
	}
	given, mean, _, err := MachineTargets(r)
	if err != nil {
		return nil, err
	}
	out.unit = 1
	if r.Labels == nil {
		out.unit = targets.Unit(mat.Col(nil, 0, given))
		given, mean = times(given, 1/out.unit), times(mean, 1/out.unit)
	}
	out.Targets = mean
	if r.Distinct.Repeated() {
		out.within = floats.Sum(r.Distinct.MeanSquareWithin(given, mean))
	}
	if r.Labels != nil {
		out.Signs = mat.DenseCopyOf(out.Targets)
	}
	if out.centre() {
		r.Warn("the targets are constant: all parameters fit them equally well")
		return nil, nil
	}
	return out, nil
}

// times multiplies m by a, in place, and returns it.
func times(m *mat.Dense, a float64) *mat.Dense {
	out := new(mat.Dense)
	out.Scale(a, m)
	return out
}

// centre subtracts the means from the targets, since the machine has an intercept. It reports whether the targets are constant.
func (c *Form) centre() (constant bool) {
	n, k := c.Targets.Dims()
	weight := slices.Repeat([]float64{1}, n)
	if c.Weights != nil {
		weight = c.Weights
	}
	total := 0.0
	for _, w := range weight {
		total += w
	}
	constant = true
	for j := range k {
		mean := 0.0
		for i, w := range weight {
			mean += c.Targets.At(i, j) * w / total
		}
		c.Means = append(c.Means, mean)
		for i, w := range weight {
			d := c.Targets.At(i, j) - mean
			c.Targets.Set(i, j, d)
			c.variance += d * d * w / total
			constant = constant && math.Abs(d) <= 1e-14*math.Abs(mean)
		}
	}
	return constant
}

// Subset returns the form on some of the rows, in the same units.
func (c *Form) Subset(rows []int) *Form {
	out := *c
	out.Targets = linalg.Rows(c.Targets, rows)
	if c.Signs != nil {
		out.Signs = linalg.Rows(c.Signs, rows)
	}
	if c.Weights != nil {
		out.Weights = linalg.Pick(c.Weights, rows)
	}
	return &out
}

// meanWeight returns the mean weight of the rows, the unit of ridges.
func (c *Form) meanWeight() float64 {
	if c.Weights == nil {
		return 1
	}
	return stat.Mean(c.Weights, nil)
}

// OfMatrix returns the entropy of k and its scores at some ridges, from one reduction of k to tridiagonal form. It overwrites k.
// With weights, the matrix of the machine differs from that of the entropy and needs a second reduction. The entropy is computed
// only if wanted is set.
func (c *Form) OfMatrix(ctx context.Context, k *mat.SymDense,
	wanted bool) (entropy measures.VonNeumann, curve []search.RidgeScore, err error) {
	if c == nil {
		w, err := linalg.Eigenvalues(ctx, k)
		return measures.EntropyOfEigenvalues(w), nil, err
	}
	if c.Weights != nil && wanted {
		own := mat.NewSymDense(k.SymmetricDim(), nil)
		own.CopySym(k)
		w, err := linalg.Eigenvalues(ctx, own)
		if err != nil {
			return entropy, nil, err
		}
		entropy = measures.EntropyOfEigenvalues(w)
	}
	least := c.LeastRidge(k)
	parts := progress.Parts(ctx, 3, 1, .5)
	p, err := loo.New(parts[0], k, c.Outputs(), c.Weights, c.Workers)
	if err != nil {
		return entropy, nil, err
	}
	evaluations, err := loo.Curve(parts[1], p, least)
	if err != nil {
		return entropy, nil, err
	}
	if c.Weights == nil && wanted {
		values, err := p.Tridiagonal().Values(parts[2])
		if err != nil {
			return entropy, nil, err
		}
		entropy = measures.EntropyOfEigenvalues(values)
	}
	return entropy, c.Curve(evaluations), nil
}

// LeastRidge returns the smallest ridge to score for a kernel matrix.
func (c *Form) LeastRidge(k *mat.SymDense) float64 {
	return c.MinRidge * mat.Trace(k) / float64(k.SymmetricDim()) * c.meanWeight()
}

// RidgeUnit returns the unit of a kernel's ridges on rows x: the mean of k(x, x) times the mean weight.
func (c *Form) RidgeUnit(kernel kernels.Kernel, x *mat.Dense) float64 {
	n, _ := x.Dims()
	diagonal := make([]float64, n)
	kernels.Diag(diagonal, kernel, x)
	return stat.Mean(diagonal, nil) * c.meanWeight()
}

// Outputs returns the targets of the machine.
func (c *Form) Outputs() *mat.Dense {
	if c.Signs != nil {
		return c.Signs
	}
	return c.Targets
}

// Curve converts leave-one-out evaluations to scores, with errors relative to the variance of the targets.
func (c *Form) Curve(evaluations []loo.Evaluation) []search.RidgeScore {
	var out []search.RidgeScore
	variance := c.variance + c.within
	contrasts := float64(c.Targets.RawMatrix().Rows - 1)
	for _, l := range evaluations {
		score := search.RidgeScore{Ridge: l.Ridge, Score: (l.Error + c.within) / variance, StandardError: l.StandardError / variance,
			Evidence: l.Evidence - contrasts*math.Log(c.unit)}
		if c.Signs != nil {
			score.Wrong = l.Wrong
		}
		if sum := score.Score + score.StandardError + score.Evidence; sum-sum == 0 { // finite
			out = append(out, score)
		}
	}
	return out
}

// OfFeatures returns the scores of the kernel F'F at some ridges, and the mean of its diagonal.
func (c *Form) OfFeatures(ctx context.Context, f *mat.Dense) (curve []search.RidgeScore, mean float64, err error) {
	if f == nil {
		return nil, 0, nil
	}
	m, n := f.Dims()
	for i := range m {
		for _, v := range f.RawRowView(i) {
			mean += v * v / float64(n)
		}
	}
	z, targets, leverage, weight, scale := c.linearProblem(f)
	parts := progress.Parts(ctx, 1, 4, 4)
	gram, err := linalg.SymmetricProduct(parts[0], 1, z)
	if err != nil {
		return nil, 0, err
	}
	p, err := loo.NewLinear(parts[1], gram, z, targets, leverage, weight, scale, c.Workers)
	if err != nil {
		return nil, 0, err
	}
	if c.Signs != nil {
		p.OfClasses(c.Means)
	}
	evaluations, err := loo.Curve(parts[2], p, c.MinRidge*mean*c.meanWeight())
	return c.Curve(evaluations), mean, err
}

// ResidualFor returns the fraction of the trace of a kernel matrix that pivots may leave out. With this fraction, the remainder on
// the rows x is at most share times the ridge.
func (c *Form) ResidualFor(share, ridge float64, kernel kernels.Kernel, x *mat.Dense) float64 {
	return min(share*ridge/c.RidgeUnit(kernel, x), share)
}

// OfPivots returns the scores of a kernel on the features of pivots among the rows of x.
func (c *Form) OfPivots(ctx context.Context, kernel kernels.Kernel, x *mat.Dense, o measures.LowRankOptions) (*measures.LowRank,
	[]search.RidgeScore, error) {
	o.Decided = func(measures.Bounds) bool { return true } // only the residual matters
	first, rest := progress.Two(ctx, 1, 1)
	l, err := measures.LowRankEntropy(first, kernel, x, &o)
	if err != nil {
		return nil, nil, err
	}
	curve, _, err := c.OfFeatures(rest, l.Factor)
	return l, curve, err
}

// linearProblem centres the columns of F and the targets, and multiplies the rows by the square roots of the weights.
func (c *Form) linearProblem(f *mat.Dense) (z, targets *mat.Dense, leverage []float64, weight, scale float64) {
	m, n := f.Dims()
	_, k := c.Targets.Dims()
	w := slices.Repeat([]float64{1}, n)
	if c.Weights != nil {
		w = c.Weights
	}
	for _, v := range w {
		weight += v
	}
	z, targets, leverage = mat.NewDense(n, m, nil), mat.NewDense(n, k, nil), make([]float64, n)
	for i := range m {
		row, mean := f.RawRowView(i), 0.0
		for j, v := range row {
			mean += w[j] * v / weight
		}
		for j, v := range row {
			z.Set(j, i, math.Sqrt(w[j])*(v-mean))
			scale += w[j] * (v - mean) * (v - mean) / weight
		}
	}
	for i, v := range w {
		leverage[i] = v / weight
		for j, t := range c.Targets.RawRowView(i) {
			targets.Set(i, j, math.Sqrt(v)*t)
		}
	}
	return z, targets, leverage, weight, scale * weight / float64(n)
}

// PivotResidual is the largest ratio of the remainder of k(x, x) to the ridge for which the score on pivots is valid. The scores of
// a factorisation that stops as soon as the entropy is decided would be wrong. At a ratio of a tenth the score is accurate to a few
// per cent.
const PivotResidual = 0.1

// MaxPivots is the largest number of features that represent the kernel of many rows.
const MaxPivots = 1000

// Pivots returns the wanted number of pivots, or fewer if the run's memory limit requires it. Each pivot takes about four numbers
// per row.
func Pivots(r *search.Run, wanted int) int {
	n, _ := r.X.Dims()
	limit := cmp.Or(r.MaxKernelBytes, kernels.MaxKernelBytes)
	return int(max(1, min(int64(wanted), limit/(8*4*int64(n)))))
}
