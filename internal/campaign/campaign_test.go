package campaign

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Inputs are those of seeds that count up, so many, or in a campaign until its time is over.
func TestRun(t *testing.T) {
	t.Setenv(Variable, "")
	var first []uint64
	for _, seed := range []string{"", "2"} {
		t.Setenv(SeedVariable, seed)
		var drawn []uint64
		Run(t, "test", 5, func(_ *testing.T, rng *rand.Rand) { drawn = append(drawn, rng.Uint64()) })
		assert.Len(t, drawn, 5)
		if seed == "" {
			first = drawn
		} else {
			assert.Equal(t, first[2:], drawn[:3])
		}
	}
	t.Setenv(Variable, "20ms")
	calls := 0
	Run(t, "test", 1, func(*testing.T, *rand.Rand) { calls++ })
	assert.Greater(t, calls, 1)
}
