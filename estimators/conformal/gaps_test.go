package conformal_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/selection"
)

// The wrapped estimator receives gaps and categories, also after the model was stored and loaded.
func TestGapsAndCategoriesOfTheEstimator(t *testing.T) {
	x, y, labels := mat.NewDense(60, 2, nil), make([]float64, 60), make([]int, 60)
	for i := range y {
		code := i * 7 % 5
		x.SetRow(i, []float64{float64(i % 13), float64(100 - code*code)})
		y[i], labels[i] = []float64{3, -4, 1, -1, 5}[code], []int{0, 1, 1, 0, 1}[code]
		if i%9 == 0 {
			x.Set(i, 0, math.NaN())
		}
	}
	for _, method := range []conformal.Method{conformal.CrossValidation, conformal.Split} {
		inner := &selection.Regressor{}
		r := &conformal.Regressor{Method: method, Folds: 3, Estimator: inner}
		require.True(t, estimators.SetCategories(r, []int{1}))
		assert.Equal(t, []int{1}, inner.Categories)
		require.NoError(t, r.Fit(t.Context(), x, y))
		assert.Contains(t, r.Chosen().(*selection.Regressor).Result().Kernel, "categories=[0]")
		low, high, err := r.PredictInterval(x, .8)
		require.NoError(t, err)
		for i := range low {
			assert.InDelta(t, y[i], (low[i]+high[i])/2, .5, "%v", method)
		}
		data, err := r.MarshalBinary()
		require.NoError(t, err)
		read := &conformal.Regressor{Method: method, Folds: 3, Estimator: &selection.Regressor{}}
		require.True(t, estimators.SetCategories(read, []int{1}))
		require.NoError(t, read.UnmarshalBinary(data))
		again, _, err := read.PredictInterval(x, .8)
		require.NoError(t, err)
		assert.InDeltaSlice(t, low, again, 1e-9)
	}
	c := &conformal.Classifier{Method: conformal.Split, Estimator: &calibration.Classifier{Folds: 3, Estimator: &selection.Classifier{}}}
	require.True(t, estimators.SetCategories(c, []int{1}))
	require.NoError(t, c.Fit(t.Context(), x, labels))
	got, err := c.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, labels, got)

	assert.False(t, estimators.SetCategories(&conformal.Regressor{}, []int{1}))
	assert.EqualError(t, (&conformal.Regressor{Method: conformal.Split, Estimator: &ridge.Regressor{}}).Fit(t.Context(), x, y),
		"conformal: Regressor: x[0,0] is NaN (counted from 0): fill gaps with columnwise.Imputer")
}
