package rowhash

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A different order, number, length or sign of zero changes the hash.
func TestNumbers(t *testing.T) {
	seen := map[uint64][]float64{}
	for _, v := range [][]float64{nil, {0}, {math.Copysign(0, -1)}, {0, 0}, {1, 2}, {2, 1}, {1, 2, 0}, {1, math.Nextafter(2, 3)}, {math.NaN(), 1}, {1, math.NaN()}} {
		h := Numbers(Seed, v)
		assert.NotContains(t, seen, h, "%v", v)
		seen[h] = v
		assert.Equal(t, h, Numbers(Seed, v))
	}
	assert.Equal(t, Numbers(Seed, []float64{1, 2}), Number(Number(Seed, 1), 2))
}
