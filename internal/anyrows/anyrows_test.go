package anyrows_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/sparse"
)

// Every function returns the same rows for a sparse matrix as for its dense copy.
func TestSparseAndDenseAreAlike(t *testing.T) {
	// Rows 0 and 2 are equal, although row 2 stores a 0. Row 3 has its entry in another column.
	x, err := sparse.NewRows(3, []int{0, 1, 1, 3, 4}, []int{1, 0, 1, 2}, []float64{5, 0, 5, 5})
	require.NoError(t, err)
	dense := x.Dense()
	for _, rows := range []mat.Matrix{x, dense} {
		same, err := anyrows.From("x", rows, true)
		require.NoError(t, err)
		assert.Same(t, rows, same)
		assert.True(t, mat.Equal(dense.Slice(1, 3, 0, 3), anyrows.Slice(rows, 1, 3)))
		picked := anyrows.Pick(rows, []int{3, 0})
		assert.Equal(t, []float64{0, 0, 5}, mat.Row(nil, 0, picked))
		assert.Equal(t, []float64{0, 5, 0}, mat.Row(nil, 1, picked))
		assert.True(t, mat.Equal(dense, anyrows.Copy(rows)))
		merged, distinct := anyrows.Merge(rows, []float64{1, 1, 2, 1})
		assert.Equal(t, []int{0, 1, 0, 2}, merged.Index)
		assert.Equal(t, []float64{3, 1, 1}, merged.Weights)
		assert.True(t, mat.Equal(anyrows.Pick(rows, []int{0, 1, 3}), distinct))
		_, err = anyrows.Wide("x", rows, 2, true)
		assert.ErrorIs(t, err, fault.ErrShape)
		asDense, err := anyrows.Wide("x", rows, 3, false)
		require.NoError(t, err)
		assert.Equal(t, dense, asDense)
	}
	assert.NotSame(t, dense, anyrows.Copy(dense))
	_, err = anyrows.From("x", nil, true)
	assert.ErrorIs(t, err, fault.ErrShape)
	_, err = anyrows.From("x", mat.NewBandDense(1, 1, 0, 0, []float64{math.NaN()}), true)
	assert.ErrorIs(t, err, fault.ErrNotFinite)
}
