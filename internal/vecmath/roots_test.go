package vecmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Roots and Quadratics are bit-identical to plain loops, for any length, including limits and NaN.
func TestRootsAndQuadratics(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for n := range 23 {
		x, e := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], e[i] = rng.ExpFloat64(), rng.Float64()
			switch rng.IntN(8) {
			case 0:
				x[i] = math.Inf(1)
			case 1:
				x[i] = math.NaN()
			case 2:
				x[i] = 0
			case 3:
				x[i] = 1e200
			}
		}
		roots, values := make([]float64, n), make([]float64, n)
		for i, v := range x {
			roots[i] = math.Sqrt(min(.7*v, 1e100))
			values[i] = (float64((float64(roots[i]*.3)+1)*roots[i]) + 1) * e[i]
		}
		got := make([]float64, n)
		Roots(got, .7, 1e100, x)
		assert.Equal(t, bitsOf(roots), bitsOf(got))
		Roots(x, .7, 1e100, x)
		assert.Equal(t, bitsOf(roots), bitsOf(x), "in place")
		Quadratics(got, .3, e)
		assert.Equal(t, bitsOf(values), bitsOf(got))
	}
}

// bitsOf returns the bits of numbers, with the same bits for all NaN.
func bitsOf(x []float64) []uint64 {
	out := floatBitsOf(x)
	for i, v := range x {
		if v != v {
			out[i] = floatBitsOf([]float64{math.NaN()})[0]
		}
	}
	return out
}
