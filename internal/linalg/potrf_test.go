package linalg

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// definite returns a positive definite matrix that is cheap to build: products of cosines, and a ridge.
func definite(n int, ridge float64) *mat.SymDense {
	const rank = 40
	f := mat.NewDense(n, rank, nil)
	f.Apply(func(i, j int, _ float64) float64 { return math.Cos(float64(i*(j+3)) + float64(j*j)) }, f)
	out := mat.NewSymDense(n, nil)
	out.SymOuterK(1, f)
	for i := range n {
		out.SetSym(i, i, out.At(i, i)+ridge)
	}
	return out
}

// Factoring by panels, including an incomplete last panel and incomplete strips, computes U with A = UᵀU. DiagInverse agrees with
// the diagonal of Inverse. The results are bit-identical for any number of processors.
func TestLargeCholesky(t *testing.T) {
	n := spreadFrom + panelRows + panelStrip + 7
	a := definite(n, 3)
	c, err := NewCholesky(background, "A", clone(a))
	require.NoError(t, err)
	u, packed := mat.NewDense(n, n, nil), c.Packed()
	for i, at := 0, 0; i < n; i++ {
		at += copy(u.RawRowView(i)[i:], packed[at:])
	}
	var back mat.Dense
	back.Mul(u.T(), u)
	assert.True(t, mat.EqualApprox(a, &back, 1e-10))
	assert.Zero(t, c.Jitter())

	diag := must(c.DiagInverse(background))
	for _, i := range []int{0, panelRows - 1, panelRows, n - 8, n - 1} {
		column := make([]float64, n)
		column[i] = 1
		c.SolveVec(column)
		require.InDelta(t, column[i], diag[i], 1e-12)
	}

	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one, err := NewCholesky(background, "A", clone(a))
	require.NoError(t, err)
	assert.Equal(t, packed, one.Packed())
	assert.Equal(t, diag, must(one.DiagInverse(background)))
}

// A large matrix that rounding made indefinite is factored with jitter, from the elements that the failed attempt kept in the lower
// triangle. A matrix that is more indefinite is an error, wherever the failure occurs.
func TestLargeCholeskyJitter(t *testing.T) {
	n := spreadFrom + 300
	a := definite(n, 0)
	c, err := NewCholesky(background, "A", clone(a))
	require.NoError(t, err)
	assert.Positive(t, c.Jitter())
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, 1)
	}
	var b mat.Dense
	b.Mul(a, x)
	size := mat.Norm(&b, 2)
	require.NoError(t, c.Solve(background, &b))
	var left mat.Dense
	left.Mul(a, &b)
	var want mat.Dense
	want.Mul(a, x)
	left.Sub(&left, &want)
	assert.Less(t, mat.Norm(&left, 2), 1e-6*size)
	for _, at := range []int{3, n / 2, n - 1} {
		bad := definite(n, 3)
		bad.SetSym(at, at, -1)
		_, err := NewCholesky(background, "A", bad)
		assert.ErrorContains(t, err, "A is not", at)
	}
}
