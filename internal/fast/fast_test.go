package fast

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/simd"
)

// counting is a third-party BLAS that counts its calls.
type counting struct {
	gonum.Implementation
	calls *int
}

func (c counting) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c2 []float64, ldc int) {
	*c.calls++
	c.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c2, ldc)
}

func random(rng *rand.Rand, r, c int) *mat.Dense {
	out := mat.NewDense(r, c, nil)
	out.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, out)
	return out
}

// A third-party BLAS that is registered is used and stays registered. If gonum's own BLAS is registered, package simd replaces it.
func TestImplementation(t *testing.T) {
	was := blas64.Implementation()
	defer blas64.Use(was)
	blas64.Use(gonum.Implementation{})
	if simd.Available() {
		assert.IsType(t, simd.Implementation{}, choose(""))
	} else {
		assert.IsType(t, gonum.Implementation{}, choose(""))
	}
	assert.IsType(t, gonum.Implementation{}, choose("off"))
	assert.Equal(t, choose(os.Getenv(Variable)), Implementation())
	a := random(rand.New(rand.NewPCG(1, 1)), 40, 40)
	var dst mat.Dense
	Mul(&dst, a, a)
	assert.IsType(t, gonum.Implementation{}, blas64.Implementation())

	calls := 0
	blas64.Use(counting{calls: &calls})
	Mul(&dst, a, a)
	assert.Equal(t, 1, calls)
}

// Each function agrees with gonum's function of the same name, up to rounding.
func TestLikeGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	near := func(want, got []float64) {
		t.Helper()
		assert.InDeltaSlice(t, want, got, 1e-11)
	}
	for _, n := range []int{1, 3, 17, 60} {
		m, k := n+2, n+5
		for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				a, b := random(rng, m, k), random(rng, k, n)
				if tA == blas.Trans {
					a = random(rng, k, m)
				}
				if tB == blas.Trans {
					b = random(rng, n, k)
				}
				c := random(rng, m, n)
				d := mat.DenseCopyOf(c)
				blas64.Gemm(tA, tB, .5, a.RawMatrix(), b.RawMatrix(), 2, c.RawMatrix())
				Gemm(tA, tB, .5, a.RawMatrix(), b.RawMatrix(), 2, d.RawMatrix())
				near(c.RawMatrix().Data, d.RawMatrix().Data)
			}
		}
		square := random(rng, n, n)
		for i := range n {
			square.Set(i, i, 3+float64(n))
		}
		symmetric := blas64.Symmetric{N: n, Stride: n, Data: square.RawMatrix().Data, Uplo: blas.Upper}
		triangle := blas64.Triangular{N: n, Stride: n, Data: square.RawMatrix().Data, Uplo: blas.Upper, Diag: blas.NonUnit}
		wide := random(rng, n, m)
		vector := func(data []float64) blas64.Vector { return blas64.Vector{N: n, Inc: 1, Data: data[:n]} }
		both := func(f, g func(c *mat.Dense)) {
			t.Helper()
			c := random(rng, n, m)
			d := mat.DenseCopyOf(c)
			f(c)
			g(d)
			near(c.RawMatrix().Data, d.RawMatrix().Data)
		}
		x := vector(random(rng, n, 1).RawMatrix().Data)
		both(func(c *mat.Dense) { blas64.Symm(blas.Left, .5, symmetric, wide.RawMatrix(), 2, c.RawMatrix()) },
			func(c *mat.Dense) { Symm(blas.Left, .5, symmetric, wide.RawMatrix(), 2, c.RawMatrix()) })
		both(func(c *mat.Dense) { blas64.Trmm(blas.Left, blas.Trans, .5, triangle, c.RawMatrix()) },
			func(c *mat.Dense) { Trmm(blas.Left, blas.Trans, .5, triangle, c.RawMatrix()) })
		both(func(c *mat.Dense) { blas64.Trsm(blas.Left, blas.NoTrans, .5, triangle, c.RawMatrix()) },
			func(c *mat.Dense) { Trsm(blas.Left, blas.NoTrans, .5, triangle, c.RawMatrix()) })
		both(func(c *mat.Dense) {
			blas64.Syrk(blas.NoTrans, .5, wide.RawMatrix(), 2, blas64.Symmetric{N: n, Stride: m, Data: c.RawMatrix().Data, Uplo: blas.Upper})
		}, func(c *mat.Dense) {
			Syrk(blas.NoTrans, .5, wide.RawMatrix(), 2, blas64.Symmetric{N: n, Stride: m, Data: c.RawMatrix().Data, Uplo: blas.Upper})
		})
		both(func(c *mat.Dense) {
			blas64.Syr2(.5, x, vector(wide.RawRowView(0)), blas64.Symmetric{N: n, Stride: m, Data: c.RawMatrix().Data, Uplo: blas.Upper})
		}, func(c *mat.Dense) {
			Syr2(.5, x, vector(wide.RawRowView(0)), blas64.Symmetric{N: n, Stride: m, Data: c.RawMatrix().Data, Uplo: blas.Upper})
		})
		for name, pair := range map[string][2]func(y blas64.Vector){
			"Gemv": {func(y blas64.Vector) { blas64.Gemv(blas.Trans, .5, square.RawMatrix(), x, 2, y) },
				func(y blas64.Vector) { Gemv(blas.Trans, .5, square.RawMatrix(), x, 2, y) }},
			"Symv": {func(y blas64.Vector) { blas64.Symv(.5, symmetric, x, 2, y) }, func(y blas64.Vector) { Symv(.5, symmetric, x, 2, y) }},
			"Trsv": {func(y blas64.Vector) { blas64.Trsv(blas.Trans, triangle, y) }, func(y blas64.Vector) { Trsv(blas.Trans, triangle, y) }},
			"Trmv": {func(y blas64.Vector) { blas64.Trmv(blas.Trans, triangle, y) }, func(y blas64.Vector) { Trmv(blas.Trans, triangle, y) }},
			"Axpy": {func(y blas64.Vector) { blas64.Axpy(.5, x, y) }, func(y blas64.Vector) { Axpy(.5, x, y) }},
			"Scal": {func(y blas64.Vector) { blas64.Scal(.5, y) }, func(y blas64.Vector) { Scal(.5, y) }},
		} {
			y := random(rng, n, 1).RawMatrix().Data
			z := append([]float64(nil), y...)
			pair[0](vector(y))
			pair[1](vector(z))
			assert.InDeltaSlice(t, y, z, 1e-11, name)
		}
		y := vector(wide.RawRowView(0))
		assert.InDelta(t, blas64.Dot(x, y), Dot(x, y), 1e-12)
		assert.InDelta(t, blas64.Nrm2(x), Nrm2(x), 1e-12)
	}
	assert.Panics(t, func() {
		Dot(blas64.Vector{N: 1, Inc: 1, Data: []float64{1}}, blas64.Vector{N: 2, Inc: 1, Data: []float64{1, 2}})
	})
	assert.Panics(t, func() {
		Axpy(1, blas64.Vector{N: 1, Inc: 1, Data: []float64{1}}, blas64.Vector{N: 2, Inc: 1, Data: []float64{1, 2}})
	})
}

