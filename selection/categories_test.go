package selection

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// named returns rows of two numbers with a category between them. Each of the given number of levels has its own effect.
func named(n, levels int, seed uint64) (*mat.Dense, []float64) {
	effects := make([]float64, levels)
	fixed := rand.New(rand.NewPCG(99, 1))
	for k := range effects {
		effects[k] = 2 * fixed.NormFloat64()
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	x, y := mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range y {
		a, b, level := rng.NormFloat64(), rng.NormFloat64(), rng.IntN(levels)
		x.SetRow(i, []float64{a, float64(1000 - 7*level), b})
		y[i] = math.Sin(2*a) + effects[level] + .1*rng.NormFloat64()
	}
	return x, y
}

// A category has a single length, whatever its codes and the number of levels. It predicts better than codes as numbers, and better
// than indicator columns with one length each.
func TestCategories(t *testing.T) {
	x, y := named(200, 25, 1)
	xNew, yNew := named(400, 25, 2)
	r, numbers := &Regressor{Categories: []int{1}}, &Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	require.NoError(t, numbers.Fit(ctx, x, y))
	dummies := &Regressor{Preprocess: []transformers.Transformer{&columnwise.OneHot{Columns: []int{1}}}}
	require.NoError(t, dummies.Fit(ctx, x, y))
	got := nmse(t, r, xNew, yNew)
	assert.Less(t, got, .01)
	assert.Less(t, got, nmse(t, numbers, xNew, yNew))
	assert.Less(t, got, .8*nmse(t, dummies, xNew, yNew))
	assert.Len(t, r.Result().Lengths, 3)
	assert.Contains(t, r.Result().Kernel, "categories=[0]")
	assert.Greater(t, r.Result().Lengths[2], 3*r.Result().Lengths[1], "the last column is irrelevant")

	// Renumbered codes are the same categories.
	other := mat.DenseCopyOf(x)
	otherNew := mat.DenseCopyOf(xNew)
	for _, m := range []*mat.Dense{other, otherNew} {
		for i := range m.RawMatrix().Rows {
			m.Set(i, 1, math.Mod(m.At(i, 1)*37, 1009)*1e-3)
		}
	}
	renamed := &Regressor{Categories: []int{1}}
	require.NoError(t, renamed.Fit(ctx, other, y))
	want, err := r.Predict(xNew)
	require.NoError(t, err)
	same, err := renamed.Predict(otherNew)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, same, 1e-4, "except for the ends of climbs")

	// A level that is missing from the training rows differs from all others, and so does a gap.
	odd := mat.NewDense(3, 3, []float64{.5, -1, .2, .5, 1e9, .2, .5, math.NaN(), .2})
	p, variance, err := r.PredictVariance(odd)
	require.NoError(t, err)
	assert.InDelta(t, p[0], p[1], 1e-12)
	assert.InDelta(t, p[0], p[2], 1e-12)
	_, known, err := r.PredictVariance(mat.NewDense(1, 3, []float64{.5, 1000, .2}))
	require.NoError(t, err)
	assert.Greater(t, variance[0], 2*known[0])

	data, err := r.MarshalBinary()
	require.NoError(t, err)
	read := &Regressor{Categories: []int{1}}
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.Predict(xNew)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, again, 1e-9)
	assert.ErrorIs(t, (&Regressor{}).UnmarshalBinary(data), estimators.ErrBadModel)
}

// Gaps in a category form a level of their own, in Fit and in Predict.
func TestGapsOfCategories(t *testing.T) {
	x, y := named(150, 3, 1)
	xNew, yNew := named(300, 3, 2)
	for _, m := range []*mat.Dense{x, xNew} {
		for i := range m.RawMatrix().Rows {
			if m.At(i, 1) == 1000 {
				m.Set(i, 1, math.NaN())
			}
			if i%7 == 0 {
				m.Set(i, 0, math.NaN()) // the numeric column has gaps as well
			}
		}
	}
	r := &Regressor{Categories: []int{1}}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Less(t, nmse(t, r, xNew, yNew), .2)
	assert.Len(t, r.Result().Lengths, 4, "with where the number is missing")
}

