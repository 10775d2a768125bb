package openblas

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
	blasnetlib "gonum.org/v1/netlib/blas/netlib"
)

func TestImportRegisters(t *testing.T) {
	assert.IsType(t, blasnetlib.Implementation{}, blas64.Implementation())
}

// The routines of BLAS and LAPACK that the library uses give the same results as gonum's.
func TestAgreesWithGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 150
	x := mat.NewDense(n, n, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)

	var product mat.Dense
	product.Mul(x, x.T())
	want := mat.NewDense(n, n, nil)
	a := x.RawMatrix()
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, n, n, n, 1, a.Data, n, a.Data, n, 0, want.RawMatrix().Data, n)
	assert.True(t, mat.EqualApprox(want, &product, 1e-12))

	symmetric := mat.NewSymDense(n, nil)
	symmetric.SymOuterK(1, x)
	var c mat.Cholesky
	require.True(t, c.Factorize(symmetric))
	var back mat.SymDense
	c.ToSym(&back)
	assert.True(t, mat.EqualApprox(want, &back, 1e-11))

	var e mat.EigenSym
	require.True(t, e.Factorize(symmetric, true))
	trace := 0.0
	for _, v := range e.Values(nil) {
		trace += v
	}
	assert.InEpsilon(t, mat.Trace(symmetric), trace, 1e-12)
}
