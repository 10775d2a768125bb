package linalg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// reductions are the two reductions, applied at any size.
var reductions = map[string]func(a *mat.SymDense) *Tridiagonal{
	"one stage": func(a *mat.SymDense) *Tridiagonal {
		t, _, _ := inOneStage(background, a.RawSymmetric())
		return t
	},
	"two stages": func(a *mat.SymDense) *Tridiagonal { return must(inTwoStages(background, a.RawSymmetric())) },
}

// orders lists sizes at which blocks and sweeps are just full, and their neighbours.
var orders = []int{
	1, 2, 3, 4, bandWidth - 1, bandWidth, bandWidth + 1, bandWidth + 2, bandWidth + 3,
	2*bandWidth - 1, 2 * bandWidth, 2*bandWidth + 1, 2*bandWidth + 2, 3*bandWidth + 1,
	blockStrip + bandWidth, blockStrip + bandWidth + 1, leastReduced - 1, leastReduced, 2*blockStrip + 3*bandWidth + 5,
}

func randomSymmetric(n int, seed uint64) *mat.SymDense {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			out.SetSym(i, j, rng.NormFloat64())
		}
	}
	return out
}

// transposedQ returns Qᵀ, computed by rotating the identity.
func transposedQ(t *Tridiagonal) *mat.Dense {
	out := identity(t.n)
	if err := t.Rotate(background, out); err != nil {
		panic(err)
	}
	return out
}

// assertReduces checks that Q is orthogonal and A = QTQᵀ, relative to the largest element.
func assertReduces(t *testing.T, a *mat.SymDense, tri *Tridiagonal, transposed *mat.Dense) {
	t.Helper()
	n := a.SymmetricDim()
	var product, back mat.Dense
	product.Mul(transposed, transposed.T())
	assert.True(t, mat.EqualApprox(&product, identity(n), 1e-12), "Q is orthogonal")
	back.Product(transposed.T(), tri.Matrix(0), transposed)
	back.Sub(&back, a)
	size := mat.Norm(a, 2)
	assert.LessOrEqual(t, mat.Norm(&back, 2), 1e-12*size, "A = QTQᵀ")
}

func TestReductions(t *testing.T) {
	for name, reduce := range reductions {
		for _, n := range orders {
			if testing.Short() && n > blockStrip+bandWidth {
				continue // takes most of the time of all tests in an emulator
			}
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				a := randomSymmetric(n, uint64(n))
				tri := reduce(clone(a))
				transposed := transposedQ(tri)
				assertReduces(t, a, tri, transposed)
				var e mat.EigenSym
				require.True(t, e.Factorize(a, false))
				assert.InDeltaSlice(t, e.Values(nil), must(tri.Values(background)), 1e-12*mat.Norm(a, 2))
				// One target, and more targets than a task rotates.
				for _, k := range []int{1, rotatedRows + 1} {
					b := randomDense(n, k, 7)
					var want mat.Dense
					want.Mul(transposed, b)
					require.NoError(t, tri.Rotate(background, b))
					assert.True(t, mat.EqualApprox(&want, b, 1e-12), "%d columns", k)
				}
			})
		}
	}
}

