package linalg

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
)

// A submatrix is transposed, and nothing around it changes.
func TestTranspose(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 16, 37} {
		whole := randomDense(n+2, n+3, 1)
		before := mat.DenseCopyOf(whole)
		part := whole.Slice(1, n+1, 2, n+2).(*mat.Dense)
		Transpose(part)
		assert.True(t, mat.Equal(before.Slice(1, n+1, 2, n+2).T(), part), "%d rows", n)
		before.Slice(1, n+1, 2, n+2).(*mat.Dense).Copy(part)
		assert.True(t, mat.Equal(before, whole), "%d rows", n)
	}
}