// Fits succeed for rows with categories only, for classes, and for numbers of rows that need landmarks.
func TestCategoriesEverywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x, labels := mat.NewDense(200, 3, nil), make([]int, 200)
	for i := range labels {
		a, b := rng.IntN(4), rng.IntN(5)
		x.SetRow(i, []float64{float64(a), float64(b), float64(rng.IntN(12))})
		labels[i] = []int{0, 1, 1, 0}[a] + []int{1, 0, 0, 1, 0}[b]
	}
	c := &Classifier{Categories: []int{1, 0, 2}}
	require.NoError(t, c.Fit(ctx, x, labels))
	got, err := c.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, labels, got)
	for _, o := range append(c.Result().Others, c.Result()) {
		assert.NotContains(t, o.Columns, "Yeo-Johnson", "it changes nothing")
	}

	many, y := named(6000, 40, 1)
	r := &Regressor{Categories: []int{1}, Workers: 2}
	require.NoError(t, r.Fit(ctx, many, y))
	xNew, yNew := named(500, 40, 2)
	assert.Less(t, nmse(t, r, xNew, yNew), .01)
}

// With Groups one length is chosen for all columns, and different levels have a fixed distance, however many there are.
func TestCategoriesWithGroups(t *testing.T) {
	x, y := named(240, 12, 1)
	xNew, yNew := named(400, 12, 2)
	groups := make([]int, len(y))
	for i := range groups {
		groups[i] = i % 40
	}
	r, numbers := &Regressor{Categories: []int{1}, Groups: groups}, &Regressor{Groups: groups}
	require.NoError(t, r.Fit(ctx, x, y))
	require.NoError(t, numbers.Fit(ctx, x, y))
	got := nmse(t, r, xNew, yNew)
	assert.Less(t, got, .15)
	assert.Less(t, got, .5*nmse(t, numbers, xNew, yNew))
	assert.Contains(t, r.Result().Kernel, "categories=[0]")
	assert.Nil(t, r.Result().Lengths, "none was learnt")
	assert.Len(t, r.Result().Values, 3)
	assert.InDelta(t, math.Sqrt(11./12/2), r.Result().Values[0], .01, "the root of half the share of pairs that differ")

	data, err := r.MarshalBinary()
	require.NoError(t, err)
	read := &Regressor{Categories: []int{1}}
	require.NoError(t, read.UnmarshalBinary(data))
	want, err := r.Predict(xNew)
	require.NoError(t, err)
	again, err := read.Predict(xNew)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, again, 1e-9)

	// A thousand levels, most of them absent, are a single column.
	many, yMany := named(500, 1000, 1)
	labels := make([]int, len(yMany))
	byDay := make([]int, len(yMany))
	for i, v := range yMany {
		byDay[i] = i % 50
		if v > 0 {
			labels[i] = 1
		}
	}
	c := &Classifier{Categories: []int{1}, Groups: byDay}
	require.NoError(t, c.Fit(ctx, many, labels))
	manyNew, yManyNew := named(500, 1000, 2)
	predicted, err := c.Predict(manyNew)
	require.NoError(t, err)
	right := 0
	for i, v := range yManyNew {
		if (predicted[i] == 1) == (v > 0) {
			right++
		}
	}
	assert.Greater(t, right, 290, "of 500 rows, 300 have levels that no row of Fit has")
	assert.Len(t, c.Result().Values, 3)
	for _, m := range c.Models() {
		z, err := m.Transform(manyNew)
		require.NoError(t, err)
		assert.Equal(t, 3, z.RawMatrix().Cols)
	}

	// Rows with categories only.
	only, yOnly := mat.NewDense(120, 2, nil), make([]float64, 120)
	for i := range yOnly {
		a, b := i%5, i/5%4
		only.SetRow(i, []float64{float64(a), float64(b)})
		yOnly[i] = []float64{3, -1, 4, -2, 0}[a] + []float64{1, 5, -3, 0}[b] + .1*float64(i%3)
	}
	one := &Regressor{Categories: []int{0, 1}, Groups: groups[:120]}
	require.NoError(t, one.Fit(ctx, only, yOnly))
	assert.Less(t, nmse(t, one, only, yOnly), .05)
}

func TestCategoriesThatAreRefused(t *testing.T) {
	x, y := named(30, 3, 1)
	for want, r := range map[string]*Regressor{
		"Categories[1] = 3, want 0 to 2, the index of a column of x": {Categories: []int{0, 3}},
		"Categories[1] = 1, want the index of a column, each once":   {Categories: []int{1, 1}},
		"Categories[0] = -1, want":                                   {Categories: []int{-1}},
		"Categories = [1], want nil unless a shape.Search":           {Categories: []int{1}, Search: &entropy.Search{}},
		"Start = *entropy.Search, want nil with categories":          {Categories: []int{1}, Search: &shape.Search{Start: &entropy.Search{}}},
	} {
		err := r.Fit(ctx, x, y)
		assert.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	// With user-defined steps, Categories refer to the columns that the steps return.
	r := &Regressor{Preprocess: []transformers.Transformer{&scalers.StandardScaler{}}, Search: &shape.Search{}, Categories: []int{1}}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Contains(t, r.Result().Kernel, "categories=[1]")
}
