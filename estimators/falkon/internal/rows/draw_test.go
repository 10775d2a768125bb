package rows

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Rows are drawn without replacement, and all rows are equally likely.
func TestDrawnRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	counts := make([]float64, 10)
	const trials = 20000
	for range trials {
		seen := map[int]bool{}
		for _, i := range DrawnRows(10, 4, rng) {
			assert.False(t, seen[i])
			seen[i] = true
			counts[i]++
		}
	}
	for _, c := range counts {
		assert.InDelta(t, .4, c/trials, .02)
	}
	assert.Len(t, DrawnRows(7, 7, rng), 7)

	first := make([]float64, 3)
	for range trials {
		first[WeightedDraw([]float64{1, 2, 5}, 1, rng)[0]]++
	}
	assert.InDeltaSlice(t, []float64{1. / 8, 2. / 8, 5. / 8}, []float64{first[0] / trials, first[1] / trials, first[2] / trials}, .02)
}
