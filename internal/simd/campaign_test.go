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

// the largest number of elements of a slice in a random call: more than 300 rows, and the padding between and after them
const mostNumbers = 310*310 + 8

// Random calls of every routine, with any shapes, strides, increments and alignment, touch nothing outside their slices. They do
// not change the padding between rows or read-only arguments. They agree with gonum within 1e-13 of the largest number. This holds
// for each code path of the processor. All vector paths are bit-identical, except for triangular routines.
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
				t.Fatalf("%s: different bits on another path", what)
			}
		})
	})
}
