package shapley

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A rule with n nodes integrates all powers below 2n exactly.
func TestRules(t *testing.T) {
	rules := newRules(200)
	for n := 1; n <= 200; n++ {
		r := rules[n]()
		assert.True(t, slices.IsSorted(r.nodes) && r.nodes[0] > 0 && r.nodes[n-1] < 1)
		for p := range 2 * n {
			sum := 0.0
			for i, x := range r.nodes {
				sum += r.weights[i] * math.Pow(x, float64(p))
			}
			assert.InDelta(t, 1, sum*float64(p+1), 1e-12, "%d nodes, power %d", n, p)
		}
	}
}
