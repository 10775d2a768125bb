package validation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

func TestPairedDifference(t *testing.T) {
	d, err := PairedDifference([]float64{2, 4, 6, 10}, []float64{1, 2, 3, 4}, 75, 25)
	require.NoError(t, err)
	assert.Equal(t, 3., d.Mean)
	assert.InDelta(t, math.Sqrt((1./4+1./3)*14/3), d.StandardError, 1e-12)
	// The ratio of 3 to the standard error is t = 1.818, whose two tails with 3 degrees of freedom have probability .167.
	assert.InDelta(t, .1667, d.P, 1e-3)
	assert.Equal(t, "3 ± 1.6, p = 0.17", d.String())
	back, err := PairedDifference([]float64{1, 2, 3, 4}, []float64{2, 4, 6, 10}, 75, 25)
	require.NoError(t, err)
	assert.Equal(t, Difference{-d.Mean, d.StandardError, d.P}, back)
}

func TestDifferencesThatAreAllTheSame(t *testing.T) {
	for _, a := range [][]float64{{0, 0, 0}, {2, 2, 2}, {.1 + .2, .3, .3}} {
		d, err := PairedDifference(a, make([]float64, 3), 75, 25)
		require.NoError(t, err)
		assert.Equal(t, 1., d.P)
		assert.Zero(t, d.StandardError)
	}
	d, err := PairedDifference([]float64{-1, 1}, []float64{0, 0}, 75, 25)
	require.NoError(t, err)
	assert.Equal(t, 1., d.P, "no difference in the mean")
	d, err = PairedDifference([]float64{.1, .2, .6}, []float64{.3, .3, .3}, 75, 25)
	require.NoError(t, err)
	assert.Equal(t, "0 ± 0.22, p = 1", d.String(), "in floating point the mean is 1e-17")
}

func TestWhatPairedDifferenceRefuses(t *testing.T) {
	for _, c := range []struct {
		a, b        []float64
		train, test int
		kind        error
		want        string
	}{
		{[]float64{1, 2}, []float64{1}, 3, 1, estimators.ErrShape, "b has 1 scores, a has 2"},
		{[]float64{1}, []float64{1}, 3, 1, estimators.ErrShape, "a has 1 scores, want at least 2"},
		{nil, nil, 3, 1, estimators.ErrShape, "a has 0 scores"},
		{[]float64{1, math.NaN()}, []float64{1, 2}, 3, 1, estimators.ErrNotFinite, "a[1]"},
		{[]float64{1, 1}, []float64{math.Inf(1), 2}, 3, 1, estimators.ErrNotFinite, "b[0]"},
		{[]float64{1e308, 2}, []float64{-1e308, 2}, 3, 1, estimators.ErrNotFinite, "the mean difference"},
		{[]float64{1, 2}, []float64{1, 2}, 0, 1, estimators.ErrParam, "trainRows"},
		{[]float64{1, 2}, []float64{1, 2}, 3, -1, estimators.ErrParam, "testRows"},
	} {
		_, err := PairedDifference(c.a, c.b, c.train, c.test)
		assert.ErrorIs(t, err, c.kind)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestScoresMinus(t *testing.T) {
	x, y := problemOf(50, 2, 0.2, 1)
	scores := func(build func() estimators.Regressor, folds int) Scores {
		s, err := CrossValidateRegressor(ctx, build(), x, y, &Options{Splitter: KFold{Folds: folds, Seed: 3}})
		require.NoError(t, err)
		return s
	}
	machine := func() estimators.Regressor { return &lssvm.Regressor{} }
	line := func() estimators.Regressor { return &ridge.Regressor{} }
	a, b := scores(machine, 5), scores(line, 5)
	assert.Equal(t, []int{40, 40, 40, 40, 40}, a.TrainRows)
	assert.Equal(t, []int{10, 10, 10, 10, 10}, a.TestRows)
	got, err := a.Minus(b, "NMSE")
	require.NoError(t, err)
	want, err := PairedDifference(a.Values[0], b.Values[0], 40, 10)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	_, err = a.Minus(scores(line, 4), "NMSE")
	assert.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, "the other scores have 4 folds, want the same 5")
	other := scores(line, 5)
	other.TrainRows[2], other.TestRows[2] = 39, 11
	_, err = a.Minus(other, "NMSE")
	assert.ErrorContains(t, err, "fold 2 of the other scores has 11 test rows, want the same folds, with 10 of 50")
	_, err = a.Minus(b, "MAE")
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, `"MAE", want one of ["NMSE"]`)
	_, err = a.Minus(Scores{Metrics: []string{"NMSE"}, Values: [][]float64{{1, 2}}}, "NMSE")
	assert.ErrorIs(t, err, estimators.ErrShape, "scores from elsewhere")
	_, err = a.Minus(Scores{Metrics: []string{"NMSE"}}, "NMSE")
	assert.ErrorIs(t, err, estimators.ErrParam)
}
