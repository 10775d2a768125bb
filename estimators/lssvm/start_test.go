package lssvm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/kernels"
)

// A machine that a search has solved is not solved again, and it is not confused with any other machine.
func TestKnownMachine(t *testing.T) {
	const n, ridge, shift = 60, .2, 3.
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(n, 3, nil), make([]float64, n)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	for i := range y {
		y[i] = shift + math.Sin(x.At(i, 0)) + .1*rng.NormFloat64()
	}
	kernel := kernels.RBF{Gamma: .4}
	gram, err := kernels.Matrix(context.Background(), kernel, x, nil)
	require.NoError(t, err)
	targets := mat.NewDense(n, 1, nil)
	for i, v := range y {
		targets.Set(i, 0, v-shift)
	}
	evaluation, err := loo.EvaluateOnce(ctx, gram, targets, nil, ridge)
	require.NoError(t, err)
	known := &loo.Solved{Kernel: kernel, Ridge: ridge, Solution: evaluation.Solved, Shift: []float64{shift}}
	taken := func(known *loo.Solved, kernel kernels.Kernel, ridge float64, y []float64) bool {
		r, plain := &Regressor{Kernel: kernel, Ridge: ridge}, &Regressor{Kernel: kernel, Ridge: ridge}
		r.StartFrom(loo.Start{Solved: known})
		require.NoError(t, r.Fit(context.Background(), x, y))
		require.NoError(t, plain.Fit(context.Background(), x, y))
		a, b := r.Coefficients(), plain.Coefficients()
		assert.InDeltaSlice(t, b, a, 1e-9)
		assert.InDelta(t, plain.Intercept(), r.Intercept(), 1e-9)
		left, err := r.LeaveOneOutResiduals(context.Background())
		require.NoError(t, err)
		want, err := plain.LeaveOneOutResiduals(context.Background())
		require.NoError(t, err)
		assert.InDeltaSlice(t, want, left, 1e-9)
		_, variance, err := r.PredictVariance(x)
		require.NoError(t, err)
		_, wanted, err := plain.PredictVariance(x)
		require.NoError(t, err)
		assert.InDeltaSlice(t, wanted, variance, 1e-9)
		return r.Report().Objective != plain.Report().Objective // only a fit that repeats the search has the same objective as plain
	}
	assert.True(t, taken(known, kernel, ridge, y))
	assert.False(t, taken(known, kernels.RBF{Gamma: .5}, ridge, y), "another kernel")
	assert.False(t, taken(known, kernel, .3, y), "another ridge")
	other := append([]float64(nil), y...)
	for i := range other {
		other[i] *= 1.001
	}
	assert.False(t, taken(known, kernel, ridge, other), "other targets")
	wrong := *known
	wrong.Shift = []float64{2}
	assert.False(t, taken(&wrong, kernel, ridge, y), "another shift")
}
