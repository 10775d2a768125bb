package validation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

func TestDocumentedDefaults(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 1)
	for _, pair := range [][2]Splitter{
		{KFold{}, KFold{Folds: defaultFolds, Repeats: 1}},
		{StratifiedKFold{}, StratifiedKFold{Folds: defaultFolds, Repeats: 1}},
		{StratifiedShuffleSplit{}, StratifiedShuffleSplit{Splits: defaultSplits, TestFraction: defaultTestFraction}},
		{ShuffleSplit{}, ShuffleSplit{Splits: defaultSplits, TestFraction: defaultTestFraction}},
	} {
		a, err := pair[0].Split(30, make([]int, 30))
		require.NoError(t, err)
		b, err := pair[1].Split(30, make([]int, 30))
		require.NoError(t, err)
		assert.Equal(t, a, b)
	}
	plain := func() estimators.Regressor { return &lssvm.Regressor{} }
	a, err := CrossValidateRegressor(ctx, plain(), x, y, nil)
	require.NoError(t, err)
	b, err := CrossValidateRegressor(ctx, plain(), x, y, &Options{Splitter: KFold{}})
	require.NoError(t, err)
	assert.Equal(t, a.Values, b.Values)
	assert.Equal(t, []string{"NMSE"}, a.Metrics)
}
