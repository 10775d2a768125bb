package entropy

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
)

// If likeExact accepts the features of a few pivots, their errors at all ridges agree with those of the kernel matrix within a
// hundredth. It refuses features whose remainder is larger.
func TestLikeExact(t *testing.T) {
	x, y := toy.Sine(900, 2, .3, 7)
	run := search.New(search.Problem{Family: families.RBF{}, X: x, Targets: y, RidgeMachine: true}, unlimited())
	strategy := &Search{}
	form, err := strategy.form(run)
	require.NoError(t, err)
	f := &finalists{search: strategy, run: run, form: form, ridge: .3}
	require.NoError(t, f.begin(ctx, 900))
	for gamma, few := range map[float64]bool{.1: true, .5: true, 100: false} {
		row := search.NewRow(search.ParamPoint(gamma))
		taken, err := f.likeExact(ctx, kernels.RBF{Gamma: gamma}, &row)
		require.NoError(t, err)
		require.Equal(t, few, taken, "gamma %v", gamma)
		if !taken {
			assert.Empty(t, row.Basis)
			assert.Empty(t, row.Ridges)
			continue
		}
		assert.Equal(t, search.OnPivots, row.Basis)
		assert.LessOrEqual(t, row.Rank, 900/pivotShare)
		k, err := f.shared.Matrix(ctx, kernels.RBF{Gamma: gamma})
		require.NoError(t, err)
		_, curve, err := form.OfMatrix(ctx, k, false)
		require.NoError(t, err)
		exact, _ := closedform.Prefer([]search.TraceRow{{Ridges: curve}}, closedform.LeastError, false)
		pivots, _ := closedform.Prefer([]search.TraceRow{row}, closedform.LeastError, false)
		assert.InEpsilon(t, exact.Score, pivots.Score, .01, "gamma %v", gamma)
		assert.InEpsilon(t, exact.StandardError, pivots.StandardError, .02)
	}
}

// The best ridge depends on the kernel. For smooth targets with little noise the smallest errors lie along a valley in the
// parameter and the ridge, and the finalists follow it.
func TestValley(t *testing.T) {
	curve := func(param, ridge, score float64) search.TraceRow {
		return search.TraceRow{Point: search.ParamPoint(param), Ridges: []search.RidgeScore{{Ridge: ridge / 100, Score: 2 * score}, {Ridge: ridge, Score: score}, {Ridge: 100 * ridge, Score: 2 * score}}}
	}
	later := curve(4, 1, .1)
	later.Round = 1
	edge := search.TraceRow{Point: search.ParamPoint(16), Ridges: []search.RidgeScore{{Ridge: 1, Score: .1}, {Ridge: 2, Score: .2}, {Ridge: 3, Score: .3}}}
	// The rows are out of order. One is much worse, one belongs to a later round, and one has its best ridge at an end of the
	// ridges.
	w := valleyOf([]search.TraceRow{curve(2, 8, .11), curve(1, 1, .1), curve(4, 32, .12), curve(8, 1e-9, .5), later, edge})
	power := func(param float64) float64 { return w.logRidge(math.Log(param)) / math.Ln2 }
	assert.InDelta(t, 3, power(2), 1e-12)
	assert.InDelta(t, 1.5, power(math.Sqrt2), 1e-12)
	assert.InDelta(t, 5, power(4), 1e-12)
	assert.InDelta(t, 5, power(64), 1e-12, "the ridge of the noise")
	assert.InDelta(t, -2.5, power(.5), 1e-12, "along the line through all")
	for name, trace := range map[string][]search.TraceRow{
		"two":     {curve(1, 1, .1), curve(2, 8, .1)},
		"falling": {curve(1, 64, .1), curve(2, 8, .1), curve(4, 1, .1)},
		"none":    nil,
	} {
		assert.Zero(t, valleyOf(trace).logRidge(3), name)
	}
	f := &finalists{ridge: .5, at: 2, valley: w}
	assert.InDelta(t, .5*4, f.ridgeOf(4), 1e-12)
}

// If the memory limit excludes a matrix of all rows, pivots are used.
func TestFinalistsWithinALimit(t *testing.T) {
	x, y := toy.Sine(2500, 2, .3, 3)
	for limit, exact := range map[int64]bool{60 << 20: false, 90 << 20: true} {
		run := search.New(search.Problem{Settings: search.Settings{MaxKernelBytes: limit}, Family: families.RBF{}, X: x, Targets: y}, unlimited())
		f := &finalists{search: &Search{}, run: run}
		require.NoError(t, f.begin(ctx, 2500))
		assert.Equal(t, exact, f.shared != nil, "%d bytes", limit)
	}
}

// If the chosen kernel was scored on all rows without an entropy, its entropy comes from the initial sample.
func TestEntropyOfTheChoice(t *testing.T) {
	x, y := toy.Sine(700, 4, .3, 1)
	strategy := &Search{Seed: 3}
	r := searched(t, strategy, x, y, nil, nil)
	chosen := slices.IndexFunc(r.Trace, func(row search.TraceRow) bool { return row.Chosen })
	require.True(t, math.IsNaN(r.Trace[chosen].Entropy))
	k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: r.Param}, linalg.Rows(x, strategy.draw(700, firstRows, subsamples)), nil)
	require.NoError(t, err)
	want, err := measures.Entropy(ctx, k)
	require.NoError(t, err)
	assert.InDelta(t, want.Entropy, r.Entropy, 1e-10)
	assert.InDelta(t, want.Bits, r.Bits, 1e-10)
}
