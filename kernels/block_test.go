package kernels

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func TestRowIsCross(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, z := mat.NewDense(3, 4, nil), mat.NewDense(37, 4, nil)
	for _, m := range []*mat.Dense{x, z} {
		m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, m)
	}
	dst := make([]float64, 37)
	for _, k := range []Kernel{
		RBF{}, RBF{Gamma: 0.3}, Laplacian{}, Matern{}, Linear{}, Polynomial{Degree: 3, Coef0: 1}, ELM{}, Tanh{},
		Sum{RBF{}, Linear{}}, Product{RBF{}, Linear{}}, Scaled{Kernel: RBF{}, Factor: 2}, Normalized{Kernel: Polynomial{Degree: 2, Coef0: 1}},
	} {
		want, err := Cross(context.Background(), k, x, z, nil)
		require.NoError(t, err)
		for i := range 3 {
			Row(dst, k, x.RawRowView(i), z)
			assert.InDeltaSlice(t, want.RawRowView(i), dst, 1e-11, k.String())
		}
	}
	assert.Panics(t, func() { Row(dst[:3], RBF{}, x.RawRowView(0), z) })
	assert.Panics(t, func() { Row(dst, RBF{}, x.RawRowView(0)[:2], z) })
}
