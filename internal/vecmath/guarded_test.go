package vecmath

import (
	"math/rand/v2"
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/guarded"
)

// No loop reads or writes outside its slices.
func TestNothingBeside(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, side := range guarded.Sides {
		for n := range 20 {
			x := make([]float64, n)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			a, b, c := guarded.Copy(t, side, x), guarded.Copy(t, side, x), guarded.Copy(t, side, x)
			guarded.Run(t, "unreadable "+side, func() {
				Exp(b, -1, a)
				Sincos(b, c, a)
				AddNorms(b, 1, a, .1)
				Finite(a)
				Roots(b, 1, 2, a)
				Quadratics(b, .5, a)
				AddManhattan(b, .5, a)
				WeighManhattan(b, .5, a)
			})
		}
	}
}
