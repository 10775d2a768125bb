package linalg

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

func randomDense(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return x
}

func randomSPD(n int, seed uint64) *mat.SymDense {
	x := randomDense(n, n+2, seed)
	s := mat.NewSymDense(n, nil)
	s.SymOuterK(1/float64(n), x)
	return s
}

func clone(s *mat.SymDense) *mat.SymDense {
	c := mat.NewSymDense(s.SymmetricDim(), nil)
	c.CopySym(s)
	return c
}

func plusRidge(s *mat.SymDense, lambda float64) *mat.SymDense {
	c := clone(s)
	for i := range c.SymmetricDim() {
		c.SetSym(i, i, c.At(i, i)+lambda)
	}
	return c
}

var sizes = []int{1, 2, 3, 31, 32, 33, 70, 257, 300}

func TestCholesky(t *testing.T) {
	for _, n := range sizes {
		a := randomSPD(n, uint64(n))
		c, err := NewCholesky(background, "A", clone(a))
		require.NoError(t, err)
		assert.Zero(t, c.Jitter())

		b := randomDense(n, 3, 9)
		got := mat.DenseCopyOf(b)
		require.NoError(t, c.Solve(background, got))
		var back mat.Dense
		back.Mul(a, got)
		assert.True(t, mat.EqualApprox(&back, b, 1e-9), "n=%d", n)

		var inv mat.Dense
		require.NoError(t, inv.Inverse(a))
		var quad mat.Dense
		quad.Mul(b.T(), got)
		q := must(c.QuadInverse(background, mat.DenseCopyOf(b)))
		for j := range 3 {
			assert.InEpsilon(t, quad.At(j, j), q[j], 1e-9)
		}
		for i, v := range must(c.DiagInverse(background)) {
			assert.InEpsilon(t, inv.At(i, i), v, 1e-9)
		}
		assert.InDelta(t, math.Log(mat.Det(a)), c.LogDet(), 1e-9*float64(n))

		again, ok := FromPacked(n, c.Packed(), c.Jitter())
		require.True(t, ok)
		second := mat.DenseCopyOf(b)
		require.NoError(t, again.Solve(background, second))
		assert.True(t, mat.Equal(got, second))
	}
}

func TestCholeskyJitter(t *testing.T) {
	// The matrix of rank one has an exact root, so that the second pivot is zero whatever the rounding.
	ones := mat.NewSymDense(50, nil)
	for i := range 50 {
		for j := i; j < 50; j++ {
			ones.SetSym(i, j, 4)
		}
	}
	c, err := NewCholesky(background, "A", clone(ones))
	require.NoError(t, err)
	assert.Greater(t, c.Jitter(), 0.0)
	assert.LessOrEqual(t, c.Jitter(), 4*1e-10)
	b := mat.NewDense(50, 1, nil)
	b.Apply(func(int, int, float64) float64 { return 1 }, b)
	require.NoError(t, c.Solve(background, b))
	// The system is singular: its solution is not determined, but its image is.
	assert.InDelta(t, 1, 4*mat.Sum(b), 1e-9)

	ones.SetSym(3, 3, -5)
	_, err = NewCholesky(background, "A", clone(ones))
	require.ErrorIs(t, err, fault.ErrNotPSD)
	assert.ErrorContains(t, err, "A is not positive definite")
	_, err = NewCholesky(background, "A", mat.NewSymDense(2, nil))
	assert.ErrorIs(t, err, fault.ErrNotPSD)
}

func TestFromPackedRefuses(t *testing.T) {
	for _, tc := range []struct {
		n int
		p []float64
	}{{0, nil}, {2, []float64{1, 2}}, {-3, []float64{1, 1, 1}}, {math.MaxInt, []float64{1}}, {1, []float64{0}}, {1, []float64{math.NaN()}}, {1, []float64{math.Inf(1)}}} {
		_, ok := FromPacked(tc.n, tc.p, 0)
		assert.False(t, ok, "%v", tc)
	}
}

func identity(n int) *mat.Dense {
	out := mat.NewDense(n, n, nil)
	for i := range n {
		out.Set(i, i, 1)
	}
	return out
}

// NewCholeskyFrom adds its first jitter even if the matrix has a factor without it.
func TestCholeskyFrom(t *testing.T) {
	a := randomSPD(33, 5)
	mean := 0.0
	for i := range 33 {
		mean += a.At(i, i) / 33
	}
	c, err := NewCholeskyFrom(background, "A", clone(a), 1e-7)
	require.NoError(t, err)
	assert.InEpsilon(t, 1e-7*mean, c.Jitter(), 1e-12)
	want, err := NewCholesky(background, "A", plusRidge(a, 1e-7*mean))
	require.NoError(t, err)
	assert.InDeltaSlice(t, want.Packed(), c.Packed(), 1e-12)
	n := c.Upper().N
	assert.Equal(t, 33, n)
	assert.Equal(t, c.Packed()[0], c.Upper().Data[0])
}

// Quadratic forms of columns agree with the solutions, for any division into strips and tasks.
func TestQuadColumns(t *testing.T) {
	for _, n := range sizes {
		shifted, ok := must(Tridiagonalize(background, randomSPD(n, uint64(n)))).Shift(.3)
		require.True(t, ok)
		for _, k := range []int{1, quadStrip - 1, quadStrip, quadStrip + 7, 2*quadTask + quadStrip + 3} {
			whole := randomDense(n, k+2, 3)
			b := whole.Slice(0, n, 1, k+1).(*mat.Dense)
			solved := mat.DenseCopyOf(b)
			shifted.Solve(solved)
			for _, workers := range []int{1, 3} {
				got := make([]float64, k)
				require.NoError(t, shifted.QuadColumns(context.Background(), workers, got, b))
				for j, v := range got {
					want := mat.Dot(b.ColView(j), solved.ColView(j))
					assert.InDelta(t, want, v, 1e-9*want, "n = %d, column %d of %d", n, j, k)
				}
			}
		}
	}
}

// The log of a determinant is finite even if the determinant overflows.
func TestLogDetOfAnySize(t *testing.T) {
	for _, v := range []float64{1, 1e-300, 1e300, 3, 1e-5} {
		s := Shifted{d: slices.Repeat([]float64{v, 2 * v, v / 7}, 100)}
		assert.InEpsilon(t, 300*math.Log(v)+100*math.Log(2./7), s.LogDet(), 1e-12, "%v", v)
	}
	assert.Zero(t, Shifted{}.LogDet())
}

var background = context.Background()

// must returns v. It panics on an error, which would be a mistake in the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
