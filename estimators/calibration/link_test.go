package calibration

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// The value at every score f equals that of the max-min formula: the maximum over low ≤ f of the minimum over high ≥ f of the mean
// of the rows with scores from low to high.
func TestStepsAreTheMaxMin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for round := range 20 {
		n := 5 + rng.IntN(30)
		f, at := make([]float64, n), make([]int, n)
		var own []float64
		if round%2 == 1 {
			own = make([]float64, n)
		}
		for i := range f {
			f[i] = math.Floor(8*rng.Float64()) / 4 // with ties
			if rng.Float64() < .5 {
				at[i] = 1
			}
			if own != nil {
				own[i] = .5 + rng.Float64()
			}
		}
		mean := func(low, high float64) float64 { // mean of the rows with scores between low and high
			hits, total := 0.0, 0.0
			for i, v := range f {
				if v >= low && v <= high {
					hits += weights.Weight(own, i) * float64(at[i])
					total += weights.Weight(own, i)
				}
			}
			return hits / total
		}
		total := 2.0
		for i := range f {
			total += weights.Weight(own, i)
		}
		g, least := fitSteps(f, at, 1, own), 1/total
		for _, v := range f {
			want := 0.0
			for _, low := range f {
				if low > v {
					continue
				}
				lowest := 1.0
				for _, high := range f {
					if high >= v {
						lowest = min(lowest, mean(low, high))
					}
				}
				want = max(want, lowest)
			}
			assert.InDelta(t, min(max(want, least), 1-least), g.value(v), 1e-12)
		}
	}
}

// A step function is interpolated linearly between two scores, and constant outside the range of the scores.
func TestStepsBetween(t *testing.T) {
	g := fitSteps([]float64{0, 1, 2, 3}, []int{0, 1, 0, 1}, 1, nil)
	assert.Equal(t, []float64{0, 1, 2, 3}, g.X)
	assert.InDeltaSlice(t, []float64{1. / 6, .5, .5, 5. / 6}, g.P, 1e-15)
	for f, want := range map[float64]float64{-9: 1. / 6, .5: 1. / 3, 1.5: .5, 2.25: .5 + 1./12, 9: 5. / 6} {
		assert.InDelta(t, want, g.value(f), 1e-15, "%g", f)
	}
}

// The labels are drawn with the probabilities exp(a f)/(1 + exp(a f)). Each method recovers these, and a weight of 2 has the same
// effect as repeating the row.
func TestLinksFindWhatIsThere(t *testing.T) {
	const n, slope = 20_000, .4
	rng := rand.New(rand.NewPCG(2, 1))
	f, at := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range at {
		f.Set(i, 1, 6*rng.Float64()-3)
		if rng.Float64() < 1/(1+math.Exp(-slope*f.At(i, 1))) {
			at[i] = 1
		}
	}
	s := scores{decided: f}
	test := mat.NewDense(5, 2, []float64{0, -2.5, 0, -1, 0, 0, 0, 1.2, 0, 2.6})
	for m := Automatic; m <= Isotonic; m++ {
		l, err := s.fit(t.Context(), m, true, at, nil, byClass(at))
		require.NoError(t, err)
		p := l.apply(scores{decided: test})
		for i := range 5 {
			assert.InDelta(t, 1/(1+math.Exp(-slope*test.At(i, 1))), p.At(i, 1), .045, "%v at %g", m, test.At(i, 1))
			assert.InDelta(t, 1, p.At(i, 0)+p.At(i, 1), 1e-12)
		}
		if m == Automatic {
			assert.Less(t, l.method, Isotonic, "fewer numbers give the right error")
		}
	}

	few, twice := s.rows([]int{0, 1, 2, 3, 4, 5, 6, 7}), s.rows([]int{0, 0, 1, 2, 3, 3, 4, 5, 6, 7})
	weighed := []float64{2, 1, 1, 2, 1, 1, 1, 1}
	for m := Platt; m <= Isotonic; m++ {
		a := few.fitOne(m, at[:8], weighed)
		b := twice.fitOne(m, linalg.Pick(at, []int{0, 0, 1, 2, 3, 3, 4, 5, 6, 7}), nil)
		if m == Platt {
			assert.InDelta(t, b.smooth.Slope, a.smooth.Slope, 1e-6)
			assert.InDeltaSlice(t, b.smooth.Offset, a.smooth.Offset, 1e-6)
			continue
		}
		assert.InDeltaSlice(t, b.steps[0].P, a.steps[0].P, 1e-12)
	}
}

// If the true link is a step, which no slope and offset can fit, Automatic chooses Isotonic.
func TestAutomaticTakesSteps(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(3, 1))
	f, at := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range at {
		v := 2*rng.Float64() - 1
		f.Set(i, 1, v)
		if p := .1 + .8*math.Round((v+1)/2); rng.Float64() < p { // a step at 0
			at[i] = 1
		}
	}
	l, err := scores{decided: f}.fit(t.Context(), Automatic, true, at, nil, byClass(at))
	require.NoError(t, err)
	assert.Equal(t, Isotonic, l.method)
}

func byClass(at []int) func(parts int) []int {
	return func(parts int) []int { return dealt(at, 2, parts, 1) }
}
