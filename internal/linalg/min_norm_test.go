package linalg

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// A⁺B by singular values, for tall, wide, square and rank-deficient A.
func TestMinNorm(t *testing.T) {
	for _, c := range []struct{ m, n, rank int }{{12, 5, 5}, {5, 12, 5}, {7, 7, 7}, {12, 6, 3}, {6, 12, 4}, {1, 1, 1}, {1, 9, 1}, {9, 1, 1}, {150, 90, 70}, {400, 90, 70}, {400, 90, 90}, {14, 5, 3}, {13, 5, 3}} {
		left, right := randomDense(c.m, c.rank, 1), randomDense(c.rank, c.n, 2)
		var a mat.Dense
		a.Mul(left, right)
		b := randomDense(c.m, 2, 3)
		var svd mat.SVD
		require.True(t, svd.Factorize(&a, mat.SVDThin))
		var want mat.Dense
		svd.SolveTo(&want, b, c.rank)
		var rest mat.Dense
		rest.Mul(&a, &want)
		rest.Sub(&rest, b)
		got, rank, residual, err := MinNorm(background, mat.DenseCopyOf(&a), mat.DenseCopyOf(b))
		require.NoError(t, err)
		assert.Equal(t, c.rank, rank, c)
		assert.True(t, mat.EqualApprox(&want, got, 1e-10), "%v: %v", c, mat.Formatted(got))
		assert.InDelta(t, mat.Norm(&rest, 2)*mat.Norm(&rest, 2), residual, 1e-10, c)
	}
	got, rank, residual, err := MinNorm(background, mat.NewDense(3, 2, nil), mat.NewDense(3, 1, []float64{1, 2, 2}))
	require.NoError(t, err)
	assert.Equal(t, 0, rank)
	assert.Zero(t, mat.Norm(got, 1))
	assert.Equal(t, 9.0, residual)
	got, rank, residual, err = MinNorm(background, mat.NewDense(6, 2, nil), mat.NewDense(6, 1, []float64{1, 2, 2, 0, 0, 0}))
	require.NoError(t, err)
	assert.Equal(t, 0, rank)
	assert.Zero(t, mat.Norm(got, 1))
	assert.InDelta(t, 9, residual, 1e-14)
}
