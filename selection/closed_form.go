package selection

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
)

// closedForm is a score that a kernel has without fitting the learner: the leave-one-out
// error of kernel ridge regression, or the evidence of a Gaussian process, at its best ridge.
// A nil one scores nothing.
type closedForm struct {
	score    Score
	targets  *mat.Dense // less their means, n×k, in units
	unit     float64    // a power of two: squares and fourth powers of the targets over it do not overflow
	signs    *mat.Dense // those of classes, ±1; nil of numbers
	means    []float64  // of the signs
	variance float64    // the sum of the targets' variances
	within   float64    // what the targets are means of has beside that, which no kernel changes
	weights  []float64  // of the rows, nil for 1 each
	minRidge float64    // in units of the mean diagonal
	workers  int
}

// newClosedForm returns that of a search; nil where the learner is cross-validated, and for
// targets that all kernels fit alike.
func newClosedForm(e *Entropy, r *search.Run) (*closedForm, error) {
	if e.Score == CrossValidation {
		return nil, nil
	}
	out := &closedForm{score: e.Score, weights: r.Weights(), minRidge: e.MinRidge, workers: r.Workers()}
	switch {
	case e.NoMinRidge:
		out.minRidge = 0
	case e.MinRidge == 0 && (r.RidgeMachine() || r.Features() != nil):
		out.minRidge = leastRidge
	case e.MinRidge == 0:
		out.minRidge = defaultMinRidge
	}
	if r.Labels() != nil && e.Score == LogEvidence {
		return nil, fault.Param(entropyType, "Score", e.Score, "LeaveOneOutEvidence, LeaveOneOut or CrossValidation for a Classifier")
	}
	given, mean, _, err := machineTargets(r)
	if err != nil {
		return nil, err
	}
	out.unit = 1
	if r.Labels() == nil {
		out.unit = targets.Unit(mat.Col(nil, 0, given))
		given, mean = times(given, 1/out.unit), times(mean, 1/out.unit)
	}
	out.targets = mean
	if r.Distinct().Repeated() {
		out.within = floats.Sum(r.Distinct().Within(given, mean))
	}
	if r.Labels() != nil {
		out.signs = mat.DenseCopyOf(out.targets)
	}
	if out.centre() {
		r.Warn("the targets are constant: all parameters fit them alike")
		return nil, nil
	}
	return out, nil
}

// times returns a m.
func times(m *mat.Dense, a float64) *mat.Dense {
	out := new(mat.Dense)
	out.Scale(a, m)
	return out
}

// centre takes the means from the targets, since the machine has an intercept, and reports
// whether nothing is left of them.
func (c *closedForm) centre() (constant bool) {
	n, k := c.targets.Dims()
	weight := slices.Repeat([]float64{1}, n)
	if c.weights != nil {
		weight = c.weights
	}
	total := 0.0
	for _, w := range weight {
		total += w
	}
	constant = true
	for j := range k {
		mean := 0.0
		for i, w := range weight {
			mean += c.targets.At(i, j) * w / total
		}
		c.means = append(c.means, mean)
		for i, w := range weight {
			d := c.targets.At(i, j) - mean
			c.targets.Set(i, j, d)
			c.variance += d * d * w / total
			constant = constant && math.Abs(d) <= 1e-14*math.Abs(mean)
		}
	}
	return constant
}

// on is the score on some of the rows. Its unit stays that of all of them.
func (c *closedForm) on(rows []int) *closedForm {
	out := *c
	out.targets = linalg.Rows(c.targets, rows)
	if c.signs != nil {
		out.signs = linalg.Rows(c.signs, rows)
	}
	if c.weights != nil {
		out.weights = linalg.Pick(c.weights, rows)
	}
	return &out
}

// leftOutMeasure is that of leave-one-out errors.
var leftOutMeasure = search.Measure{Name: "leave-one-out NMSE"}

// measure says how the scores compare.
func (c *closedForm) measure() search.Measure {
	if c.score == LogEvidence {
		return search.Measure{Name: "log evidence", LargerIsBetter: true}
	}
	return leftOutMeasure
}

// meanWeight is that of the rows: ridges are in its units.
func (c *closedForm) meanWeight() float64 {
	if c.weights == nil {
		return 1
	}
	return stat.Mean(c.weights, nil)
}