// Products agree with those of package mat for all kinds of factors.
func TestLikeMat(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	a, b, v := random(rng, 7, 5), random(rng, 5, 9), mat.NewVecDense(5, random(rng, 5, 1).RawMatrix().Data)
	symmetric := mat.NewSymDense(5, nil)
	symmetric.SymOuterK(1, b)
	big := random(rng, 12, 12)
	window := big.Slice(1, 8, 2, 7).(*mat.Dense) // a 7×5 view of a wider matrix
	for _, c := range [][2]mat.Matrix{{a, b}, {b.T(), a.T()}, {a.T(), window}, {window, b}, {a, v}, {a, symmetric}} {
		var want, got mat.Dense
		want.Mul(c[0], c[1])
		Mul(&got, c[0], c[1])
		assert.True(t, mat.EqualApprox(&want, &got, 1e-12))
		within := random(rng, 20, 20)
		r, columns := want.Dims()
		part := within.Slice(2, 2+r, 3, 3+columns).(*mat.Dense)
		corner := within.At(1, 1)
		Mul(part, c[0], c[1])
		assert.True(t, mat.EqualApprox(&want, part, 1e-12))
		assert.Equal(t, corner, within.At(1, 1))
	}
	assert.Panics(t, func() { Mul(&mat.Dense{}, a, a) })
	assert.Panics(t, func() { Mul(mat.NewDense(2, 2, nil), a, b) })
	for _, m := range []mat.Matrix{a, b.T(), window, symmetric, mat.NewDiagDense(5, []float64{1, 2, 3, 4, 5})} {
		var want, got mat.VecDense
		want.MulVec(m, v)
		MulVec(&got, m, v)
		assert.True(t, mat.EqualApprox(&want, &got, 1e-12))
	}
	assert.Panics(t, func() { MulVec(&mat.VecDense{}, b, v) })
	for _, m := range []mat.Matrix{a, a.T(), window, symmetric} {
		var want, got mat.SymDense
		want.SymOuterK(2, m)
		SymOuterK(&got, 2, m)
		assert.True(t, mat.EqualApprox(&want, &got, 1e-11))
	}
	assert.Panics(t, func() { SymOuterK(mat.NewSymDense(2, nil), 1, a) })
	for _, m := range []mat.Matrix{b, b.T().(mat.Transpose).Matrix, symmetric} {
		want, got := mat.NewSymDense(5, nil), mat.NewSymDense(5, nil)
		want.CopySym(symmetric)
		got.CopySym(symmetric)
		want.SymRankK(want, 2, m)
		AddOuterK(got, 2, m)
		assert.True(t, mat.EqualApprox(want, got, 1e-11))
	}
	assert.Panics(t, func() { AddOuterK(mat.NewSymDense(2, nil), 1, a) })
}
