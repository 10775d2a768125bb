package distinct_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/distinct"
)

func TestMerge(t *testing.T) {
	negative := math.Copysign(0, -1)
	x := mat.NewDense(5, 2, []float64{0, 1, 2, 3, negative, 1, math.NaN(), 3, math.NaN(), 3})
	r := distinct.Merge(x, nil)
	require.True(t, r.Repeated())
	assert.Equal(t, 3, r.Len())
	assert.Equal(t, []int{0, 1, 0, 2, 2}, r.Index)
	assert.Equal(t, []int{0, 1, 3}, r.First)
	assert.Equal(t, []float64{2, 1, 2}, r.Weights)
	targets := mat.NewDense(5, 1, []float64{1, 5, 3, 7, 7})
	mean := r.Mean(targets)
	assert.Equal(t, []float64{2, 5, 7}, mean.RawMatrix().Data)
	assert.InDelta(t, 2./5, r.MeanSquareWithin(targets, mean)[0], 1e-15) // (1 + 1)/5
	assert.Equal(t, []float64{2, 5, 2, 7, 7}, r.Spread(mean).RawMatrix().Data)
}

func TestMergeWithWeights(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{4, 4, 1})
	r := distinct.Merge(x, []float64{1, 3, 8})
	assert.Equal(t, []float64{4, 8}, r.Weights)
	targets := mat.NewDense(3, 1, []float64{0, 4, 9})
	mean := r.Mean(targets)
	assert.Equal(t, []float64{3, 9}, mean.RawMatrix().Data)
	assert.InDelta(t, (1*9.+3*1)/12, r.MeanSquareWithin(targets, mean)[0], 1e-15)
	relative := r.Relative()
	assert.InDeltaSlice(t, []float64{2. / 3, 4. / 3}, relative.Weights, 1e-15)
	assert.InDeltaSlice(t, []float64{1. / 6, 1. / 2, 4. / 3}, relative.GivenWeights(), 1e-15)
}

func TestRowsThatDiffer(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{1, 2, 3})
	r := distinct.Merge(x, []float64{7, 7, 7})
	assert.False(t, r.Repeated())
	assert.Same(t, x, r.X)
	assert.Nil(t, r.Relative().Weights)
	assert.Nil(t, r.Relative().GivenWeights())
	assert.Nil(t, distinct.Merge(x, []float64{1, 1, 1}).Weights)
	assert.Same(t, x, r.Mean(x))
	assert.Equal(t, []float64{0}, r.MeanSquareWithin(x, x))
}

// If every row occurs twice, relative weights, means and squares are exactly those of the single rows.
func TestEachRowTwice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(40, 3, nil), mat.NewDense(40, 1, nil)
	for i := range 20 {
		for _, at := range []int{i, 20 + i} {
			x.SetRow(at, []float64{float64(i), 1 / float64(i+3), 2})
		}
		v := rng.NormFloat64()
		y.Set(i, 0, v)
		y.Set(20+i, 0, v)
	}
	r := distinct.Merge(x, nil).Relative()
	assert.Nil(t, r.Weights)
	assert.Equal(t, 20, r.Len())
	mean := r.Mean(y)
	for i := range 20 {
		assert.Equal(t, y.At(i, 0), mean.At(i, 0))
	}
	assert.Zero(t, r.MeanSquareWithin(y, mean)[0])
	assert.InDeltaSlice(t, []float64{.5, .5}, r.GivenWeights()[:2], 0)
}

func TestExtremeWeights(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{1, 1, 2})
	r := distinct.Merge(x, []float64{math.MaxFloat64 / 4, math.MaxFloat64 / 4, 5e-324}).Relative()
	assert.InDelta(t, 2, r.Weights[0], 1e-15)
	assert.Positive(t, r.Weights[1])
}

func TestCounts(t *testing.T) {
	assert.Nil(t, distinct.Counts(nil, 4, 4))
	assert.Equal(t, []float64{.5, .5, .5, .5}, distinct.Counts(nil, 4, 2))
	assert.InDeltaSlice(t, []float64{.5, 1.5}, distinct.Counts([]float64{1e-300, 3e-300}, 2, 2), 1e-15)
}

