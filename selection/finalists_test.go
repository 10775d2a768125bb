package selection

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
)

// The features of a few pivots say of all ridges what the kernel matrix says, to a hundredth of the
// error, where likeExact takes them; where they leave more it takes none.
func TestLikeExact(t *testing.T) {
	x, y := problemOf(900, 2, .3, 7)
	run := search.New(search.Problem{Family: kernels.RBFFamily{}, X: x, Y: y, RidgeMachine: true}, unlimited())
	strategy := &Entropy{}
	form, err := newClosedForm(strategy, run)
	require.NoError(t, err)
	f := &finalists{search: strategy, run: run, form: form, ridge: .3}
	require.NoError(t, f.begin(ctx, 900))
	for gamma, few := range map[float64]bool{.1: true, .5: true, 100: false} {
		row := search.NewRow(search.At(gamma))
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
		_, curve, err := form.ofMatrix(ctx, k, false)
		require.NoError(t, err)
		exact, _ := prefer([]search.TraceRow{{Ridges: curve}}, LeaveOneOut, false)
		pivots, _ := prefer([]search.TraceRow{row}, LeaveOneOut, false)
		assert.InEpsilon(t, exact.Score, pivots.Score, .01, "gamma %v", gamma)
		assert.InEpsilon(t, exact.StandardError, pivots.StandardError, .02)
	}
}

// The machine of more than a few hundred rows, which the search has solved for, is the one that a fit
// of the chosen kernel and ridge makes.
func TestChoiceIsTheMachine(t *testing.T) {
	x, y := problemOf(700, 4, .3, 1)
	r := &Regressor{}
	r.Search = &Entropy{}
	require.NoError(t, r.Fit(ctx, x, y))
	m := r.Fitted().(*lssvm.Regressor)
	require.True(t, onMatrix(r.Result()))
	plain := &lssvm.Regressor{Kernel: m.ChosenKernel(), Ridge: r.Result().Ridge}
	require.NoError(t, plain.Fit(ctx, x, y))
	assert.InDeltaSlice(t, plain.Coefficients(), m.Coefficients(), 1e-8)
	assert.InDelta(t, plain.Intercept(), m.Intercept(), 1e-8)
	assert.NotEqual(t, plain.Report().Objective, m.Report().Objective, "it was not solved again")

	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = 3 * int(math.Copysign(1, v))
	}
	c := &Classifier{Search: &Entropy{}}
	require.NoError(t, c.Fit(ctx, x, labels))
	own := c.Fitted().(*lssvm.Classifier)
	require.True(t, onMatrix(c.Result()))
	same := &lssvm.Classifier{Kernel: own.ChosenKernel(), Ridge: c.Result().Ridge}
	require.NoError(t, same.Fit(ctx, x, labels))
	assert.True(t, mat.EqualApprox(same.Coefficients(), own.Coefficients(), 1e-8))
	want, err := same.PredictProba(x)
	require.NoError(t, err)
	got, err := c.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-6))
}

func onMatrix(r *search.Result) bool {
	return chosenRow(r).Basis == search.OnMatrix && chosenRow(r).Rows == 700
}

// Few rows like one family, all rows another: each is looked at, and the better goes on.
func TestFamiliesOnMoreRows(t *testing.T) {
	x, y := problemOf(1200, 8, .3, 3)
	r := &Regressor{Search: &Entropy{Seed: 1}}
	require.NoError(t, r.Fit(ctx, x, y))
	results := append([]*search.Result{r.Result()}, r.Result().Others...)
	require.Len(t, results, 2)
	var first []float64
	for _, result := range results {
		i := slices.IndexFunc(result.Trace, func(row search.TraceRow) bool { return row.Round > 0 })
		require.GreaterOrEqual(t, i, 0, result.Family)
		first = append(first, result.Trace[i].Score)
	}
	assert.Less(t, first[0], first[1])
	assert.Len(t, slices.DeleteFunc(results[1].Trace, func(row search.TraceRow) bool { return row.Round == 0 }), 1, "it went no further")
}

