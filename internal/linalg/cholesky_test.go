package linalg

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// A kept matrix can be factored repeatedly with other diagonals, even after one that makes it indefinite. The factor agrees with
// NewCholesky's.
func TestTryCholeskyKeeps(t *testing.T) {
	for _, n := range []int{1, 7, 100, 430} { // a matrix of 384 rows or more is factored by panels
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		f, a, want := mat.NewDense(n, n, nil), mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
		f.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, f)
		a.SymOuterK(1/float64(n), f)
		want.CopySym(a)
		require.NoError(t, Keep(background, a))
		for _, ridge := range []float64{.1, -100, 3} {
			require.NoError(t, Restore(background, a))
			other := mat.NewSymDense(n, nil)
			other.CopySym(want)
			for i := range n {
				a.SetSym(i, i, want.At(i, i)+ridge)
				other.SetSym(i, i, want.At(i, i)+ridge)
			}
			require.True(t, mat.Equal(other, a))
			got, ok, err := TryCholesky(background, a)
			require.NoError(t, err)
			require.Equal(t, ridge > 0, ok, "n = %d, ridge %g", n, ridge)
			if ok {
				assert.Zero(t, got.Jitter())
				by, err := NewCholesky(background, "", other)
				require.NoError(t, err)
				assert.Equal(t, by.Packed(), got.Packed())
			}
		}
	}
}
