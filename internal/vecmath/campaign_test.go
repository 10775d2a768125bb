//go:build (amd64 || arm64) && !purego

package vecmath

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
	"github.com/kernelearn/kernelearn/internal/testkit/guarded"
)

// drawn returns an argument of critical size.
func drawn(rng *rand.Rand) float64 {
	switch rng.IntN(12) {
	case 0:
		return math.Float64frombits(rng.Uint64()) // anything
	case 1:
		return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, math.MaxFloat64, lowest, highest}[rng.IntN(9)]
	case 2:
		return math.Exp(60 * rng.NormFloat64())
	}
	return 10 * rng.NormFloat64()
}

// The vector loops, for any length and alignment, access nothing outside their slices. They are bit-identical to the loops in Go,
// and agree with package math within 4 units in the last place for exponentials, sines and cosines.
func TestCampaignVectors(t *testing.T) {
	if !hasVectors {
		t.Skip("no AVX2 here")
	}
	defer func() { hasVectors = true }()
	var arenas []*guarded.Arena
	for range 3 {
		arenas = append(arenas, guarded.NewArena(t, 600))
	}
	places := guarded.Places()
	campaign.RunTest(t, "vecmath", 2000, func(t *testing.T, rng *rand.Rand) {
		n := rng.IntN(24)
		if rng.IntN(16) == 0 {
			n = rng.IntN(600)
		}
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = drawn(rng), drawn(rng)
		}
		a, b := drawn(rng), math.Abs(rng.NormFloat64())
		routine, place := rng.IntN(8), places[rng.IntN(len(places))]
		// call returns the result of a routine and the slices that it writes.
		call := func(name string) (said bool, first, second []float64) {
			s := [][]float64{arenas[0].Put(place, x), arenas[1].Put(place, y), arenas[2].Put(place, y)}
			guarded.Run(t, name, func() {
				switch routine {
				case 0:
					Exp(s[1], a, s[0])
				case 1:
					Sincos(s[1], s[2], s[0])
				case 2:
					said = AddNorms(s[1], a, s[0], b)
				case 3:
					said = Finite(s[0])
				case 4:
					Roots(s[1], a, b, s[0])
				case 5:
					Quadratics(s[1], a, s[0])
				case 6:
					AddManhattan(s[1], a, s[0])
				case 7:
					sum := WeighManhattan(s[1], a, s[0])
					said = sum == sum && math.Float64bits(sum)%2 == 0
				}
			})
			for k := range s {
				if !arenas[k].Intact() {
					t.Fatalf("routine %d on %d numbers, %s, %s: writes beside slice %d", routine, n, name, place, k)
				}
			}
			if !slices.Equal(bitsOf(s[0]), bitsOf(x)) {
				t.Fatalf("routine %d, %s: writes to an input", routine, name)
			}
			return said, slices.Clone(s[1]), slices.Clone(s[2])
		}
		hasVectors = true
		said, first, second := call("vectors")
		hasVectors = false
		saidPlain, firstPlain, secondPlain := call("no vectors")
		if said != saidPlain || !slices.Equal(bitsOf(first), bitsOf(firstPlain)) || !slices.Equal(bitsOf(second), bitsOf(secondPlain)) {
			t.Fatalf("routine %d of %g, %g, %v, %v: %v %v %v with vectors, %v %v %v without", routine, a, b, x, y, said, first, second, saidPlain, firstPlain, secondPlain)
		}
		for i, v := range x {
			switch routine {
			case 0:
				want := math.Exp(a * v)
				if a*v > 709 { // math.Exp on amd64 already overflows above 709.44
					want = math.Exp(a*v-10) * math.Exp(10)
				}
				nearby(t, "exp", a*v, first[i], want)
			case 1:
				nearby(t, "sin", v, first[i], math.Sin(v))
				nearby(t, "cos", v, second[i], math.Cos(v))
			case 4:
				nearby(t, "root", v, first[i], math.Sqrt(min(a*v, b)))
			}
		}
		if routine == 3 {
			want := !slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 })
			if said != want {
				t.Fatalf("Finite(%v) = %v", x, said)
			}
		}
	})
}

// nearby fails unless got is within 4 units in the last place of want, or both are NaN. Near the zeros of sines, package math
// itself has an error of several 1e-16.
func nearby(t *testing.T, of string, x, got, want float64) {
	t.Helper()
	if math.IsNaN(got) && math.IsNaN(want) || got == want {
		return
	}
	unit := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
	slack := 0.0
	if of == "sin" || of == "cos" {
		slack = 3e-16
	}
	if !(math.Abs(got-want) <= 4*unit+slack) {
		t.Fatalf("%s of %g is %g, want %g", of, x, got, want)
	}
}
