package conformal

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
)

// noisy draws rows of y = 2x + noise, where x is normal with the given mean. The standard deviation of the noise is 4 where x > 0,
// and 1 elsewhere.
func noisy(rng *rand.Rand, n int, mean float64) (*mat.Dense, []float64) {
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range y {
		v := mean + rng.NormFloat64()
		x.Set(i, 0, v)
		sd := 1.0
		if v > 0 {
			sd = 4
		}
		y[i] = 2*v + sd*rng.NormFloat64()
	}
	return x, y
}

const (
	draws     = 1500
	level     = 0.9
	trainings = 39
	tests     = 3 // number of new rows for each draw; few, because the rows of a draw are dependent
)

// covered returns the share of new rows whose targets are in their intervals, over many draws. It returns the share for all rows
// and for those with x > 0.
func covered(t *testing.T, build func() *Regressor, mean float64) (share, positive float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 11))
	var count, of [2]float64
	for range draws {
		x, y := noisy(rng, trainings, 0)
		r := build()
		require.NoError(t, r.Fit(t.Context(), x, y))
		at, targets := noisy(rng, tests, mean)
		low, high, err := r.PredictInterval(at, level)
		require.NoError(t, err)
		for i, v := range targets {
			within := 0.0
			if low[i] <= v && v <= high[i] {
				within = 1
			}
			count[0], of[0] = count[0]+within, of[0]+1
			if at.At(i, 0) > 0 {
				count[1], of[1] = count[1]+within, of[1]+1
			}
		}
	}
	return count[0] / of[0], count[1] / of[1]
}

// deviation is three times the standard deviation of a share, if the number of independent rows is the number of draws.
var deviation = 3 * math.Sqrt(level*(1-level)/draws)

// The guarantee holds, although the noise is completely different from what the model assumes.
func TestCoverage(t *testing.T) {
	given := func() *Regressor { return &Regressor{Estimator: &ridge.Regressor{Ridge: 1}} }
	for name, c := range map[string]struct {
		build       func(r *Regressor)
		least, most float64
	}{
		"full":        {func(r *Regressor) { r.Method, r.SameRows = Full, true }, level, level + 1.0/(trainings+1)},
		"full, half":  {func(r *Regressor) { r.Method = Full; r.Estimator = &ridge.Regressor{} }, level, level + 1.0/21},
		"split":       {func(r *Regressor) { r.Method = Split }, level, level + 1.0/21},
		"split plain": {func(r *Regressor) { r.Method, r.NoScaling, r.Held = Split, true, 0.25 }, level, level + 1.0/11},
		"min and max": {func(r *Regressor) { r.Method, r.SameRows = JackknifeMinMax, true }, level, 1},
		"jackknife+":  {func(r *Regressor) { r.Method, r.SameRows = JackknifePlus, true }, 2*level - 1, 1},
		"CV+":         {func(r *Regressor) { r.Method = CrossValidation }, 2*level - 1 - math.Sqrt(2.0/trainings), 1},
	} {
		share, _ := covered(t, func() *Regressor { r := given(); c.build(r); return r }, 0)
		assert.GreaterOrEqual(t, share, c.least-deviation, name)
		assert.LessOrEqual(t, share, c.most+deviation, name)
	}
}

// Without groups, the coverage is too low for the half of the rows with much noise. With groups, it is high enough. The coverage is
// also correct under a shift whose likelihood ratio is known.
func TestCoverageOfGroupsAndShifts(t *testing.T) {
	build := func() *Regressor {
		return &Regressor{Estimator: &ridge.Regressor{Ridge: 1}, Method: Full, SameRows: true}
	}
	_, positive := covered(t, build, 0)
	assert.Less(t, positive, level-2*deviation)
	share, positive := covered(t, func() *Regressor {
		r := build()
		r.Group = func(row []float64) int {
			if row[0] > 0 {
				return 1
			}
			return 0
		}
		return r
	}, 0)
	assert.GreaterOrEqual(t, positive, level-deviation)
	assert.GreaterOrEqual(t, share, level-deviation)

	const shift = 1.0
	share, _ = covered(t, build, shift)
	assert.Less(t, share, level-deviation)
	for _, m := range []Method{Full, Split} {
		share, _ = covered(t, func() *Regressor {
			r := build()
			r.Method = m
			r.LikelihoodRatio = func(row []float64) float64 { return math.Exp(shift*row[0] - shift*shift/2) }
			return r
		}, shift)
		assert.GreaterOrEqual(t, share, level-deviation, m)
		assert.Less(t, share, 1.0, m)
	}
}

