package drift

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waves returns two samples for which scipy's results are known.
func waves() (x, y []float64) {
	for i := 1; i <= 40; i++ {
		x = append(x, math.Sin(float64(i)))
	}
	for i := 1; i <= 60; i++ {
		y = append(y, 1.1*math.Sin(2.3*float64(i))+0.35)
	}
	return x, y
}

// The statistics and p-values agree with scipy 1.17: ks_2samp(method="exact") and special.kolmogorov.
func TestKolmogorovSmirnovIsThatOfScipy(t *testing.T) {
	d, p := kolmogorovSmirnov([]float64{0.61, -1.2, 2.05, 0.33, 1.91, -0.48, 0.07}, []float64{1.4, 2.2, 0.9, 3.1, 0.5, 2.7, 1.05, -0.2, 1.77})
	assert.InDelta(t, 0.49206349206349204, d, 1e-15)
	assert.InDelta(t, 0.21765734265734266, p, 1e-13)
	x, y := waves()
	d, p = kolmogorovSmirnov(x, y)
	assert.InDelta(t, 0.3, d, 1e-15)
	assert.InDelta(t, 0.02254577544638676, p, 1e-13)
	for i := range y {
		y[i] += 5
	}
	d, p = kolmogorovSmirnov(x, y)
	assert.Equal(t, 1.0, d)
	assert.InEpsilon(t, 1.4549439350345037e-28, p, 1e-10, "a tail without cancellation")
	for at, want := range map[float64]float64{
		0.15: 1, 0.3: 0.9999906941986655, 0.5: 0.9639452436648751, 1: 0.26999967167735456, 1.5: 0.022217962616525127,
		2.5: 7.453306344157342e-06, 4: 2.532833109818835e-14,
	} {
		assert.InEpsilon(t, want, kolmogorov(at), 1e-12, at)
	}
}

// difference computes the Kolmogorov-Smirnov statistic D from its definition. Gaps count as less than all numbers.
func difference(x, y []float64) float64 {
	share := func(of []float64, at float64) float64 {
		count := 0.0
		for _, v := range of {
			if math.IsNaN(v) || v <= at {
				count++
			}
		}
		return count / float64(len(of))
	}
	most := 0.0
	for _, at := range append(append([]float64{math.Inf(-1)}, x...), y...) {
		if !math.IsNaN(at) {
			most = max(most, math.Abs(share(x, at)-share(y, at)))
		}
	}
	return most
}

// divisions calls f with each division of the values into a first sample of m values and a second sample of the others.
func divisions(values []float64, m int, f func(x, y []float64)) {
	for chosen := range uint(1) << len(values) {
		if bits.OnesCount(chosen) != m {
			continue
		}
		var x, y []float64
		for i, v := range values {
			if chosen>>i&1 == 1 {
				x = append(x, v)
			} else {
				y = append(y, v)
			}
		}
		f(x, y)
	}
}

// With ties and gaps, the p-value is the fraction of all divisions of the rows with a statistic at least as large.
func TestKolmogorovSmirnovWithTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		m, n := 2+rng.IntN(5), 2+rng.IntN(6)
		values := make([]float64, m+n)
		for i := range values {
			if values[i] = float64(rng.IntN(4)); rng.IntN(6) == 0 {
				values[i] = math.NaN()
			}
		}
		want := difference(values[:m], values[m:])
		asLarge, all := 0.0, 0.0
		divisions(values, m, func(x, y []float64) {
			all++
			if difference(x, y) >= want-1e-12 {
				asLarge++
			}
		})
		d, p := kolmogorovSmirnov(append([]float64{}, values[:m]...), append([]float64{}, values[m:]...))
		assert.InDelta(t, want, d, 1e-14)
		assert.InDelta(t, asLarge/all, p, 1e-12, "%v", values)
	}
}

func repeated(counts ...int) (out []float64) {
	for level, count := range counts {
		for range count {
			out = append(out, float64(level))
		}
	}
	return out
}

// The statistics and p-values agree with scipy 1.17: chi2_contingency(correction=False).
func TestChiSquaredIsThatOfScipy(t *testing.T) {
	s := &samples{Options: Options{Permutations: 9}}
	statistic, p := s.chiSquared(countLevels(repeated(30, 50, 20), repeated(45, 40, 35)), 0)
	assert.InDelta(t, 6.43703703703704, statistic, 1e-12)
	assert.InDelta(t, 0.04001429480764793, p, 1e-12)
	statistic, p = s.chiSquared(countLevels(repeated(3), repeated(4)), 0)
	assert.Zero(t, statistic)
	assert.Equal(t, 1.0, p)
}

// For few rows the p-value agrees with the fraction of all divisions with a statistic at least as large, within five binomial
// standard deviations.
func TestChiSquaredOfFewRows(t *testing.T) {
	x, y := append(repeated(4, 1, 0), math.NaN()), append(repeated(1, 3, 2), math.NaN())
	statisticOf := func(x, y []float64) float64 {
		c := countLevels(x, y)
		// By definition the statistic is Σ (observed - expected)² / expected over both samples.
		sum, all := 0.0, float64(len(c.levels))
		for level, count := range c.of {
			for sample, observed := range []int{c.ofFirst[level], count - c.ofFirst[level]} {
				expected := float64(count) * float64([]int{len(x), len(y)}[sample]) / all
				sum += (float64(observed) - expected) * (float64(observed) - expected) / expected
			}
		}
		return sum
	}
	want := statisticOf(x, y)
	asLarge, all := 0.0, 0.0
	divisions(append(append([]float64{}, x...), y...), len(x), func(x, y []float64) {
		all++
		if statisticOf(x, y) >= want-1e-9 {
			asLarge++
		}
	})
	s := &samples{Options: Options{Permutations: 20000}}
	statistic, p := s.chiSquared(countLevels(x, y), 0)
	assert.InDelta(t, want, statistic, 1e-12)
	share := asLarge / all
	assert.InDelta(t, share, p, 5*math.Sqrt(share*(1-share)/20000))
	require.Greater(t, share, 0.01)
}

// If there are many rows, rare levels are combined into one.
func TestRareLevelsOfManyRows(t *testing.T) {
	x, y := repeated(60000, 1, 1, 2, 1, 1), repeated(60000, 2, 1, 0, 2, 1, 2)
	s := &samples{Options: Options{Permutations: 1}}
	statistic, p := s.chiSquared(countLevels(x, y), 0)
	want := countLevels(repeated(60000, 6), repeated(60000, 8))
	assert.InDelta(t, want.statistic(want.ofFirst), statistic, 1e-12)
	assert.Greater(t, p, 0.5)
}

func TestAdjust(t *testing.T) {
	columns := []Column{{P: 0.03}, {P: 0.01}, {P: 0.04}, {P: 0.005}}
	adjust(columns)
	var got []float64
	for _, c := range columns {
		got = append(got, c.AdjustedP)
	}
	assert.InDeltaSlice(t, []float64{0.06, 0.03, 0.06, 0.02}, got, 1e-15) // by hand: 0.02, 0.03, 0.06, and 0.04 raised to 0.06
}
