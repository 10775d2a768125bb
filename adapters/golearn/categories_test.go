package golearn_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/selection"
)

// towns is a grid of a number and a town, of which there are so many, and what both make of a price; with odd, of a town that is
// nowhere else in the first row.
func towns(t *testing.T, n, towns int, seed uint64, odd bool) *base.DenseInstances {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	var text bytes.Buffer
	fmt.Fprintln(&text, "size,town,price")
	for i := range n {
		size, town := rng.NormFloat64(), rng.IntN(towns)
		name := fmt.Sprintf("town %d", town*town%97)
		if odd && i == 0 {
			name = "elsewhere"
		}
		fmt.Fprintf(&text, "%.6f,%s,%.6f\n", size, name, math.Sin(2*size)+3*math.Sin(float64(7*(town*town%97)))+.1*rng.NormFloat64())
	}
	g, err := grids.ParseCSV("towns", &text, nil)
	require.NoError(t, err)
	return g
}

// Of more than 32 categories the search gets codes, and has one length for all; others get dummies, and so does the search of fewer.
func TestManyCategoriesAreOneColumn(t *testing.T) {
	train, test := towns(t, 300, 60, 1, false), towns(t, 200, 60, 2, true)
	r := &golearn.Regressor{}
	require.NoError(t, r.Fit(train))
	res := r.Fitted().(*selection.Regressor).Result()
	assert.Len(t, res.Lengths, 2)
	assert.Contains(t, res.Kernel, "categories=[0]")
	got, err := r.Predict(test)
	require.NoError(t, err)
	s, err := golearn.SummarizeRegression(test, got)
	require.NoError(t, err)
	assert.Less(t, s.RMSE, .5, "of prices that spread by 2")
	seen, err := r.Inspect(test)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"town": 1}, seen.Unseen)

	data, err := r.MarshalBinary()
	require.NoError(t, err)
	read := &golearn.Regressor{}
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.Predict(test)
	require.NoError(t, err)
	assert.True(t, base.InstancesAreEqual(got, again))

	few := &golearn.Regressor{}
	require.NoError(t, few.Fit(towns(t, 60, 4, 1, false)))
	assert.NotContains(t, few.Fitted().(*selection.Regressor).Result().Kernel, "categories")
	other := &golearn.Regressor{Estimator: &lssvm.Regressor{}}
	require.NoError(t, other.Fit(train))
	assert.Error(t, (&golearn.Regressor{NoOneHot: true}).Fit(train))
}