// ofMatrix returns the entropy of k, which it takes over, and what it gives at some ridges: all
// from one reduction of k to tridiagonal form. Weights make the machine's matrix another than
// the entropy's, and take a second. Without wanting the entropy it is not computed.
func (c *closedForm) ofMatrix(ctx context.Context, k *mat.SymDense, wanted bool) (entropy measures.VonNeumann, curve []search.RidgeScore, err error) {
	if c == nil {
		w, err := linalg.Eigenvalues(ctx, k)
		return measures.EntropyOfEigenvalues(w), nil, err
	}
	if c.weights != nil && wanted {
		own := mat.NewSymDense(k.SymmetricDim(), nil)
		own.CopySym(k)
		w, err := linalg.Eigenvalues(ctx, own)
		if err != nil {
			return entropy, nil, err
		}
		entropy = measures.EntropyOfEigenvalues(w)
	}
	least := c.leastRidge(k)
	parts := progress.Parts(ctx, 3, 1, .5)
	p, err := loo.New(parts[0], k, c.given(), c.weights, c.workers)
	if err != nil {
		return entropy, nil, err
	}
	looks, err := loo.Curve(parts[1], p, least)
	if err != nil {
		return entropy, nil, err
	}
	if c.weights == nil && wanted {
		values, err := p.Tridiagonal().Values(parts[2])
		if err != nil {
			return entropy, nil, err
		}
		entropy = measures.EntropyOfEigenvalues(values)
	}
	return entropy, c.curve(looks), nil
}

// leastRidge is that of a kernel matrix.
func (c *closedForm) leastRidge(k *mat.SymDense) float64 {
	return c.minRidge * mat.Trace(k) / float64(k.SymmetricDim()) * c.meanWeight()
}

// ridgeUnit returns the unit of a kernel's ridges on rows x: the mean k(x, x), times the weight.
func (c *closedForm) ridgeUnit(kernel kernels.Kernel, x *mat.Dense) float64 {
	n, _ := x.Dims()
	diagonal := make([]float64, n)
	kernels.Diag(diagonal, kernel, x)
	return stat.Mean(diagonal, nil) * c.meanWeight()
}

// given are the targets of the machine.
func (c *closedForm) given() *mat.Dense {
	if c.signs != nil {
		return c.signs
	}
	return c.targets
}

// curve is what is known of ridges, errors over the variance of the targets.
func (c *closedForm) curve(looks []loo.Look) []search.RidgeScore {
	var out []search.RidgeScore
	variance := c.variance + c.within
	contrasts := float64(c.targets.RawMatrix().Rows - 1)
	for _, l := range looks {
		score := search.RidgeScore{Ridge: l.Ridge, Score: (l.Error + c.within) / variance, StandardError: l.StandardError / variance, Evidence: l.Evidence - contrasts*math.Log(c.unit)}
		if c.signs != nil {
			score.Wrong = l.Wrong
		}
		if sum := score.Score + score.StandardError + score.Evidence; sum-sum == 0 { // finite
			out = append(out, score)
		}
	}
	return out
}

// ofFeatures returns what the kernel F'F gives at some ridges, and the mean of its diagonal.
func (c *closedForm) ofFeatures(ctx context.Context, f *mat.Dense) (curve []search.RidgeScore, mean float64, err error) {
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
	p, err := loo.NewLinear(parts[1], gram, z, targets, leverage, weight, scale, c.workers)
	if err != nil {
		return nil, 0, err
	}
	if c.signs != nil {
		p.OfClasses(c.means)
	}
	looks, err := loo.Curve(parts[2], p, c.minRidge*mean*c.meanWeight())
	return c.curve(looks), mean, err
}

// residualFor is the share of the trace of a kernel's matrix, of rows x, that pivots may leave if that
// is to be a share of a ridge.
func (c *closedForm) residualFor(share, ridge float64, kernel kernels.Kernel, x *mat.Dense) float64 {
	return min(share*ridge/c.ridgeUnit(kernel, x), share)
}

// ofPivots returns what a kernel gives on the features of pivots of the rows of x.
func (c *closedForm) ofPivots(ctx context.Context, kernel kernels.Kernel, x *mat.Dense, o measures.LowRankOptions) (*measures.LowRank, []search.RidgeScore, error) {
	o.Decided = func(measures.Bounds) bool { return true } // it is the residual that counts
	first, rest := progress.Two(ctx, 1, 1)
	l, err := measures.LowRankEntropy(first, kernel, x, &o)
	if err != nil {
		return nil, nil, err
	}
	curve, _, err := c.ofFeatures(rest, l.Factor)
	return l, curve, err
}

// linearProblem centres the columns of F and the targets, times the roots of the weights.
func (c *closedForm) linearProblem(f *mat.Dense) (z, targets *mat.Dense, leverage []float64, weight, scale float64) {
	m, n := f.Dims()
	_, k := c.targets.Dims()
	w := slices.Repeat([]float64{1}, n)
	if c.weights != nil {
		w = c.weights
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
		for j, t := range c.targets.RawRowView(i) {
			targets.Set(i, j, math.Sqrt(v)*t)
		}
	}
	return z, targets, leverage, weight, scale * weight / float64(n)
}
