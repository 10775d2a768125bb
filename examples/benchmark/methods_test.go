package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func TestMethodsAreDistinctAndBuildAnew(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range methods {
		assert.False(t, seen[m.name], m.name)
		seen[m.name] = true
		assert.NotEmpty(t, m.configuration)
		require.True(t, m.fits(regressionTask) || m.fits(classificationTask), m.name)
	}
}

// Each method of the table runs on a few rows.
func TestMethodsLearn(t *testing.T) {
	dir := t.TempDir()
	out, err := bench(t, "-splits", "1", "-rows", "60", "-budget", "1m", "-out", dir,
		"-methods", namesOf(methods[:len(methods)-len(misbehaved)]))
	require.NoError(t, err)
	r := readReport(t, dir)
	for _, c := range r.Cells {
		assert.Equal(t, statusOK, c.Status, "%s on %s: %s", c.Method, c.Set, c.Error)
		switch {
		case c.Method == "mean" || c.Method == "majority":
		case c.Set == diabetes:
			assert.Less(t, c.Measures["NMSE"], 0.8, c.Method)
		default:
			assert.Greater(t, c.Measures["Accuracy"], 0.9, c.Method)
		}
	}
	for _, m := range methods[:len(methods)-len(misbehaved)] {
		assert.Contains(t, out, "- "+m.name+": "+m.configuration)
	}
}

func namesOf(list []method) string {
	out := list[0].name
	for _, m := range list[1:] {
		out += "," + m.name
	}
	return out
}

func TestBaselines(t *testing.T) {
	x := mat.NewDense(4, 1, nil)
	m := &meanRegressor{}
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
