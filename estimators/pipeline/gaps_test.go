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
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Without steps, gaps reach a final estimator that fills them. Any other final estimator returns an error with the position of the
// gap.
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

// Without steps, categories are columns of x, and Final receives them. With steps, they are columns of the input of Final, and are
// set on Final directly.
func TestCategoriesOfFinal(t *testing.T) {
	final, class := &selection.Regressor{}, &selection.Classifier{}
	assert.True(t, estimators.SetCategories(&pipeline.Regressor{Final: final}, []int{1}))
	assert.True(t, estimators.SetCategories(&pipeline.Classifier{Final: class}, []int{2, 0}))
	assert.Equal(t, []int{1}, final.Categories)
	assert.Equal(t, []int{2, 0}, class.Categories)

	scaled := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: final}
	assert.False(t, estimators.SetCategories(scaled, []int{0}))
	scaled.SetCategories([]int{0})
	assert.Equal(t, []int{1}, final.Categories)
	assert.False(t, estimators.SetCategories(&pipeline.Regressor{Final: &ridge.Regressor{}}, []int{0}))
	(&pipeline.Regressor{}).SetCategories([]int{0})
	(&pipeline.MultiRegressor{}).SetCategories([]int{0})

	rows, y := mat.NewDense(24, 2, nil), make([]float64, 24)
	for i := range y {
		code := i * 5 % 6
		rows.SetRow(i, []float64{float64(i), float64(100 - code*code)})
		y[i] = []float64{3, -4, 1, -1, 5, -3}[code]
	}
	piped := &pipeline.Regressor{Final: &selection.Regressor{}}
	require.True(t, estimators.SetCategories(piped, []int{1}))
	require.NoError(t, piped.Fit(ctx, rows, y))
	own := &selection.Regressor{Categories: []int{1}}
	require.NoError(t, own.Fit(ctx, rows, y))
	want, err := own.Predict(rows)
	require.NoError(t, err)
	got, err := piped.Predict(rows)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Contains(t, piped.FittedFinal().(*selection.Regressor).Result().Kernel, "categories=[0]")

	data, err := piped.MarshalBinary()
	require.NoError(t, err)
	read := &pipeline.Regressor{Final: &selection.Regressor{}}
	require.True(t, estimators.SetCategories(read, []int{1}))
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.Predict(rows)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, again, 1e-9)
}
