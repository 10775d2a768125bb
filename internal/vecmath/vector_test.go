//go:build (amd64 || arm64) && !purego

package vecmath

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func floatBits(x []float64) (b []uint64) {
	for _, v := range x {
		b = append(b, math.Float64bits(v))
	}
	return b
}

// The vector loops are bit-identical to the loops in Go, for any position of an argument in its group of four and any length.
func TestVectorLoopsAgreeWithGo(t *testing.T) {
	if !hasVectors {
		t.Skip("no AVX2 here")
	}
	rng := rand.New(rand.NewPCG(4, 4))
	x := append(sincosArguments(), math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, lowest, highest)
	for range 20000 {
		x = append(x, 300*rng.NormFloat64(), -rng.ExpFloat64())
	}
	// A tenth of the arguments are outside the common range, grouped so that most groups of four are not mixed.
	slices.SortFunc(x, func(a, b float64) int {
		if math.Abs(a) < 700 && math.Abs(b) < 700 || math.Abs(a) >= 700 && math.Abs(b) >= 700 {
			return 0
		}
		if math.Abs(a) < 700 {
			return -1
		}
		return 1
	})
	y, z := make([]float64, len(x)), make([]float64, len(x))
	u, v := make([]float64, len(x)), make([]float64, len(x))
	done := expVector(y, -1, x)
	assert.Greater(t, done, 20000, "the vector loop ran")
	done = sincosVector(y, z, x)
	assert.Greater(t, done, 20000, "the vector loop ran")
	for offset := range 9 {
		part := x[offset : len(x)-offset*offset]
		n := len(part)
		Exp(y[:n], -0.9, part)
		expScalar(u[:n], -0.9, part)
		assert.True(t, slices.Equal(floatBits(u[:n]), floatBits(y[:n])), "exp")
		Sincos(y[:n], z[:n], part)
		sincosScalar(u[:n], v[:n], part)
		assert.True(t, slices.Equal(floatBits(u[:n]), floatBits(y[:n])), "sin")
		assert.True(t, slices.Equal(floatBits(v[:n]), floatBits(z[:n])), "cos")
	}
	rng.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	Exp(y, 1, x)
	expScalar(u, 1, x)
	assert.True(t, slices.Equal(floatBits(u), floatBits(y)), "exp, shuffled")
	Sincos(y, z, x)
	sincosScalar(u, v, x)
	assert.True(t, slices.Equal(floatBits(u), floatBits(y)), "sin, shuffled")
	assert.True(t, slices.Equal(floatBits(v), floatBits(z)), "cos, shuffled")
}
