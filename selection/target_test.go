package selection

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
)

// prices draws rows whose target is lognormal around a wave of one column.
func prices(n int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 11))
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range y {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		y[i] = 1000 * math.Exp(math.Sin(2*a)+.5*rng.NormFloat64())
	}
	return x, y
}

// For lognormal targets the logarithm is chosen. Targets are outside the intervals equally often on both sides, and predictions are
// means of the targets.
func TestTargetsThatAreSkewed(t *testing.T) {
	x, y := prices(300, 1)
	xNew, yNew := prices(3000, 2)
	r, plain := &Regressor{}, &Regressor{Target: PlainTarget}
	require.NoError(t, r.Fit(ctx, x, y))
	require.NoError(t, plain.Fit(ctx, x, y))
	for _, m := range r.Models() {
		assert.Contains(t, m.Columns, ", logarithm of targets")
		assert.Equal(t, LogTarget, m.Target)
	}
	sides := func(r *Regressor) (below, above float64) {
		low, high, err := r.PredictInterval(xNew, .9)
		require.NoError(t, err)
		for i, v := range yNew {
			if v < low[i] {
				below++
			}
			if v > high[i] {
				above++
			}
		}
		return below / float64(len(yNew)), above / float64(len(yNew))
	}
	below, above := sides(r)
	assert.InDelta(t, .05, below, .02)
	assert.InDelta(t, .05, above, .02)
	below, above = sides(plain)
	assert.Less(t, below, .03, "as of targets that are symmetric")
	assert.Greater(t, above, 1.5*below)
	assert.LessOrEqual(t, nmse(t, r, xNew, yNew), nmse(t, plain, xNew, yNew))

	p, err := r.Predict(xNew)
	require.NoError(t, err)
	assert.InEpsilon(t, stat.Mean(yNew, nil), stat.Mean(p, nil), .05, "not the median, which is 12% less")
	mean, variance, err := r.PredictVariance(xNew)
	require.NoError(t, err)
	assert.InDeltaSlice(t, p, mean, 1e-9*1000)
	scaled := make([]float64, len(yNew))
	for i, v := range yNew {
		scaled[i] = (v - mean[i]) * (v - mean[i]) / variance[i]
	}
	assert.InDelta(t, 1, stat.Mean(scaled, nil), .25)

	data, err := r.MarshalBinary()
	require.NoError(t, err)
	read := &Regressor{}
	require.NoError(t, read.UnmarshalBinary(data))
	again, wide, err := read.PredictVariance(xNew)
	require.NoError(t, err)
	assert.InDeltaSlice(t, mean, again, 1e-6)
	assert.InEpsilonSlice(t, variance, wide, 1e-9)
	assert.ErrorIs(t, (&Regressor{Target: PlainTarget}).UnmarshalBinary(data), estimators.ErrBadModel)

	some := xNew.Slice(0, 20, 0, 2)
	g, input := graph.New(2)
	outputs, err := r.Graph(input)
	require.NoError(t, err)
	of, err := outputs.Variance()
	require.NoError(t, err)
	values, err := g.Run(some, outputs.Mean, of)
	require.NoError(t, err)
	assert.InDeltaSlice(t, mean[:20], mat.Col(nil, 0, values[0]), 1e-6*1000)
	assert.InEpsilonSlice(t, variance[:20], mat.Col(nil, 0, values[1]), 1e-6)

	// The trace contains the model of the plain targets, and an interrupted search resumes from its rows.
	rows, err := json.Marshal(allRows(r.Result()))
	require.NoError(t, err)
	resumed := &Regressor{}
	require.NoError(t, json.Unmarshal(rows, &resumed.Resume))
	require.NoError(t, resumed.Fit(ctx, x, y))
	assert.Equal(t, ofAllWays(t, r.Result()), ofAllWays(t, resumed.Result()))
}

// Symmetric targets are not transformed. The same holds for counts, and for targets of 0 and 1, whose density would depend only on
// the distances between them.
func TestTargetsThatStay(t *testing.T) {
	x, y := prices(150, 3)
	for name, of := range map[string]func(v float64) float64{
		"normal": math.Log,
		"0 or 1": func(v float64) float64 { return math.Min(1, math.Floor(v/1000)) },
		"counts": func(v float64) float64 { return math.Floor(math.Log(v / 50)) },
	} {
		z := make([]float64, len(y))
		for i, v := range y {
			z[i] = of(v)
		}
		r := &Regressor{}
		require.NoError(t, r.Fit(ctx, x, z), name)
		for _, o := range append(r.Result().Others, r.Result()) {
			assert.NotContains(t, o.Columns, "targets", name)
		}
	}
}

