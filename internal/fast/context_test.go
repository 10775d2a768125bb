package fast

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/simd"
)

// checks is a context that is cancelled after a number of checks.
type checks struct {
	context.Context
	left, seen int
}

func (l *checks) Err() error {
	l.seen++
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// A computation in blocks has the same result as one without blocks, and a bit-identical result with package simd. It checks its
// context at each block and at the end.
func TestInParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	const m, n, k, most = 450, 500, 300, 1 << 22
	same := func(want, got *mat.Dense) {
		t.Helper()
		if _, ok := Implementation().(simd.Implementation); ok {
			assert.True(t, mat.Equal(want, got))
		}
		assert.True(t, mat.EqualApprox(want, got, 1e-9))
	}
	// both runs a function without blocks and in blocks on copies of c, and compares the results.
	both := func(c *mat.Dense, leastEvaluations int, whole func(c *mat.Dense), parts func(ctx context.Context, c *mat.Dense) error) {
		t.Helper()
		want, got := mat.DenseCopyOf(c), mat.DenseCopyOf(c)
		whole(want)
		all := &checks{Context: context.Background(), left: math.MaxInt}
		require.NoError(t, parts(all, got))
		same(want, got)
		assert.GreaterOrEqual(t, all.seen, leastEvaluations)
		for _, left := range []int{0, 1, all.seen / 2, all.seen - 1} {
			ctx := &checks{Context: context.Background(), left: left}
			require.ErrorIs(t, parts(ctx, mat.DenseCopyOf(c)), context.Canceled, "after %d of %d checks", left, all.seen)
			assert.Equal(t, left+1, ctx.seen)
		}
	}
	for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		a := random(rng, m, k)
		if tA == blas.Trans {
			a = random(rng, k, m)
		}
		for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			b := random(rng, k, n)
			if tB == blas.Trans {
				b = random(rng, n, k)
			}
			both(random(rng, m, n), 5, func(c *mat.Dense) { Gemm(tA, tB, .5, a.RawMatrix(), b.RawMatrix(), 2, c.RawMatrix()) },
				func(ctx context.Context, c *mat.Dense) error {
					return gemm(ctx, most, tA, tB, .5, a.RawMatrix(), b.RawMatrix(), 2, c.RawMatrix())
				})
		}
		for _, triangle := range []blas.Uplo{blas.Upper, blas.Lower} {
			of := func(c *mat.Dense) blas64.Symmetric {
				return blas64.Symmetric{N: m, Stride: m, Data: c.RawMatrix().Data, Uplo: triangle}
			}
			both(random(rng, m, m), 4, func(c *mat.Dense) { Syrk(tA, .5, a.RawMatrix(), 2, of(c)) },
				func(ctx context.Context, c *mat.Dense) error { return syrk(ctx, most, tA, .5, a.RawMatrix(), 2, of(c)) })
		}
	}
	square := random(rng, k, k)
	for i := range k {
		square.Set(i, i, 50)
	}
	triangle := blas64.Triangular{N: k, Stride: k, Data: square.RawMatrix().Data, Uplo: blas.Upper, Diag: blas.NonUnit}
	symmetric := blas64.Symmetric{N: k, Stride: k, Data: square.RawMatrix().Data, Uplo: blas.Upper}
	for _, side := range []blas.Side{blas.Left, blas.Right} {
		b := random(rng, k, n)
		if side == blas.Right {
			b = random(rng, n, k)
		}
		both(b, 4, func(c *mat.Dense) { Trsm(side, blas.Trans, .5, triangle, c.RawMatrix()) },
			func(ctx context.Context, c *mat.Dense) error {
				return trsm(ctx, most, side, blas.Trans, .5, triangle, c.RawMatrix())
			})
		factor := mat.DenseCopyOf(b)
		both(b, 4, func(c *mat.Dense) { Symm(side, .5, symmetric, factor.RawMatrix(), 2, c.RawMatrix()) },
			func(ctx context.Context, c *mat.Dense) error {
				return symm(ctx, most, side, .5, symmetric, factor.RawMatrix(), 2, c.RawMatrix())
			})
	}
}

// Small operands form a single block, with one check before it and one after. The functions with a context accept all forms that
// those without a context accept.
func TestContextForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	a, b := random(rng, 7, 5), random(rng, 5, 9)
	symmetric := mat.NewSymDense(5, nil)
	SymOuterK(symmetric, 1, b)
	for _, c := range [][2]mat.Matrix{{a, b}, {b.T(), a.T()}, {a, symmetric}} {
		var want, got mat.Dense
		Mul(&want, c[0], c[1])
		require.NoError(t, MulContext(context.Background(), &got, c[0], c[1]))
		assert.True(t, mat.Equal(&want, &got))
	}
	for _, m := range []mat.Matrix{a, a.T(), symmetric} {
		var want, got mat.SymDense
		SymOuterK(&want, 2, m)
		require.NoError(t, SymOuterKContext(context.Background(), &got, 2, m))
		assert.True(t, mat.Equal(&want, &got))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range []mat.Matrix{a, symmetric} {
		assert.ErrorIs(t, SymOuterKContext(ended, &mat.SymDense{}, 1, m), context.Canceled)
	}
	assert.ErrorIs(t, MulContext(ended, &mat.Dense{}, a, b), context.Canceled)
	assert.ErrorIs(t, MulContext(ended, &mat.Dense{}, a, symmetric), context.Canceled)
	assert.Panics(t, func() { _ = MulContext(context.Background(), &mat.Dense{}, a, a) })
	assert.Panics(t, func() { _ = SymOuterKContext(context.Background(), mat.NewSymDense(2, nil), 1, a) })
}
