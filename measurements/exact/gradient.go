package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
)

const (
	probes = 8    // number of random vectors that estimate the trace
	block  = 500  // number of rows of the kernel matrix that are computed at a time
	step   = 0.15 // step of the logarithms of the lengths in the first iteration
	seed   = 1
)

// oneMatern returns selection with one Matérn kernel and one scaling of the columns. The lengths maximise the evidence of 2000
// rows.
func oneMatern() *selection.Regressor {
	return &selection.Regressor{
		Kinds: []families.Family{families.Matern{Nu: 2.5}}, Target: selection.PlainTarget, SingleModel: true,
	}
}

// gradientMatern continues from the lengths of oneMatern with Adam, which maximises the evidence of all rows.
//
// With A = C⁻¹ - ηη'/(1'η), C = K + λI, the logarithm of the evidence at the best amplitude is, up to a constant,
//
//	F = -(n-1)/2 log(y'Ay) - ½ log|C| - ½ log(1'η),   dF = ½ (n-1)/(y'Ay) α'(dK)α - ½ tr(A dK),   α = Ay,
//
// and the trace is the mean of (Az)'(dK)z over probes z of ±1. One fit to the targets and the probes computes α and all Az.
type gradientMatern struct {
	iterations int
	start      *selection.Regressor
	machine    *lssvm.Regressor
}

func (g *gradientMatern) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	g.start = oneMatern()
	if err := g.start.Fit(ctx, x, y); err != nil {
		return err
	}
	model := g.start.Models()[0]
	fitted, ok := model.Estimator.(*lssvm.Regressor)
	if !ok {
		return fmt.Errorf("no machine on all rows but %T", model.Estimator)
	}
	rows, err := model.Transform(x)
	if err != nil {
		return err
	}
	kernel, ok := fitted.ChosenKernel().(kernels.ARD)
	if !ok {
		return fmt.Errorf("no lengths but %v", fitted.ChosenKernel())
	}
	merged := distinct.Merge(rows, nil) // the machine merges equal rows
	lengths, err := g.climb(ctx, kernel, fitted.ChosenRidge(), merged.X, mat.Col(nil, 0, merged.Mean(mat.NewDense(len(y), 1, slices.Clone(y)))))
	if err != nil {
		return err
	}
	kernel.Lengths = lengths
	g.machine = &lssvm.Regressor{Kernel: kernel}
	return g.machine.Fit(ctx, rows, y)
}

// climb returns the lengths after the last iteration.
func (g *gradientMatern) climb(ctx context.Context, kernel kernels.ARD, ridge float64, rows *mat.Dense, y []float64) ([]float64, error) {
	n, _ := rows.Dims()
	random := rand.New(rand.NewPCG(seed, seed))
	targets := mat.NewDense(n, 1+probes, nil)
	targets.SetCol(0, y)
	for i := range n {
		for j := range probes {
			targets.Set(i, 1+j, float64(2*random.IntN(2)-1))
		}
	}
	theta := make([]float64, len(kernel.Lengths)+1) // the logarithms of the lengths and of the ridge
	for j, length := range kernel.Lengths {
		theta[j] = math.Log(length)
	}
	theta[len(theta)-1] = math.Log(ridge)
	adam := newAdam(len(theta))
	for t := range g.iterations {
		lengths := make([]float64, len(kernel.Lengths))
		for j := range lengths {
			lengths[j] = math.Exp(theta[j])
		}
		kernel.Lengths = lengths
		gradient, err := evidenceGradient(ctx, kernel, math.Exp(theta[len(lengths)]), rows, targets)
		if err != nil {
			return nil, err
		}
		adam.ascend(theta, gradient, step*(1-float64(t)/float64(g.iterations)))
	}
	for j := range kernel.Lengths {
		kernel.Lengths[j] = math.Exp(theta[j])
	}
	return kernel.Lengths, nil
}

// evidenceGradient returns an unbiased estimate of the derivatives of F with respect to the logarithms of the lengths and of the
// ridge. The first column of targets contains y, and the other columns are the probes.
func evidenceGradient(ctx context.Context, kernel kernels.ARD, ridge float64, rows, targets *mat.Dense) ([]float64, error) {
	machine := &lssvm.MultiRegressor{Kernel: kernel, Ridge: ridge}
	if err := machine.Fit(ctx, rows, targets); err != nil {
		return nil, err
	}
	n, k := targets.Dims()
	left, right := mat.DenseCopyOf(machine.Coefficients()), mat.DenseCopyOf(targets)
	alpha := mat.Col(nil, 0, left)
	fit := float64(n-1) / floats.Dot(alpha, mat.Col(nil, 0, targets))
	right.SetCol(0, alpha)
	for i := range n {
		row := left.RawRowView(i)
		row[0] *= fit / 2
		floats.Scale(-0.5/float64(k-1), row[1:])
	}
	gradient := quadraticForms(kernel, rows, left, right)
	ridgeSlope := 0.0
	for i := range n {
		ridgeSlope += ridge * floats.Dot(left.RawRowView(i), right.RawRowView(i))
	}
	return append(gradient, ridgeSlope), ctx.Err()
}

