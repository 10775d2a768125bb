package classes_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

func TestOf(t *testing.T) {
	y := []int{7, -2, 7, 0}
	names, at, err := classes.Distinguish(y)
	require.NoError(t, err)
	assert.Equal(t, []int{-2, 0, 7}, names)
	assert.Equal(t, []int{2, 0, 2, 1}, at)
	assert.Equal(t, []int{7, -2, 7, 0}, y, "the labels are not sorted in place")
	assert.Equal(t, []int{1, 2, 3}, classes.Distinct([]int{3, 1}, []int{2, 3}))
	for _, y := range [][]int{nil, {4}, {4, 4}} {
		_, _, err := classes.Distinguish(y)
		assert.ErrorIs(t, err, fault.ErrShape, "%v", y)
	}
}

func TestValid(t *testing.T) {
	assert.True(t, classes.Valid([]int{-1, 0, 5}))
	for _, bad := range [][]int{nil, {1}, {1, 1}, {2, 1}, {1, 3, 2}} {
		assert.False(t, classes.Valid(bad), "%v", bad)
	}
}

func TestAgainstRest(t *testing.T) {
	assert.True(t, mat.Equal(mat.NewDense(3, 1, []float64{-1, 1, -1}), classes.AgainstRest([]int{0, 1, 0}, 2)), "of two classes the second")
	assert.True(t, mat.Equal(mat.NewDense(3, 3, []float64{
		-1, -1, 1,
		1, -1, -1,
		-1, 1, -1,
	}), classes.AgainstRest([]int{2, 0, 1}, 3)))
	assert.Equal(t, 1, classes.Machines(2))
	assert.Equal(t, 3, classes.Machines(3))
}

func TestScores(t *testing.T) {
	assert.True(t, mat.Equal(mat.NewDense(2, 2, []float64{-3, 3, 1, -1}), classes.Scores(mat.NewDense(2, 1, []float64{3, -1}))))
	three := mat.NewDense(1, 3, []float64{1, 2, 3})
	assert.Same(t, three, classes.Scores(three))
}

func TestPredicted(t *testing.T) {
	scores := mat.NewDense(4, 3, []float64{
		1, 3, 2,
		5, 5, 5, // equal scores: the first one wins
		0, 4, 4,
		math.NaN(), 1, 2,
	})
	assert.Equal(t, []int{8, -1, 8, -1}, classes.Predicted([]int{-1, 8, 9}, scores))
}

func TestWeights(t *testing.T) {
	names, at := []int{3, 5}, []int{0, 0, 0, 1}
	assert.Nil(t, classes.Weights{}.Rows(names, at, nil))
	assert.Equal(t, []float64{1, 2, 3, 4}, classes.Weights{}.Rows(names, at, []float64{1, 2, 3, 4}))
	assert.Equal(t, []float64{4. / 6, 2}, classes.Weights{Balanced: true}.Factors(names, at, nil))
	assert.Equal(t, []float64{10. / 12, 1.25}, classes.Weights{Balanced: true}.Factors(names, at, []float64{1, 2, 3, 4}), "of sums of weights")
	w := classes.Weights{Balanced: true, Of: map[int]float64{5: 3, 99: 7}}
	assert.Equal(t, []float64{4. / 6, 4. / 6, 4. / 6, 6}, w.Rows(names, at, nil), "a class that does not occur weighs nothing")

	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		err := classes.Weights{Of: map[int]float64{1: 1, 2: v}}.Validate("pkg: Type")
		require.ErrorIs(t, err, fault.ErrParam)
		assert.ErrorContains(t, err, "pkg: Type: ClassWeights[2] = ")
	}
	assert.NoError(t, classes.Weights{Of: map[int]float64{1: .5}}.Validate("pkg: Type"))
}
