package vecmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The distances are bit-identical to those of a plain loop, for any length. A distance that is too small, or NaN, is detected at
// any position.
func TestAddNorms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 23 {
		products, norms := make([]float64, n), make([]float64, n)
		for j := range norms {
			norms[j] = 1 + rng.Float64()
			products[j] = -rng.Float64()
		}
		const norm, share = 1.3, 1e-3
		for spoilt := -1; spoilt < n; spoilt++ {
			for _, value := range []float64{math.NaN(), -5, -norm} {
				dst := append([]float64{}, products...)
				if spoilt >= 0 {
					dst[spoilt] = value
					if value == -norm { // a distance of 0
						dst[spoilt] -= norms[spoilt]
					}
				}
				want := append([]float64{}, dst...)
				for j, z := range norms {
					s := norm + z
					want[j] = s + want[j]
				}
				assert.Equal(t, spoilt < 0, AddNorms(dst, norm, norms, share), "%d of %d", spoilt, n)
				assert.Equal(t, floatBitsOf(want), floatBitsOf(dst))
			}
		}
	}
}

// Distances are bit-identical to those of a plain loop, and weighted sums agree up to rounding.
func TestManhattan(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for n := range 23 {
		z, w := make([]float64, n), make([]float64, n)
		for j := range z {
			z[j], w[j] = rng.NormFloat64(), rng.NormFloat64()
		}
		dst, want, sum := append([]float64{}, w...), append([]float64{}, w...), 0.0
		for j, u := range z {
			want[j] += math.Abs(.3 - u)
			sum += w[j] * math.Abs(.3-u)
		}
		AddManhattan(dst, .3, z)
		assert.Equal(t, want, dst)
		assert.InDelta(t, sum, WeighManhattan(w, .3, z), 1e-14)
	}
}

func floatBitsOf(x []float64) []uint64 {
	out := make([]uint64, len(x))
	for i, v := range x {
		out[i] = math.Float64bits(v)
	}
	return out
}

// A value that is not finite is detected at any position. Large values are finite.
func TestFinite(t *testing.T) {
	for n := range 23 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.MaxFloat64
		}
		assert.True(t, Finite(x))
		for i := range x {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				old := x[i]
				x[i] = v
				assert.False(t, Finite(x), "%d of %d", i, n)
				x[i] = old
			}
		}
	}
}
