package golearn

import (
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
)

func line(t testing.TB) *base.DenseInstances {
	t.Helper()
	g, err := grids.TargetGrid(mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4}), []string{"dose"}, "response", []float64{1, 3.1, 4.9, 7, 9})
	require.NoError(t, err)
	return g
}

func TestRegressor(t *testing.T) {
	r := &Regressor{Estimator: &leastSquares{}}
	require.NoError(t, r.Fit(line(t)))
	assert.Equal(t, "response", r.Target())
	assert.Equal(t, []string{"dose"}, r.Features())
	unlabelled, err := grids.FeatureGrid(mat.NewDense(2, 1, []float64{10, 20}), []string{"dose"})
	require.NoError(t, err)
	pred, err := r.Predict(unlabelled)
	require.NoError(t, err)
	require.Len(t, pred.AllAttributes(), 1)
	assert.Equal(t, "response", pred.AllAttributes()[0].GetName())
	y, err := grids.Targets(pred)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{21, 41}, y, 0.3)
	mean, variance, err := r.PredictVariance(unlabelled)
	require.NoError(t, err)
	assert.Equal(t, y, mean)
	assert.Len(t, variance, 2)
	assert.True(t, r.Supports(estimators.Variance))
	assert.False(t, r.Supports(estimators.Proba))
	report, err := r.Inspect(unlabelled)
	require.NoError(t, err)
	assert.Equal(t, 2, report.Rows)
	assert.Contains(t, r.String(), "1 features")
	assert.Equal(t, estimators.Report{}, r.Report())
	assert.Nil(t, estimators.Clone(r).Fitted())
}

func TestRegressorGridOfNoRows(t *testing.T) {
	r := &Regressor{Estimator: &leastSquares{}}
	g := line(t)
	require.NoError(t, r.Fit(g))
	none := base.NewInstancesViewFromVisible(g, nil, g.AllAttributes())
	pred, err := r.Predict(none)
	require.NoError(t, err)
	_, rows := pred.Size()
	assert.Zero(t, rows)
	mean, variance, err := r.PredictVariance(none)
	require.NoError(t, err)
	assert.Empty(t, mean)
	assert.Empty(t, variance)
}

func TestWhatRegressorRefuses(t *testing.T) {
	good := line(t)
	for name, c := range map[string]struct {
		grid base.FixedDataGrid
		is   error
		text string
	}{
		"categorical target": {flowerGrid(t, 9, 1), estimators.ErrParam, `"species" of type categorical`},
		"missing target":     {csvGridOf(t, "a,y", "1,2", "2,NA", "3,4"), estimators.ErrNotFinite, `attribute "y", row 1`},
		"missing feature":    {csvGridOf(t, "a,y", "1,2", ",3", "3,4"), estimators.ErrNotFinite, `attribute "a", row 1`},
		"nil":                {nil, estimators.ErrParam, "grid"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Regressor{Estimator: &leastSquares{}}
			require.NoError(t, r.Fit(good))
			before := r.Fitted()
			err := r.Fit(c.grid)
			require.ErrorIs(t, err, c.is)
			assert.ErrorContains(t, err, c.text)
			assert.Same(t, before, r.Fitted())
		})
	}
	r := new(Regressor)
	pred, err := r.Predict(good)
	requireRefused(t, pred, err)
	_, _, err = r.PredictVariance(good)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	_, err = r.Inspect(good)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
}
