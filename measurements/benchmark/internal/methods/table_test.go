package methods

import (
	"testing"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func TestMethodsAreDistinctAndBuildAnew(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All {
		assert.False(t, seen[m.Name], m.Name)
		seen[m.Name] = true
		assert.NotEmpty(t, m.Configuration)
		require.True(t, m.Fits(RegressionTask) || m.Fits(ClassificationTask), m.Name)
	}
}

func TestIndicatorTellsClassesApart(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{0, 0, 0, .1, 1, 0, 1, .1, 0, 1, .1, 1})
	for _, y := range [][]int{{3, 3, 5, 5, 9, 9}, {3, 3, 5, 5, 3, 3}} {
		c := onTargets(&ridge.Regressor{})
		require.NoError(t, c.Fit(t.Context(), x, y))
		assert.Equal(t, classesOf(y), c.Classes())
		got, err := c.Predict(x)
		require.NoError(t, err)
		assert.Equal(t, y, got)
		assert.Empty(t, estimators.Clone(c).Classes())
	}
	assert.ErrorContains(t, onTargets(&ridge.Regressor{}).Fit(t.Context(), x, make([]int, 6)), "two classes")
}

func TestBaselines(t *testing.T) {
	x := mat.NewDense(4, 1, nil)
	m := &MeanRegressor{}
	require.NoError(t, m.Fit(t.Context(), x, []float64{1, 2, 3, 6}))
	mean, variance, err := m.PredictVariance(x.Slice(0, 2, 0, 1))
	require.NoError(t, err)
	assert.Equal(t, []float64{3, 3}, mean)
	assert.InDelta(t, 14./3, variance[1], 1e-12)
	assert.Error(t, m.Fit(t.Context(), x, []float64{1}))

	c := &majorityClassifier{}
	require.NoError(t, c.Fit(t.Context(), x, []int{7, 3, 7, 5}))
	labels, err := c.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, []int{7, 7, 7, 7}, labels)
	assert.Equal(t, []int{3, 5, 7}, c.Classes())
	p, err := c.PredictProba(x)
	require.NoError(t, err)
	assert.Equal(t, []float64{.25, .25, .5}, p.RawRowView(3))
	assert.Error(t, c.Fit(t.Context(), x, nil))
}