func TestMergeKernel(t *testing.T) {
	at := []float64{0, 1, 0, 3}
	k := mat.NewSymDense(4, nil)
	for i := range 4 {
		for j := i; j < 4; j++ {
			k.SetSym(i, j, math.Exp(-math.Abs(at[i]-at[j])))
		}
	}
	r := distinct.MergeKernel(k, nil)
	assert.Equal(t, []int{0, 1, 0, 2}, r.Index)
	own := r.Kernel(k)
	assert.Equal(t, 3, own.SymmetricDim())
	assert.Equal(t, k.At(1, 3), own.At(1, 2))
}

func TestGroups(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 1, 5, 6})
	r := distinct.Merge(x, nil)
	groups, err := r.Groups([]int{7, 7, 3, 3, 9, 4}, 6) // rows 0 and 3 are equal, so groups 7 and 3 are joined
	require.NoError(t, err)
	assert.Equal(t, [][]int{{0, 1, 2}}, groups)
	groups, err = r.Groups(nil, 6)
	require.NoError(t, err)
	assert.Nil(t, groups)
	_, err = r.Groups([]int{1, 2}, 6)
	require.ErrorIs(t, err, estimators.ErrShape)
	_, err = r.Groups([]int{1, 1, 1, 1, 1, 1}, 6)
	require.ErrorIs(t, err, estimators.ErrShape)
}

func TestOriginals(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{1, 2, 1, 3, 2, 2})
	first, own := distinct.Originals(x, []float64{5, 6, 5, 7, 6, 6}, nil)
	assert.Equal(t, []int{0, 1, 3}, first)
	assert.Nil(t, own)
	first, own = distinct.Originals(x, []float64{5, 6, 5, 7, 6, 6}, []float64{1, 1, 3, 4, 2, 6})
	assert.Equal(t, []int{0, 1, 3}, first)
	assert.Equal(t, []float64{2, 3, 4}, own)
	// As many sets of equal rows have one target as have several. Rows that agree in their target are therefore copies.
	first, _ = distinct.Originals(x, []float64{5, 6, 5, 7, 8, 6}, nil)
	assert.Equal(t, []int{0, 1, 3, 4}, first)
	// All sets of equal rows have several targets, so equal rows are separate observations.
	first, own = distinct.Originals(x, []float64{5, 6, 4, 7, 8, 6}, []float64{1, 2, 3, 4, 5, 6})
	assert.Nil(t, first)
	assert.Equal(t, []float64{1, 2, 3, 4, 5, 6}, own)
	first, _ = distinct.Originals(mat.NewDense(2, 1, []float64{1, 2}), []float64{3, 3}, nil)
	assert.Nil(t, first)
}

// If each row of a class occurs eight times, CountEach gives the class more weight, but CountInClass does not. Equal rows of
// different classes are separate observations.
func TestCountsOfClasses(t *testing.T) {
	x := mat.NewDense(10, 1, []float64{0, 1, 1, 1, 1, 1, 1, 1, 1, 2})
	copies, mixed := make([]int, 10), []int{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	for i := 1; i < 9; i++ {
		copies[i] = 1
	}
	r := distinct.Merge(x, nil).Relative()
	given := classes.AgainstRest(copies, 2)
	mean := r.Mean(given)
	assert.True(t, r.Copies(given, mean))
	assert.InDeltaSlice(t, []float64{.3, 2.4, .3}, r.CountEach(given, mean), 1e-15)
	assert.InDeltaSlice(t, []float64{1, 1, 1}, r.CountInClass(given, mean), 1e-15)

	given = classes.AgainstRest(mixed, 2)
	mean = r.Mean(given)
	assert.False(t, r.Copies(given, mean))
	assert.InDeltaSlice(t, []float64{1, 8, 1}, r.CountEach(given, mean), 1e-15)
	assert.InDeltaSlice(t, []float64{1, 8, 1}, r.CountInClass(given, mean), 1e-15)

	// Weights have the same effect as copies, and the ratios of weights within a class are kept.
	weighed := distinct.Merge(mat.NewDense(4, 1, []float64{0, 1, 2, 3}), []float64{1, 3, 8, 8}).Relative()
	given = classes.AgainstRest([]int{0, 0, 1, 1}, 2)
	assert.InDeltaSlice(t, []float64{.5, 1.5, 1, 1}, weighed.CountInClass(given, given), 1e-15)
}

func TestFirstDistinct(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{3, 0, math.Copysign(0, -1), 3, 4})
	assert.Equal(t, []int{0, 1, 4}, distinct.FirstDistinct(x, 9))
	assert.Equal(t, []int{0, 1}, distinct.FirstDistinct(x, 2))
}