// Reductions are exact up to rounding for matrices that are nearly reduced, and for elements whose squares overflow.
func TestReductionsOfSpecialMatrices(t *testing.T) {
	for _, n := range []int{2, 3, bandWidth + 2, 3*bandWidth + 7} {
		random := randomSymmetric(n, 5)
		matrices := map[string]func(i, j int) float64{
			"zero":       func(int, int) float64 { return 0 },
			"ones":       func(int, int) float64 { return 1 },
			"alternates": func(i, j int) float64 { return float64((i*j)%2) - 0.5 },
			"diagonal": func(i, j int) float64 {
				if i != j {
					return 0
				}
				return float64(i) - 3
			},
			"tridiagonal": func(i, j int) float64 {
				if max(i-j, j-i) > 1 {
					return 0
				}
				return float64(i + j)
			},
			"band": func(i, j int) float64 {
				if max(i-j, j-i) > bandWidth/2 {
					return 0
				}
				return random.At(i, j)
			},
			"corner": func(i, j int) float64 { // nonzero only far from the diagonal
				if max(i-j, j-i) < n-1 {
					return 0
				}
				return 1
			},
			"huge": func(i, j int) float64 { return 1e150 * random.At(i, j) },
			"tiny": func(i, j int) float64 { return 1e-150 * random.At(i, j) },
		}
		for of, element := range matrices {
			a := mat.NewSymDense(n, nil)
			for i := range n {
				for j := range i + 1 {
					a.SetSym(i, j, element(i, j))
				}
			}
			for name, reduce := range reductions {
				t.Run(fmt.Sprint(name, of, n), func(t *testing.T) {
					tri := reduce(clone(a))
					// mat.Norm squares elements, so scale by a power of two first.
					scaled, scale := clone(a), 1.0
					switch of {
					case "huge":
						scale = 0x1p-500
					case "tiny":
						scale = 0x1p500
					}
					scaled.ScaleSym(scale, a)
					blas64.Scal(scale, Vector(tri.d))
					blas64.Scal(scale, Vector(tri.e))
					assertReduces(t, scaled, tri, transposedQ(tri))
				})
			}
		}
	}
}

// The reduction of a matrix with NaN ends, and its result is NaN.
func TestReductionsOfNaN(t *testing.T) {
	for name, reduce := range reductions {
		for _, n := range []int{3, bandWidth + 2, leastReduced + 10} {
			a := randomSymmetric(n, 2)
			a.SetSym(1, n-1, math.NaN())
			tri := reduce(a)
			found := false
			for _, v := range append(tri.d, tri.e...) {
				found = found || math.IsNaN(v)
			}
			assert.True(t, found, "%s, %d rows", name, n)
		}
	}
}

// A submatrix of a larger matrix is reduced like a copy of it.
func TestReductionsOfAPart(t *testing.T) {
	whole := randomSymmetric(3*bandWidth, 4)
	part := whole.SliceSym(2, 2*bandWidth+9).(*mat.SymDense)
	want := clone(part)
	for name, reduce := range reductions {
		tri := reduce(clone(whole).SliceSym(2, 2*bandWidth+9).(*mat.SymDense))
		t.Run(name, func(t *testing.T) { assertReduces(t, want, tri, transposedQ(tri)) })
	}
}

// withQ calls TridiagonalizeWithQ without cancellation.
func withQ(a *mat.SymDense, b *mat.Dense) (*Tridiagonal, *mat.Dense) {
	t, q, err := TridiagonalizeWithQ(context.Background(), a, b)
	if err != nil {
		panic(err)
	}
	return t, q
}

// Results are bit-identical for any number of processors, through the exported functions.
func TestTridiagonalizeOnAnyNumberOfProcessors(t *testing.T) {
	n := leastStaged + bandWidth/2
	a := definite(n, 3)
	tri := must(Tridiagonalize(background, clone(a)))
	b := randomDense(n, 3, 1)
	require.NoError(t, tri.Rotate(background, b))
	formed, q := withQ(clone(a), nil)
	assert.InDeltaSlice(t, must(formed.Values(background)), must(tri.Values(background)), 1e-11*float64(n))
	inverse, err := NewCholesky(background, "A", clone(a))
	require.NoError(t, err)
	diagonal := must(inverse.Inverse(background))

	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, processors := range []int{1, 3} {
		runtime.GOMAXPROCS(processors)
		again := must(Tridiagonalize(background, clone(a)))
		require.Equal(t, tri.d, again.d)
		require.Equal(t, tri.e, again.e)
		c := randomDense(n, 3, 1)
		require.NoError(t, again.Rotate(background, c))
		require.True(t, mat.Equal(b, c))
		_, other := withQ(clone(a), nil)
		require.True(t, mat.Equal(q, other))
		require.True(t, mat.Equal(diagonal, must(inverse.Inverse(background))))
	}
}

