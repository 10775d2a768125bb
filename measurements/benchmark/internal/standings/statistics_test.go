package standings

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The critical values agree with Table 5 of Demšar.
func TestNemenyiAsPublished(t *testing.T) {
	for i, want := range []float64{1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164} {
		assert.InDelta(t, want, nemenyi(i+2), 1e-3, "%d methods", i+2)
	}
	// The values are from qtukey(.95, k, Inf) in R.
	for k, want := range map[int]float64{3: 3.314493, 10: 4.474124, 20: 5.011689, 40: 5.497935, 60: 5.764388} {
		assert.InDelta(t, want, nemenyi(k)*math.Sqrt2, 1e-5, "%d methods", k)
	}
}

// The test agrees with the example of Demšar's section 3.2.2, which has four classifiers and 14 sets.
func TestFriedmanAsPublished(t *testing.T) {
	auc := [][]float64{
		{.763, .768, .771, .798}, {.599, .591, .590, .569}, {.954, .971, .968, .967}, {.628, .661, .654, .657},
		{.882, .888, .886, .898}, {.936, .931, .916, .931}, {.661, .668, .609, .685}, {.583, .583, .563, .625},
		{.775, .838, .866, .875}, {1, 1, 1, 1}, {.940, .962, .965, .962}, {.619, .666, .614, .669},
		{.972, .981, .9751, .975}, {.957, .978, .946, .970},
	}
	var ranks [][]float64
	means := make([]float64, 4)
	for _, row := range auc {
		errors := make([]float64, 4)
		for j, v := range row {
			errors[j] = 1 - v
		}
		r := averageRanks(errors)
		for j, v := range r {
			means[j] += v / 14
		}
		ranks = append(ranks, r)
	}
	assert.InDeltaSlice(t, []float64{3.143, 2.000, 2.893, 1.964}, means, 5e-4)
	f := friedmanTest(ranks)
	// friedman.test of R corrects for ties too. Demšar reports 9.28 without the correction.
	assert.InDelta(t, 10.228346, f.ChiSquared, 1e-6)
	within := 0.0
	for _, r := range ranks {
		for _, v := range r {
			within += (v - 2.5) * (v - 2.5)
		}
	}
	assert.InDelta(t, 9.28, f.ChiSquared*within/(14*5), .01)
	assert.Less(t, f.P, .05)
	assert.InDelta(t, 1.25, CriticalDifference(4, 14), .005)
}

func TestFriedmanWithoutTies(t *testing.T) {
	ranks := [][]float64{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {1, 2, 3}}
	sums := []float64{5, 8, 11}
	want := 0.0
	for _, s := range sums {
		want += s * s
	}
	want = 12./(4*3*4)*want - 3*4*4
	f := friedmanTest(ranks)
	assert.InDelta(t, want, f.ChiSquared, 1e-12)
	assert.InDelta(t, 3*want/(4*2-want), f.F, 1e-12)

	f = friedmanTest([][]float64{{1.5, 1.5}, {1.5, 1.5}})
	assert.Equal(t, friedman{P: 1}, f)
	f = friedmanTest([][]float64{{1, 2}, {1, 2}, {1, 2}})
	assert.Equal(t, 3., f.ChiSquared)
	assert.InDelta(t, .0833, f.P, 1e-4, "that of chi-squared, as F is not defined")
}

func TestAverageRanks(t *testing.T) {
	nan := math.NaN()
	assert.Equal(t, []float64{2, 1, 3}, averageRanks([]float64{5, 2, 7}))
	assert.Equal(t, []float64{1.5, 3, 1.5, 4}, averageRanks([]float64{1, 2, 1, 3}))
	assert.Equal(t, []float64{3.5, 1, 3.5, 2}, averageRanks([]float64{nan, 1, nan, 2}), "missing methods share the worst rank")
	assert.Equal(t, []float64{2, 2, 2}, averageRanks([]float64{nan, nan, nan}))
}

func TestGrowthOf(t *testing.T) {
	rows := []float64{100, 200, 400, 800}
	seconds := make([]float64, 4)
	for i, n := range rows {
		seconds[i] = 3e-7 * math.Pow(n, 2.5)
	}
	p, se := growthOf(rows, seconds)
	assert.InDelta(t, 2.5, p, 1e-12)
	assert.InDelta(t, 0, se, 1e-9)
	seconds[3] *= 2
	p, se = growthOf(rows, seconds)
	// The last of four equidistant points is too high by ln 2.
	assert.InDelta(t, 2.8, p, 1e-12)
	require.Greater(t, se, .1)
}

func TestRangeOfTwoIsADifference(t *testing.T) {
	// |z1 - z2| is √2 times a half-normal variable.
	for _, q := range []float64{.1, 1, 2.7, 5} {
		assert.InDelta(t, math.Erf(q/2), rangeProbability(q, 2), 1e-12)
	}
	assert.InDelta(t, 1, rangeProbability(30, 7), 1e-9)
}