// The entropy of a kernel that was scored on all rows without one is that of the rows that the search
// began with.
func TestEntropyOfTheChoice(t *testing.T) {
	x, y := problemOf(700, 4, .3, 1)
	strategy := &Entropy{Seed: 3}
	r := &Regressor{Search: strategy}
	require.NoError(t, r.Fit(ctx, x, y))
	require.True(t, math.IsNaN(chosenRow(r.Result()).Entropy))
	k, err := kernels.Matrix(ctx, r.Fitted().(*lssvm.Regressor).ChosenKernel(), linalg.Rows(x, strategy.draw(700, firstRows, subsamples)), nil)
	require.NoError(t, err)
	want, err := measures.Entropy(ctx, k)
	require.NoError(t, err)
	assert.InDelta(t, want.Entropy, r.Result().Entropy, 1e-10)
	assert.InDelta(t, want.Bits, r.Result().Bits, 1e-10)
}

// The ridge goes with the kernel: smooth targets with little noise have their least errors in a valley
// that runs across both, and the finalists go along it.
func TestValley(t *testing.T) {
	curve := func(param, ridge, score float64) search.TraceRow {
		return search.TraceRow{Point: search.At(param), Ridges: []search.RidgeScore{{Ridge: ridge / 100, Score: 2 * score}, {Ridge: ridge, Score: score}, {Ridge: 100 * ridge, Score: 2 * score}}}
	}
	later := curve(4, 1, .1)
	later.Round = 1
	edge := search.TraceRow{Point: search.At(16), Ridges: []search.RidgeScore{{Ridge: 1, Score: .1}, {Ridge: 2, Score: .2}, {Ridge: 3, Score: .3}}}
	// Not in order; far behind, of more rows, and at an edge.
	w := valleyOf([]search.TraceRow{curve(2, 8, .11), curve(1, 1, .1), curve(4, 32, .12), curve(8, 1e-9, .5), later, edge})
	power := func(param float64) float64 { return w.at(math.Log(param)) / math.Ln2 }
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
		assert.Zero(t, valleyOf(trace).at(3), name)
	}
	f := &finalists{ridge: .5, at: 2, valley: w}
	assert.InDelta(t, .5*4, f.ridgeOf(4), 1e-12)
}

// What a search knows of its machine reaches a machine of package lssvm, and no other learner, whose own
// machines are of other rows or kernels.
func TestPrepare(t *testing.T) {
	known := loo.Start{Near: 2, Solved: &loo.Solved{Ridge: 1}}
	machine, other := &lssvm.Regressor{}, &lssvmBehind{}
	for _, e := range []estimators.Regressor{machine, other} {
		x, y := problemOf(5, 1, 0, 1)
		run := search.New(search.Problem{Family: kernels.RBFFamily{}, X: x, Y: y}, unlimited())
		_, err := run.Evaluate(ctx, search.Look{Point: search.At(1), Rows: 5}, func(context.Context, *search.TraceRow) error { return nil })
		require.NoError(t, err)
		r, err := run.Finish("test", search.Choice{Iteration: 1, Start: known})
		require.NoError(t, err)
		engine[float64, estimators.Regressor]{}.prepare(e, r)
		assert.Zero(t, r.TakeStart(), "it is forgotten")
	}
	assert.Equal(t, known, machine.TakeStart())
	assert.Zero(t, machine.TakeStart(), "once")
	assert.Zero(t, other.TakeStart())
	assert.True(t, areRidgeMachines([]estimators.Regressor{&lssvm.Regressor{}}))
	assert.False(t, areRidgeMachines([]estimators.Regressor{&svm.Regressor{}}))
}

// lssvmBehind has the methods of a machine that it may fit as it likes.
type lssvmBehind struct{ lssvm.Regressor }
