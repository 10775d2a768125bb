package simd

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/guarded"
)

// No routine reads or writes outside its slices.
func TestNothingBeside(t *testing.T) {
	oneGoroutine(t)
	everywhere(t, func(t *testing.T) {
		for seed := range uint64(600) {
			c := randomCall(source{rand.New(rand.NewPCG(seed, 3))})
			want := bits(c.result(Implementation{}))
			for _, side := range guarded.Sides {
				t.Run("", func(t *testing.T) { // the end of the subtest frees the memory
					s := make([][]float64, len(c.slices))
					for i := range s {
						s[i] = guarded.Copy(t, side, c.slices[i])
					}
					guarded.Run(t, c.name+", unreadable "+side, func() { c.on(Implementation{}, s) })
					require.True(t, slices.Equal(want, bits(s[len(s)-1])), c.name)
				})
			}
		}
	})
}
