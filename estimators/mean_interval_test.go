package estimators_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func TestPredictInterval(t *testing.T) {
	x, y := mat.NewDense(12, 1, nil), make([]float64, 12)
	for i := range y {
		x.Set(i, 0, float64(i))
		y[i] = float64(i%3) + float64(i)
	}
	model := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{}}
	_, _, _, err := estimators.PredictInterval(model, x, .9)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, model.Fit(context.Background(), x, y))
	mean, low, high, err := estimators.PredictInterval(model, x, .9)
	require.NoError(t, err)
	want, err := model.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, want, mean)
	wantLow, wantHigh, err := model.PredictInterval(x, .9)
	require.NoError(t, err)
	assert.Equal(t, [][]float64{wantLow, wantHigh}, [][]float64{low, high})
	for i := range mean {
		assert.Less(t, low[i], mean[i])
		assert.Less(t, mean[i], high[i])
	}

	_, _, _, err = estimators.PredictInterval(model, x, 1)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, _, _, err = estimators.PredictInterval(&svm.Regressor{}, x, .9)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	_, _, _, err = estimators.PredictInterval(nil, x, .9)
	assert.ErrorIs(t, err, estimators.ErrParam)
}
