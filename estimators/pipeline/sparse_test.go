package pipeline_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/testkit/sparsetest"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Sparse rows reach the final estimator unchanged. A step that cannot keep them sparse returns an error about the size of the dense
// copy that it would make.
func TestSparseRows(t *testing.T) {
	ctx := context.Background()
	x, y := sparsetest.Rows(100, 50, 8, 1)
	wide := sparsetest.Widened(x, 1<<18, 50<<18)
	final := &lssvm.Regressor{Kernel: kernels.Linear{}}
	steps := []transformers.Transformer{&scalers.RMSScaler{}, &scalers.UnitRows{}}
	want, got := &pipeline.Regressor{Steps: steps, Final: final}, &pipeline.Regressor{Steps: steps, Final: final}
	require.NoError(t, want.Fit(ctx, x.Dense(), y))
	require.NoError(t, got.Fit(ctx, wide, y))
	w, err := want.Predict(x.Dense())
	require.NoError(t, err)
	p, err := got.Predict(wide)
	require.NoError(t, err)
	assert.InDeltaSlice(t, w, p, 1e-9)
	mean, _, err := got.PredictVariance(wide)
	require.NoError(t, err)
	assert.InDeltaSlice(t, w, mean, 1e-9)
	to := make([]float64, 100)
	require.NoError(t, got.PredictTo(to, wide))
	assert.Equal(t, p, to)

	err = (&pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: final}).Fit(ctx, wide, y)
	assert.ErrorIs(t, err, estimators.ErrTooLarge)
	assert.ErrorContains(t, err, "pipeline: Regressor: step 0 (StandardScaler): x as a dense matrix of 100×13107200")

	alone := &pipeline.Transformer{Steps: steps}
	z, err := alone.FitTransform(ctx, x)
	require.NoError(t, err)
	dense, err := alone.Transform(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(z, dense))
	require.NoError(t, alone.Fit(ctx, wide))
	_, err = alone.Transform(wide)
	assert.ErrorIs(t, err, estimators.ErrTooLarge, "Transform returns a dense matrix")
	none := &pipeline.Transformer{}
	require.NoError(t, none.Fit(ctx, wide))
	_, err = none.Transform(wide)
	assert.ErrorIs(t, err, estimators.ErrTooLarge)
	require.NoError(t, none.Fit(ctx, x))
	dense, err = none.Transform(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(x, dense))
	_, err = none.Transform(wide)
	assert.ErrorIs(t, err, estimators.ErrShape)
}
