package lssvm_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/testkit/sparsetest"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/sparse"
)

// signs returns class 1 for each positive target and 0 for the others.
func signs(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		if v > 0 {
			out[i] = 1
		}
	}
	return out
}

// Machines fitted to sparse rows equal those fitted to the dense copy. This holds with few rows, with repeated rows, with groups,
// and with conjugate gradients.
func TestSparseRowsGiveTheDenseMachine(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		n      int
		kernel kernels.Kernel
		tol    float64
	}{
		"linear": {90, kernels.Linear{}, 1e-9}, "RBF": {90, kernels.RBF{Gamma: .6}, 1e-9},
		"conjugate gradients": {1100, kernels.Linear{}, 1e-4},
	} {
		x, y := sparsetest.Rows(c.n, 60, 8, 1)
		numbers := []int{0, 0}
		for i := range c.n {
			numbers = append(numbers, i)
		}
		x = x.Pick(numbers) // the first row occurs three times
		y = append([]float64{y[0] + .1, y[0] - .2}, y...)
		fresh, _ := sparsetest.Rows(20, 60, 8, 2)
		model := func() *lssvm.Regressor { return &lssvm.Regressor{Kernel: c.kernel, Solver: lssvm.ConjugateGradients} }
		want, got := model(), model()
		require.NoError(t, want.Fit(ctx, x.Dense(), y), name)
		require.NoError(t, got.Fit(ctx, sparsetest.Foreign{Rows: x}, y), name)
		assert.Equal(t, want.Details().Solver, got.Details().Solver, name)
		assert.InEpsilon(t, want.ChosenRidge(), got.ChosenRidge(), 100*c.tol, name)
		requireClose := func(want, got []float64) {
			t.Helper()
			assert.LessOrEqual(t, golden.MaxError(got, want), c.tol, name)
		}
		wantMean, wantVariance, err := want.PredictVariance(fresh.Dense())
		require.NoError(t, err, name)
		for side, z := range map[string]mat.Matrix{"sparse": fresh, "dense": fresh.Dense()} {
			mean, variance, err := got.PredictVariance(z)
			require.NoError(t, err, name+side)
			requireClose(wantMean, mean)
			requireClose(wantVariance, variance)
			single := make([]float64, 20)
			require.NoError(t, got.PredictTo(single, z), name)
			requireClose(wantMean, single)
		}
		onSparse, err := want.Predict(fresh)
		require.NoError(t, err, name)
		requireClose(wantMean, onSparse)
		wantLeft, err := want.LeaveOneOutResiduals(ctx)
		require.NoError(t, err, name)
		left, err := got.LeaveOneOutResiduals(ctx)
		require.NoError(t, err, name)
		assert.LessOrEqual(t, golden.MaxError(left, wantLeft), 100*c.tol, name)
		assert.True(t, mat.Equal(want.Rows(), got.Rows()), name)

		data, err := got.MarshalBinary()
		require.NoError(t, err, name)
		read := &lssvm.Regressor{Kernel: c.kernel}
		require.NoError(t, read.UnmarshalBinary(data), name)
		mean, variance, err := read.PredictVariance(fresh)
		require.NoError(t, err, name)
		requireClose(wantMean, mean)
		requireClose(wantVariance, variance)
		for _, cut := range []int{len(data) / 2, len(data) - 9} {
			assert.ErrorIs(t, read.UnmarshalBinary(data[:cut]), estimators.ErrBadModel)
		}

		if name == "linear" {
			filed := &lssvm.Regressor{Kernel: c.kernel}
			require.NoError(t, filed.UnmarshalBinary(golden.Model(t, "Regressor-sparse-v1.keln", got.MarshalBinary)))
			mean, err := filed.Predict(fresh)
			require.NoError(t, err)
			requireClose(wantMean, mean)
		}

		expansion, err := got.Expansion()
		require.NoError(t, err, name)
		values, err := kernels.Cross(ctx, c.kernel, fresh, expansion.Parts[0].Rows, nil)
		require.NoError(t, err, name)
		var sums mat.Dense
		sums.Mul(values, expansion.Parts[0].Coefficients)
		sums.Apply(func(_, _ int, v float64) float64 { return v + expansion.Intercepts[0] }, &sums)
		requireClose(wantMean, mat.Col(nil, 0, &sums))

		classifier, dense := &lssvm.Classifier{Kernel: c.kernel}, &lssvm.Classifier{Kernel: c.kernel}
		require.NoError(t, classifier.Fit(ctx, x, signs(y)), name)
		require.NoError(t, dense.Fit(ctx, x.Dense(), signs(y)), name)
		wantProba, err := dense.PredictProba(fresh.Dense())
		require.NoError(t, err, name)
		proba, err := classifier.PredictProba(fresh)
		require.NoError(t, err, name)
		assert.True(t, mat.EqualApprox(wantProba, proba, 10*c.tol), name)
	}
}

// Rows whose dense copy would take 800 GB can be fitted and predicted.
func TestSparseRowsAreNeverDense(t *testing.T) {
	ctx := context.Background()
	x, y := sparsetest.Rows(60, 50, 8, 3)
	wide := sparsetest.Widened(x, 1<<25, 50<<25)
	several := mat.NewDense(60, 2, nil)
	several.SetCol(0, y)
	several.SetCol(1, y)
	multi := &lssvm.MultiRegressor{Kernel: kernels.Linear{}}
	require.NoError(t, multi.Fit(ctx, wide, several))
	both, err := multi.Predict(wide)
	require.NoError(t, err)
	model := &lssvm.Regressor{Kernel: kernels.Linear{}}
	require.NoError(t, model.Fit(ctx, wide, y))
	want := &lssvm.Regressor{Kernel: kernels.Linear{}}
	require.NoError(t, want.Fit(ctx, x, y))
	p, err := model.Predict(wide)
	require.NoError(t, err)
	w, err := want.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, w, p, 1e-10)
	assert.InDeltaSlice(t, w, mat.Col(nil, 1, both), 1e-10)
	assert.Nil(t, model.Rows(), "a dense copy")
	_, err = model.Expansion()
	assert.ErrorIs(t, err, estimators.ErrTooLarge)
	_, err = model.Predict(x)
	assert.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorIs(t, (&lssvm.Regressor{}).Fit(ctx, wide, y), estimators.ErrTooLarge, "a kernel chosen for dense rows")
	assert.ErrorIs(t, (&lssvm.Regressor{Kernel: kernels.Laplacian{Gamma: 1}}).Fit(ctx, wide, y), estimators.ErrTooLarge)
	assert.ErrorIs(t, model.Fit(ctx, wide, y[:9]), estimators.ErrShape)
	assert.ErrorIs(t, (&lssvm.Classifier{Kernel: kernels.Linear{}}).Fit(ctx, wide, signs(y)[:9]), estimators.ErrShape)
	assert.ErrorIs(t, model.Fit(ctx, notFinite{wide}, y), estimators.ErrNotFinite)
}

// notFinite has a NaN in each row.
type notFinite struct{ *sparse.Rows }

func (b notFinite) DoRowNonZero(i int, f func(i, j int, v float64)) { f(i, 0, math.NaN()) }
