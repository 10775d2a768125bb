package families_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
)

func TestFamilies(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(20, 3, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	m, err := kernels.MedianSquaredDistance(ctx, x, 0)
	require.NoError(t, err)
	s, err := families.RBF{}.Start(ctx, x)
	require.NoError(t, err)
	assert.Equal(t, 1/m, s)
	assert.Equal(t, families.Polynomial{}.Kernel(3).String(), families.Polynomial{}.Kernel(3.4).String())
	assert.InDelta(t, math.Pow(1.6/2, 7), families.Polynomial{}.Kernel(7).Eval([]float64{1, 0}, []float64{0.6, 0.8}), 1e-15)
	assert.Equal(t, kernels.Matern{Nu: 2.5, Length: 0.25}, families.Matern{Nu: 2.5}.Kernel(4))
}
