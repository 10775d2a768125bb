package simd

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
	"github.com/kernelearn/kernelearn/internal/testkit/guarded"
)

// most numbers that a slice of a random call has: rows of more than 300, and what is between and behind them.
const mostNumbers = 310*310 + 8

// Random calls of every routine, of any shapes, strides, increments and places in memory, touch nothing beside their slices, leave
// alone what is between their rows and what they only read, and give what gonum's give within 1e-13 of the largest number,
// on each path that this processor has; all but triangular ones the same bits on all paths with vectors.
func TestCampaignProducts(t *testing.T) {
	oneGoroutine(t)
	var arenas []*guarded.Arena
	for range 4 {
		arenas = append(arenas, guarded.NewArena(t, mostNumbers))
	}
	places := guarded.Places()
	campaign.RunTest(t, "simd", 300, func(t *testing.T, rng *rand.Rand) {
		c := randomCall(source{rng})
		want := c.result(gonum.Implementation{})
		var first []uint64
		place := places[rng.IntN(len(places))]
		onPaths(func(path string, vectors bool) {
			what := c.name + ", " + path + ", " + place
			s := make([][]float64, len(c.slices))
			for i := range s {
				s[i] = arenas[i].Put(place, c.slices[i])
			}
			guarded.Run(t, what, func() { c.on(Implementation{}, s) })
			for i := range s {
				if !arenas[i].Intact() {
					t.Fatalf("%s: writes beside slice %d", what, i)
				}
				if i+1 < len(s) && !slices.Equal(bits(c.slices[i]), bits(s[i])) {
					t.Fatalf("%s: writes to slice %d, which it only reads", what, i)
				}
			}
			got := s[len(s)-1]
			near(t, c, got, want)
			if !vectors {
				return
			}
			now := bits(got)
			if first == nil {
				first = now
			}
			if triangular := strings.HasPrefix(c.name, "Dtr") && !strings.HasPrefix(c.name, "Dtrsv"); !triangular && !slices.Equal(first, now) {
				t.Fatalf("%s: other bits than on another path", what)
			}
		})
	})
}
