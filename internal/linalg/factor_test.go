package linalg

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// After a random sequence of appends and deletions, the factor is that of the remaining matrix.
func TestFactorFollowsItsMatrix(t *testing.T) {
	const size = 40
	x := randomDense(size, size+5, 8)
	var full mat.SymDense
	full.SymOuterK(1, x)
	rng := rand.New(rand.NewPCG(1, 2))
	f := NewFactor(nil)
	var members []int
	for step := range 400 {
		if len(members) > 0 && (rng.IntN(3) == 0 || len(members) == size) {
			k := rng.IntN(len(members))
			if step%50 == 0 {
				k = len(members) - 1
			}
			f.Delete(k)
			members = slices.Delete(members, k, k+1)
		} else {
			next := rng.IntN(size)
			for slices.Contains(members, next) {
				next = (next + 1) % size
			}
			a := make([]float64, len(members))
			for i, m := range members {
				a[i] = full.At(m, next)
			}
			require.True(t, f.Append(a, full.At(next, next)))
			members = append(members, next)
		}
		require.Equal(t, len(members), f.n)
		if len(members) == 0 {
			continue
		}
		sub := mat.NewSymDense(len(members), nil)
		for i, a := range members {
			for j, b := range members[:i+1] {
				sub.SetSym(i, j, full.At(a, b))
			}
		}
		b := randomDense(len(members), 1, uint64(step))
		got := mat.Col(nil, 0, b)
		f.Solve(got)
		var c mat.Cholesky
		require.True(t, c.Factorize(sub))
		require.NoError(t, c.SolveTo(b, b))
		assert.InDeltaSlice(t, mat.Col(nil, 0, b), got, 1e-8)
		assert.InDelta(t, c.LogDet(), f.LogDet(), 1e-9)
	}
}

func TestFactorOfACholesky(t *testing.T) {
	x := randomDense(6, 9, 3)
	a := mat.NewSymDense(6, nil)
	a.SymOuterK(1, x)
	c, err := NewCholesky(background, "a", mat.NewSymDense(6, slices.Clone(a.RawSymmetric().Data)))
	require.NoError(t, err)
	f := NewFactor(c)
	assert.InDelta(t, c.LogDet(), f.LogDet(), 1e-12)
	assert.False(t, f.Append(mat.Col(nil, 2, a), a.At(2, 2)), "the same row twice is singular")
	assert.Equal(t, 6, f.n)

	inverse := must(c.Inverse(background))
	var product mat.Dense
	product.Mul(a, inverse)
	assert.True(t, mat.EqualApprox(identity(6), &product, 1e-10))
	diag := must(c.DiagInverse(background))
	for i, d := range diag {
		assert.InDelta(t, d, inverse.At(i, i), 1e-10)
	}
}

// Inverses are correct for orders just below and just above the limits at which the algorithms divide the matrix.
func TestInverses(t *testing.T) {
	for _, n := range []int{1, 2, smallTriangle + 1, wholeTriangle, wholeTriangle + 1, strip - 1, strip, strip + 1, 2*strip + 5} {
		a := plusRidge(randomSPD(n, uint64(n)), 0.5)
		c, err := NewCholesky(background, "a", clone(a))
		require.NoError(t, err)
		inverse := must(c.Inverse(background))
		var product mat.Dense
		product.Mul(a, inverse)
		assert.True(t, mat.EqualApprox(&product, identity(n), 1e-9), n)
		f := NewFactor(c)
		diagonal := make([]float64, n)
		for i := range diagonal {
			diagonal[i] = inverse.At(i, i)
		}
		assert.InDeltaSlice(t, diagonal, must(f.DiagInverse(background)), 1e-10)
		assert.InDeltaSlice(t, diagonal, must(c.DiagInverse(background)), 1e-10)
		b := randomDense(n, 7, 3)
		v := mat.Col(nil, 2, b)
		want := mat.Inner(mat.NewVecDense(n, v), inverse, mat.NewVecDense(n, v))
		c.SolveVec(v)
		assert.InDelta(t, want, Dot(v, mat.Col(nil, 2, b)), 1e-9)
		assert.InDelta(t, want, must(c.QuadInverse(background, mat.DenseCopyOf(b)))[2], 1e-9)
		assert.InDelta(t, want, must(f.QuadInverse(background, mat.DenseCopyOf(b)))[2], 1e-9)
	}
	assert.Empty(t, must(NewFactor(nil).DiagInverse(background)))
}
