package falkon_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/testkit/sparsetest"
	"github.com/kernelearn/kernelearn/kernels"
)

// Machines with sparse rows and landmarks equal those with dense copies, for all rules that accept sparse rows and for both
// solvers.
func TestSparseRows(t *testing.T) {
	ctx := context.Background()
	x, y := sparsetest.Rows(700, 60, 8, 1)
	fresh, _ := sparsetest.Rows(20, 60, 8, 2)
	wide, freshWide := sparsetest.Widened(x, 1<<25, 60<<25), sparsetest.Widened(fresh, 1<<25, 60<<25)
	groups, labels := make([]int, 700), make([]int, 700)
	for i := range groups {
		groups[i] = i / 2
		if y[i] > 0 {
			labels[i] = 1
		}
	}
	for name, model := range map[string]falkon.Regressor{
		"linear": {Kernel: kernels.Linear{}, Components: 80}, "RBF": {Kernel: kernels.RBF{Gamma: .5}, Components: 80},
		"scores":              {Kernel: kernels.RBF{Gamma: .5}, Components: 60, Rule: falkon.LeverageScores},
		"groups":              {Kernel: kernels.RBF{Gamma: .5}, Components: 60, Groups: groups},
		"conjugate gradients": {Kernel: kernels.RBF{Gamma: .5}, Components: 60, Solver: falkon.ConjugateGradients},
	} {
		want, got := model, model
		require.NoError(t, want.Fit(ctx, x.Dense(), y), name)
		require.NoError(t, got.Fit(ctx, wide, y), name)
		assert.InEpsilon(t, want.ChosenRidge(), got.ChosenRidge(), 1e-6, name)
		assert.Equal(t, want.Details().Solver, got.Details().Solver, name)
		wantMean, wantVariance, err := want.PredictVariance(fresh.Dense())
		require.NoError(t, err, name)
		mean, variance, err := got.PredictVariance(freshWide)
		require.NoError(t, err, name)
		assert.LessOrEqual(t, golden.MaxError(mean, wantMean), 1e-6, name)
		assert.LessOrEqual(t, golden.MaxError(variance, wantVariance), 1e-6, name)
		data, err := got.MarshalBinary()
		require.NoError(t, err, name)
		read := &falkon.Regressor{Kernel: model.Kernel}
		require.NoError(t, read.UnmarshalBinary(data), name)
		single := make([]float64, 20)
		require.NoError(t, read.PredictTo(single, freshWide), name)
		assert.LessOrEqual(t, golden.MaxError(single, mean), 1e-12, name)
		assert.Nil(t, got.LandmarkRows(), "a dense copy")
		_, err = got.Expansion()
		assert.ErrorIs(t, err, estimators.ErrTooLarge, name)

		near := model
		require.NoError(t, near.Fit(ctx, x, y), name)
		assert.True(t, mat.Equal(want.LandmarkRows(), near.LandmarkRows()), name)
		if name == "linear" {
			filed := &falkon.Regressor{Kernel: model.Kernel}
			require.NoError(t, filed.UnmarshalBinary(golden.Model(t, "Regressor-sparse-v1.keln", near.MarshalBinary)))
			p, err := filed.Predict(fresh)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(p, wantMean), 1e-6)
			onDense, err := near.Predict(fresh.Dense())
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(onDense, wantMean), 1e-6)
		}
	}
	want := &falkon.Classifier{Kernel: kernels.Linear{}, Components: 50}
	got := &falkon.Classifier{Kernel: kernels.Linear{}, Components: 50}
	require.NoError(t, want.Fit(ctx, x.Dense(), labels))
	require.NoError(t, got.Fit(ctx, wide, labels))
	wantProba, err := want.PredictProba(fresh.Dense())
	require.NoError(t, err)
	proba, err := got.PredictProba(freshWide)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(wantProba, proba, 1e-6))

	two := mat.NewDense(700, 2, nil)
	two.SetCol(0, y)
	multi := &falkon.MultiRegressor{Kernel: kernels.Linear{}, Components: 50}
	require.NoError(t, multi.Fit(ctx, wide, two))
	_, err = multi.Predict(freshWide)
	require.NoError(t, err)

	given := &falkon.Regressor{Kernel: kernels.Linear{}, Landmarks: x.Slice(0, 50).Dense()}
	require.NoError(t, given.Fit(ctx, x, y))
	assert.True(t, mat.Equal(given.Landmarks, given.LandmarkRows()))
	pivoted := &falkon.Regressor{Kernel: kernels.Linear{}, Components: 50, Rule: falkon.PivotedCholesky}
	assert.ErrorIs(t, pivoted.Fit(ctx, x, y), estimators.ErrParam)
	assert.ErrorIs(t, (&falkon.Regressor{}).Fit(ctx, wide, y), estimators.ErrTooLarge, "a kernel chosen for dense rows")
	assert.ErrorIs(t, got.Fit(ctx, wide, labels[:9]), estimators.ErrShape)
	assert.ErrorIs(t, given.Fit(ctx, x, y[:9]), estimators.ErrShape)
	_, err = given.Predict(freshWide)
	assert.ErrorIs(t, err, estimators.ErrShape)
}

// A fit of 20 000 documents with 50 000 words needs less than 128 MiB, although a dense copy would need 8 GB.
func TestSparseDocumentsAreNeverDense(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	x, y := sparsetest.Rows(20_000, 50_000, 60, 1)
	model := &falkon.Regressor{Kernel: kernels.Linear{}, Components: 200, MaxBytes: 128 << 20}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, model.Fit(context.Background(), x, y))
	_, err := model.Predict(x)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30))
}