func TestTargetsOfOnesOwn(t *testing.T) {
	x, y := prices(120, 4)
	xNew, yNew := prices(500, 5)
	for _, target := range []Target{LogTarget, PowerTarget} {
		for _, single := range []bool{false, true} {
			r := &Regressor{Target: target, SingleModel: single}
			require.NoError(t, r.Fit(ctx, x, y))
			assert.Less(t, nmse(t, r, xNew, yNew), .7, "%v", target)
			assert.Contains(t, r.Result().Columns, "of targets")
			assert.Len(t, append(r.Result().Others, r.Result()), 5, "the plain targets are not tried")
		}
	}
	// This holds for any number of rows, and with groups.
	groups := make([]int, len(y))
	for i := range groups {
		groups[i] = i / 4
	}
	r := &Regressor{Target: LogTarget, Groups: groups}
	require.NoError(t, r.Fit(ctx, x, y))
	p, err := r.Predict(xNew)
	require.NoError(t, err)
	assert.InEpsilon(t, stat.Mean(yNew, nil), stat.Mean(p, nil), .1)
	many, of := prices(5500, 1)
	r = &Regressor{Target: LogTarget}
	require.NoError(t, r.Fit(ctx, many, of))
	p, err = r.Predict(xNew)
	require.NoError(t, err)
	assert.InEpsilon(t, stat.Mean(yNew, nil), stat.Mean(p, nil), .1)

	y[3] = 0
	err = (&Regressor{Target: LogTarget}).Fit(ctx, x, y)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "Target = LogTarget, want targets that are all > 0")
	err = (&Regressor{Target: LogTarget, Search: &entropy.Search{}}).Fit(ctx, x, y)
	require.ErrorIs(t, err, estimators.ErrParam)
	err = (&Regressor{Target: 9}).Fit(ctx, x, y)
	assert.ErrorContains(t, err, "Target = 9, want AutomaticTarget,")
}

// A prediction is within the range of the targets, extended by the length of that range on both sides. This also holds if the mean
// of a power is infinite.
func TestTargetsFarAway(t *testing.T) {
	x, y := prices(60, 6)
	r := &Regressor{Target: PowerTarget}
	require.NoError(t, r.Fit(ctx, x, y))
	spread := floats.Max(y) - floats.Min(y)
	far := mat.NewDense(2, 2, []float64{1e6, -1e6, -50, 50})
	low, high, err := r.PredictInterval(far, .999999)
	require.NoError(t, err)
	for i := range low {
		assert.GreaterOrEqual(t, low[i], floats.Min(y)-spread)
		assert.LessOrEqual(t, high[i], floats.Max(y)+spread)
	}
}

// The search with the plain targets receives its part of a budget, also if a transformation is chosen.
func TestBudgetOfTargets(t *testing.T) {
	x, y := prices(200, 1)
	clock := &ticker{}
	r := &Regressor{Budget: 12 * time.Second, Observe: clock.tick, now: clock.now}
	require.NoError(t, r.Fit(ctx, x, y))
	all := append(r.Result().Others, r.Result())
	evaluations := 0
	for _, o := range all {
		evaluations += len(o.Trace)
	}
	require.Len(t, all, 6)
	assert.LessOrEqual(t, evaluations, 12, "of a second each")
}

// TestDraftTarget tests that a draft chooses a transformation whose gain in density is smaller than the gain that all rows require.
func TestDraftTarget(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	x, y := mat.NewDense(500, 1, nil), make([]float64, 500)
	for i := range y {
		x.Set(i, 0, random.NormFloat64())
		// The noise is proportional to the mean. The variance of its logarithm is 0.065, about the gain.
		y[i] = math.Exp(0.36*math.Sin(3*x.At(i, 0)) + 0.15*random.NormFloat64())
	}
	for drafting, want := range map[bool]Target{false: PlainTarget, true: LogTarget} {
		c := (&Regressor{}).engine()
		c.drafting, c.trail = drafting, &trail{}
		c.Begun = c.trail.begin
		merged := distinct.Merge(x, nil)
		_, _, seen, err := c.fitParts(ctx, c.scalings[:1], merged.X, merged, folds.Rows[float64]{X: x, Y: y}, y, nil)
		require.NoError(t, err)
		assert.Equal(t, want, targetOf(seen.Transformation), "drafting %v", drafting)
	}
}
