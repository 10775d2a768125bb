package orthogonal

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func TestThinQR(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range [][2]int{{1, 1}, {5, 1}, {7, 4}, {150, 90}, {30, 30}} {
		a := mat.NewDense(c[0], c[1], nil)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		if c[1] > 2 {
			for i := range c[0] {
				a.Set(i, 2, a.At(i, 0)-a.At(i, 1)) // Q stays orthonormal for a rank-deficient matrix
			}
		}
		q := mat.DenseCopyOf(a)
		r, err := ThinQR(t.Context(), q)
		require.NoError(t, err)
		var product, gram mat.Dense
		product.Mul(q, r)
		assert.True(t, mat.EqualApprox(a, &product, 1e-12), "%v", c)
		gram.Mul(q.T(), q)
		assert.True(t, mat.EqualApprox(mat.NewDiagDense(c[1], slices.Repeat([]float64{1}, c[1])), &gram, 1e-12), "%v", c)
		for i := range c[1] {
			for j := range i {
				assert.Equal(t, 0.0, r.At(i, j))
			}
		}
	}
}