func TestTridiagonalizeWithQ(t *testing.T) {
	for _, n := range append(orders, leastFormed-1, leastFormed, 4*formPanel, 4*formPanel+1, 4*formPanel+2, 5*formPanel-1) {
		a := randomSymmetric(n, uint64(n))
		b := randomDense(n, 2, 7)
		rotated := mat.DenseCopyOf(b)
		tri, q := withQ(clone(a), rotated)
		assertReduces(t, a, tri, mat.DenseCopyOf(q.T()))
		var want mat.Dense
		want.Mul(q.T(), b)
		assert.True(t, mat.EqualApprox(&want, rotated, 1e-12), "n=%d", n)
	}
}

func TestShifted(t *testing.T) {
	for _, n := range sizes {
		a := randomSPD(n, uint64(n))
		b := randomDense(n, 2, 7)
		rotated := mat.DenseCopyOf(b)
		tri, q := withQ(clone(a), rotated)
		const lambda = 0.3
		chol, err := NewCholesky(background, "A", plusRidge(a, lambda))
		require.NoError(t, err)
		s, ok := tri.Shift(lambda)
		require.True(t, ok)
		assert.InDelta(t, chol.LogDet(), s.LogDet(), 1e-10*float64(n))
		s.Solve(rotated)
		var got mat.Dense
		got.Mul(q, rotated)
		require.NoError(t, chol.Solve(background, b))
		assert.True(t, mat.EqualApprox(&got, b, 1e-11), "n=%d", n)
		for _, w := range []int{1, 3} {
			diag := make([]float64, n)
			require.NoError(t, s.QuadColumns(context.Background(), w, diag, mat.DenseCopyOf(q.T())))
			assert.InDeltaSlice(t, must(chol.DiagInverse(background)), diag, 1e-11)
		}
		_, ok = tri.Shift(-100)
		assert.False(t, ok)
	}
}

// Eigenvalues scale with the matrix over the full range of numbers, unlike gonum's Dsterf.
func TestTridiagonalValuesOfAnySize(t *testing.T) {
	for name, reduce := range reductions {
		for _, n := range []int{5, leastReduced} {
			a := randomSPD(n, 3)
			want := must(reduce(clone(a)).Values(background))
			for _, exponent := range []int{-450, -350, 350, 450, 490} {
				b := clone(a)
				for i := range n {
					for j := i; j < n; j++ {
						b.SetSym(i, j, math.Ldexp(a.At(i, j), exponent))
					}
				}
				for i, v := range must(reduce(b).Values(background)) {
					assert.InDelta(t, want[i], math.Ldexp(v, -exponent), 1e-10*want[n-1], "%s, %d rows, 2^%d", name, n, exponent)
				}
			}
		}
		assert.Equal(t, []float64{0, 0, 0}, must(reduce(mat.NewSymDense(3, nil)).Values(background)))
		assert.Empty(t, must(reduce(&mat.SymDense{}).Values(background)), name)
	}
}

// Eigenvalues of blocks that are negligible compared with the other blocks are correct. gonum's Dsterf panics on these matrices.
func TestValuesOfTinyParts(t *testing.T) {
	a := mat.NewSymDense(6, nil)
	for i := range 3 {
		for j := range 3 {
			a.SetSym(i, j, 1)
			a.SetSym(3+i, 3+j, 1e-170*float64(1+min(i, j)))
		}
	}
	for _, scale := range []float64{1, 1e-80, 1e-140} {
		b := mat.NewSymDense(6, nil)
		b.ScaleSym(scale, a)
		v := must(must(Tridiagonalize(background, b)).Values(background))
		assert.InEpsilon(t, 3*scale, v[5], 1e-14)
		assert.InDelta(t, 0, v[4]/scale, 1e-14)
	}
}
