package validation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

func TestScores(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	r := &lssvm.Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	mean, variance, err := r.PredictVariance(x)
	require.NoError(t, err)
	want, err := metrics.NMSE(y, mean, nil)
	require.NoError(t, err)
	got, err := ScoreRegressor(r, metrics.ForRegression(), x, y, nil)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	want, err = metrics.LogDensity(y, mean, variance, nil)
	require.NoError(t, err)
	got, err = ScoreRegressor(r, metrics.Metric{Name: "LogDensity", Variance: metrics.LogDensity}, x, y, nil)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	labels := make([]int, 60)
	for i, v := range y {
		if v > 0 {
			labels[i] = 3
		}
	}
	c := &lssvm.Classifier{}
	require.NoError(t, c.Fit(ctx, x, labels))
	p, err := c.PredictProba(x)
	require.NoError(t, err)
	want, err = metrics.LogLoss(labels, c.Classes(), p, nil)
	require.NoError(t, err)
	got, err = ScoreClassifier(c, metrics.Metric{Name: "LogLoss", Proba: metrics.LogLoss}, x, labels, nil)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	_, err = ScoreRegressor(r, metrics.ForClassification(), x, y, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = ScoreClassifier(c, metrics.ForRegression(), x, labels, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = ScoreRegressor(nil, metrics.ForRegression(), x, y, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = ScoreRegressor(r, metrics.ForRegression(), x, y[:5], nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = ScoreRegressor(r, metrics.ForRegression(), mat.NewDense(1, 3, nil), y[:1], nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = ScoreRegressor(&lssvm.Regressor{}, metrics.ForRegression(), x, y, nil)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
}

func TestSplit(t *testing.T) {
	want, err := KFold{Folds: 4}.Split(10, nil)
	require.NoError(t, err)
	got, err := Split(KFold{Folds: 4}, 10, nil)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	_, err = Split(nil, 10, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	for _, s := range []given{{}, {{Train: []int{1}}}, {{Train: []int{1}, Test: []int{10}}}, {{Train: []int{-1}, Test: []int{1}}}} {
		_, err = Split(s, 10, nil)
		assert.ErrorIs(t, err, estimators.ErrShape)
	}
}

// given is a splitter that returns fixed folds.
type given []Fold

func (g given) Split(int, []int) ([]Fold, error) { return g, nil }
