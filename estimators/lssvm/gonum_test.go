package lssvm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// After a fit in the same program, gonum returns bit-identical results to its own implementation, which is still registered.
func TestGonumIsLeftAlone(t *testing.T) {
	if _, plain := blas64.Implementation().(gonum.Implementation); !plain {
		t.Skip("another BLAS is registered")
	}
	const n = 150
	rng := rand.New(rand.NewPCG(1, 9))
	a, y := mat.NewDense(n, n, nil), make([]float64, n)
	a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
	for i := range y {
		y[i] = a.At(i, 0)
	}
	require.NoError(t, new(Regressor).Fit(t.Context(), a, y))
	var got mat.Dense
	got.Mul(a, a.T())
	want := make([]float64, n*n)
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, n, n, n, 1, a.RawMatrix().Data, n, a.RawMatrix().Data, n, 0, want, n)
	assert.Equal(t, want, got.RawMatrix().Data)
	assert.IsType(t, gonum.Implementation{}, blas64.Implementation())
}
