package lssvm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/kernels"
)

// fewFrom makes fits to n or more rows evaluate few ridges instead of all, until the end of the test.
func fewFrom(t *testing.T, n int) {
	before := allRidgesUpTo
	allRidgesUpTo = n - 1
	t.Cleanup(func() { allRidgesUpTo = before })
}

// fewRows returns rows with a smooth target, three classes and weights.
func fewRows(n int) (x *mat.Dense, y []float64, labels []int, weights []float64) {
	x, y, _ = benchRows(n)
	rng := rand.New(rand.NewPCG(2, 0))
	for _, v := range y {
		labels = append(labels, int(math.Floor(min(max(v, -1), 1))))
		weights = append(weights, .5+rng.Float64())
	}
	return x, y, labels, weights
}

// With many rows, the leave-one-out error at the chosen ridge is within 1% of the minimum over all ridges. A fit with this ridge
// set returns the same machine. This holds for Fit and FitMatrix, with and without weights.
func TestFewRidges(t *testing.T) {
	x, y, labels, weights := fewRows(400)
	kernel := kernels.RBF{Gamma: .05}
	k, err := kernels.Matrix(ctx, kernel, x, nil)
	require.NoError(t, err)
	fits := map[string]func(r *Regressor) error{
		"Fit":               func(r *Regressor) error { return r.Fit(ctx, x, y) },
		"FitWeighted":       func(r *Regressor) error { return r.FitWeighted(ctx, x, y, weights) },
		"FitMatrix":         func(r *Regressor) error { return r.FitMatrix(ctx, k, y) },
		"FitMatrixWeighted": func(r *Regressor) error { return r.FitMatrixWeighted(ctx, k, y, weights) },
	}
	for name, fit := range fits {
		all := &Regressor{Kernel: kernel}
		require.NoError(t, fit(all))
		t.Run(name, func(t *testing.T) {
			fewFrom(t, 400)
			few := &Regressor{Kernel: kernel}
			require.NoError(t, fit(few))
			assert.LessOrEqual(t, few.Report().Objective, 1.01*all.Report().Objective)
			assert.LessOrEqual(t, few.Report().Iterations, loo.MaxFewEvaluations)
			assert.Empty(t, few.Report().Warnings)
			given := &Regressor{Kernel: kernel, Ridge: few.ChosenRidge()}
			require.NoError(t, fit(given))
			assert.InDeltaSlice(t, given.Coefficients(), few.Coefficients(), 1e-8)
			assert.InDelta(t, given.Intercept(), few.Intercept(), 1e-8)
			want, err := given.LeaveOneOutResiduals(ctx)
			require.NoError(t, err)
			got, err := few.LeaveOneOutResiduals(ctx)
			require.NoError(t, err)
			assert.InDeltaSlice(t, want, got, 1e-7)
			cross := k.SliceSym(0, 20)
			new20 := mat.NewDense(20, 400, nil)
			new20.Copy(k)
			_, wantVariance, err := given.PredictVarianceMatrix(new20, diagonalOf(cross))
			require.NoError(t, err)
			_, gotVariance, err := few.PredictVarianceMatrix(new20, diagonalOf(cross))
			require.NoError(t, err)
			assert.InDeltaSlice(t, wantVariance, gotVariance, 1e-7)
		})
	}
	for name, fit := range map[string]func(c *Classifier) error{
		"classes":          func(c *Classifier) error { return c.Fit(ctx, x, labels) },
		"weighted classes": func(c *Classifier) error { return c.FitWeighted(ctx, x, labels, weights) },
		"classes, matrix":  func(c *Classifier) error { return c.FitMatrix(ctx, k, labels) },
	} {
		all := &Classifier{Kernel: kernel}
		require.NoError(t, fit(all))
		t.Run(name, func(t *testing.T) {
			fewFrom(t, 400)
			few := &Classifier{Kernel: kernel}
			require.NoError(t, fit(few))
			assert.Len(t, few.Classes(), 3)
			assert.LessOrEqual(t, few.Report().Objective, 1.01*all.Report().Objective)
			given := &Classifier{Kernel: kernel, Ridge: few.ChosenRidge()}
			require.NoError(t, fit(given))
			new20 := mat.NewDense(20, 400, nil)
			new20.Copy(k)
			want, err := given.PredictProbaMatrix(new20)
			require.NoError(t, err)
			got, err := few.PredictProbaMatrix(new20)
			require.NoError(t, err)
			assert.True(t, mat.EqualApprox(want, got, 1e-6))
		})
	}
}

// diagonalOf returns the diagonal of a kernel matrix.
func diagonalOf(k mat.Symmetric) []float64 {
	out := make([]float64, k.SymmetricDim())
	for i := range out {
		out[i] = k.At(i, i)
	}
	return out
}

// Observe is called after each evaluation of a ridge, with the number of evaluations so far and their maximum number. A fit that is
// cancelled between two evaluations keeps the old model. For targets without noise the ridge is at the end of its range, and Report
// contains a warning.
func TestFewRidgesAreObserved(t *testing.T) {
	fewFrom(t, 150)
	x, y, _, _ := fewRows(150)
	steps := 0
	r := Regressor{Observe: func(s estimators.Step) {
		if s.Between {
			return
		}
		steps++
		assert.Equal(t, steps, s.Iteration)
		assert.Equal(t, loo.MaxFewEvaluations, s.Total)
	}}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, r.Report().Iterations, steps)
	before := r.ChosenRidge()
	c, cancel := context.WithCancel(ctx)
	steps = 0
	r.Observe = func(estimators.Step) { steps++; cancel() }
	require.ErrorIs(t, r.Fit(c, x, y), context.Canceled)
	assert.Equal(t, 1, steps)
	assert.Equal(t, before, r.ChosenRidge())

	r.Observe = nil
	xs, ys := sinc(150, 0, 1)
	median, err := kernels.MedianRBF(ctx, xs, 0)
	require.NoError(t, err)
	r.Kernel = median
	require.NoError(t, r.Fit(ctx, xs, ys))
	require.Len(t, r.Report().Warnings, 1)
	assert.Contains(t, r.Report().Warnings[0], "seem to have no noise")
	again := Regressor{Kernel: median, Workers: 1}
	require.NoError(t, again.Fit(ctx, xs, ys))
	assert.Equal(t, r.Coefficients(), again.Coefficients())
}

// Fits evaluate few ridges only above the documented number of rows.
func TestFewRidgesFrom(t *testing.T) {
	assert.Equal(t, 1500, allRidgesUpTo, "the package documentation says so")
	assert.Equal(t, loo.MaxEvaluations, (&machine{n: 1500}).mostEvaluations())
	assert.Equal(t, loo.MaxFewEvaluations, (&machine{n: 1501}).mostEvaluations())
}