// If the rank exceeds the number of rows, even by one, the interval is infinite.
func TestTooFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n, finite := range map[int]bool{8: false, 9: true} {
		x, y := noisy(rng, n, 0)
		r := &Regressor{Estimator: &ridge.Regressor{Ridge: 1}, Method: Full, SameRows: true}
		require.NoError(t, r.Fit(t.Context(), x, y))
		low, high, err := r.PredictInterval(x, 0.9)
		require.NoError(t, err)
		for i := range low {
			assert.Equal(t, finite, !math.IsInf(low[i], -1) && !math.IsInf(high[i], 1))
		}
	}
}

// overlapping draws three classes whose means are one or two standard deviations apart. The third class is rare.
func overlapping(rng *rand.Rand, n int) (*mat.Dense, []int) {
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range y {
		y[i] = []int{4, 4, 4, 6, 6, 6, 9}[rng.IntN(7)]
		if i < 12 { // a few rows of each class come first
			y[i] = []int{4, 6, 9}[i%3]
		}
		x.SetRow(i, []float64{float64(y[i]-4)/2 + rng.NormFloat64(), rng.NormFloat64()})
	}
	return x, y
}

func TestCoverageOfSets(t *testing.T) {
	kernel := kernels.RBF{Gamma: 0.3}
	for name, c := range map[string]struct {
		build func(c *Classifier)
		least float64
		most  float64
	}{
		"full":               {func(c *Classifier) { c.Method, c.SameRows = Full, true }, level, 1},
		"jackknife+":         {func(c *Classifier) { c.Method, c.SameRows = JackknifePlus, true }, 2*level - 1, 1},
		"split":              {func(c *Classifier) { c.Method = Split }, level, 0.96},
		"adaptive":           {func(c *Classifier) { c.Method, c.Score = Split, Adaptive }, level, 0.97},
		"adaptive, all":      {func(c *Classifier) { c.Method, c.Score, c.NoRandom = Split, Adaptive, true }, level, 1},
		"regularised":        {func(c *Classifier) { c.Method, c.Score = Split, RegularisedAdaptive }, level, 1},
		"folds":              {func(c *Classifier) { c.Method, c.Folds = CrossValidation, 4 }, 2*level - 1, 1},
		"full, by class":     {func(c *Classifier) { c.Method, c.SameRows, c.ByClass = Full, true, true }, level, 1},
		"split, by class":    {func(c *Classifier) { c.Method, c.ByClass = Split, true }, level, 1},
		"adaptive, by class": {func(c *Classifier) { c.Method, c.Score, c.ByClass = Split, Adaptive, true }, level, 1},
	} {
		rng := rand.New(rand.NewPCG(3, 4))
		const setDraws = 250
		var within, count, rareWithin, rare float64
		for range setDraws {
			x, y := overlapping(rng, 50)
			e := &Classifier{Estimator: &lssvm.Classifier{Kernel: kernel, Ridge: 0.5}}
			c.build(e)
			require.NoError(t, e.Fit(t.Context(), x, y))
			// A draw begins with a few rows of each class, also for the rows to be predicted.
			at, labels := overlapping(rng, 12+7)
			sets, err := e.PredictSet(at, level)
			require.NoError(t, err)
			for i, set := range sets {
				assert.NotEmpty(t, set)
				v := 0.0
				if slices.Contains(set, labels[i]) {
					v = 1
				}
				if labels[i] == 9 {
					rareWithin, rare = rareWithin+v, rare+1
				}
				if i >= 12 {
					within, count = within+v, count+1
				}
			}
		}
		// The new rows of a draw are dependent, so the standard deviation is computed from the number of draws.
		slack := 3 * math.Sqrt(level*(1-level)/setDraws)
		share := within / count
		assert.GreaterOrEqual(t, share, c.least-slack, name)
		assert.LessOrEqual(t, share, c.most+slack/2, name)
		if e := (&Classifier{}); func() bool { c.build(e); return e.ByClass }() {
			assert.GreaterOrEqual(t, rareWithin/rare, level-slack, name)
		}
	}
}

// The same seed results in the same fits and intervals, for any number of workers.
func TestSeeds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x, y := noisy(rng, 60, 0)
	fit := func(seed uint64, workers int) []float64 {
		r := &Regressor{Estimator: &ridge.Regressor{}, Method: Full, Seed: seed, Workers: workers}
		require.NoError(t, r.Fit(t.Context(), x, y))
		low, high, err := r.PredictInterval(x, 0.8)
		require.NoError(t, err)
		return append(low, high...)
	}
	assert.Equal(t, fit(1, 1), fit(1, 4))
	assert.NotEqual(t, fit(1, 1), fit(2, 1))
}
