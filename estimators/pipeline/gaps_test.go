package pipeline_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/selection"
)

// Without steps a final estimator that fills gaps gets them, and one that does not says where they are.
func TestGapsWithoutSteps(t *testing.T) {
	rows := mat.NewDense(12, 2, nil)
	y := make([]float64, 12)
	for i := range y {
		rows.SetRow(i, []float64{float64(i), float64(i % 3)})
		y[i] = float64(i) + float64(i%3)
	}
	rows.Set(4, 1, math.NaN())
	own, piped := &selection.Regressor{}, &pipeline.Regressor{Final: &selection.Regressor{}}
	require.NoError(t, own.Fit(ctx, rows, y))
	require.NoError(t, piped.Fit(ctx, rows, y))
	want, err := own.Predict(rows)
	require.NoError(t, err)
	got, err := piped.Predict(rows)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	err = (&pipeline.Regressor{Final: &ridge.Regressor{}}).Fit(ctx, rows, y)
	require.ErrorIs(t, err, estimators.ErrNotFinite)
	assert.EqualError(t, err,
		"pipeline: Regressor: final (ridge.Regressor): x[4,1] is NaN (counted from 0): fill gaps with columnwise.Imputer")
	rows.Set(4, 1, math.Inf(1))
	assert.ErrorIs(t, piped.Fit(ctx, rows, y), estimators.ErrNotFinite)
}