// quadraticForms returns, for each length, the sum of left[:,s]'(∂K/∂log length)right[:,s] over the columns s.
func quadraticForms(kernel kernels.ARD, rows, left, right *mat.Dense) []float64 {
	n, d := rows.Dims()
	_, columns := left.Dims()
	scaled := mat.DenseCopyOf(rows)
	scaled.Apply(func(_, j int, v float64) float64 { return v / kernel.Lengths[j] }, scaled)
	norms := make([]float64, n)
	for i := range n {
		norms[i] = floats.Dot(scaled.RawRowView(i), scaled.RawRowView(i))
	}
	slopes := kernel.Kernel.(kernels.RadialSlopes)
	squares := mat.NewDense(n, d, nil)
	squares.MulElem(scaled, scaled)
	sums := make([]float64, d)
	for from := 0; from < n; from += block {
		to := min(from+block, n)
		part := scaled.Slice(from, to, 0, d)
		var distances, weights, slope, mixed mat.Dense
		distances.Mul(part, scaled.T())
		distances.Apply(func(i, j int, v float64) float64 { return max(0, norms[from+i]+norms[j]-2*v) }, &distances)
		weights.Mul(left.Slice(from, to, 0, columns), right.T())
		slope.CloneFrom(&distances)
		slopes.SlopesOfSquaredDistances(slope.RawMatrix().Data, distances.RawMatrix().Data)
		weights.MulElem(&weights, &slope) // ∂k/∂log l[m] is the slope times (Δ[m]/l[m])²
		// Σ w[i,j] (z[i,m] - z[j,m])² = Σ z[i,m]² w[i,·] + Σ z[j,m]² w[·,j] - 2 Σ z[i,m] (W z[:,m])[i].
		mixed.Mul(&weights, scaled)
		rowSums, columnSums := make([]float64, to-from), make([]float64, n)
		for i := range rowSums {
			rowSums[i] = floats.Sum(weights.RawRowView(i))
			floats.Add(columnSums, weights.RawRowView(i))
		}
		for i := range rowSums {
			for m := range d {
				sums[m] += rowSums[i]*squares.At(from+i, m) - 2*part.At(i, m)*mixed.At(i, m)
			}
		}
		for j := range n {
			floats.AddScaled(sums, columnSums[j], squares.RawRowView(j))
		}
	}
	return sums
}

func (g *gradientMatern) transform(x mat.Matrix, f func(*mat.Dense) error) error {
	rows, err := g.start.Models()[0].Transform(x)
	if err != nil {
		return err
	}
	return f(rows)
}

func (g *gradientMatern) Predict(x mat.Matrix) (y []float64, err error) {
	return y, g.transform(x, func(rows *mat.Dense) (err error) { y, err = g.machine.Predict(rows); return err })
}

func (g *gradientMatern) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	return mean, variance, g.transform(x, func(rows *mat.Dense) (err error) {
		mean, variance, err = g.machine.PredictVariance(rows)
		return err
	})
}

func (g *gradientMatern) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	return low, high, g.transform(x, func(rows *mat.Dense) (err error) {
		low, high, err = g.machine.PredictInterval(rows, level)
		return err
	})
}

var _ estimators.IntervalPredictor = (*gradientMatern)(nil)

// adam holds the moments of Adam (D. P. Kingma and J. Ba, International Conference on Learning Representations, 2015).
type adam struct {
	first, second []float64
	t             int
}

func newAdam(n int) *adam { return &adam{first: make([]float64, n), second: make([]float64, n)} }

// ascend adds a step along the gradient to theta.
func (a *adam) ascend(theta, gradient []float64, rate float64) {
	const decay, decaySquares = 0.8, 0.95
	a.t++
	for j, g := range gradient {
		a.first[j] = decay*a.first[j] + (1-decay)*g
		a.second[j] = decaySquares*a.second[j] + (1-decaySquares)*g*g
		first, second := a.first[j]/(1-math.Pow(decay, float64(a.t))), a.second[j]/(1-math.Pow(decaySquares, float64(a.t)))
		theta[j] += rate * first / (math.Sqrt(second) + 1e-12)
	}
}
