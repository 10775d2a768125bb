package selection

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// ticker is a clock that advances by a second per call of its method.
type ticker struct{ seconds atomic.Int64 }

func (t *ticker) now() time.Time { return time.Unix(t.seconds.Load(), 0) }

func (t *ticker) tick(row search.TraceRow) {
	if row.Step == nil {
		t.seconds.Add(1)
	}
}

// slow is a learner whose Fit advances the clock by one second.
type slow struct {
	estimators.Regressor
	clock *ticker
}

func (s slow) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	s.clock.seconds.Add(1)
	return s.Regressor.Fit(ctx, x, y)
}

// scoredRows returns the parameters that have a score, and checks that all other rows have a reason.
func scoredRows(t *testing.T, r *search.Result) (params []float64) {
	t.Helper()
	for _, row := range r.Trace {
		if math.IsNaN(row.Score) {
			assert.Equal(t, search.BudgetSpent, row.Unscored)
			continue
		}
		params = append(params, row.Param)
	}
	return params
}

func TestEntropyBudget(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	whole := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Score: entropy.LeaveOneOut}}
	require.NoError(t, whole.Fit(ctx, x, y))
	for seconds := 1; seconds < len(whole.Result().Trace); seconds++ {
		clock := &ticker{}
		r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Score: entropy.LeaveOneOut}, Budget: time.Duration(seconds) * time.Second, Observe: clock.tick, now: clock.now}
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		assert.Equal(t, search.StatusBudget, res.Status)
		require.Len(t, res.Trace, seconds, "one entropy a second")
		assert.Equal(t, 1, res.Fits, "the last fit is made all the same")
		lowest := math.Inf(1)
		for i, row := range res.Trace {
			assert.Equal(t, whole.Result().Trace[i].Param, row.Param, "the search is the same as far as it goes")
			assert.Equal(t, whole.Result().Trace[i].Score, row.Score)
			lowest = min(lowest, row.Score)
		}
		assert.Equal(t, lowest, res.Score)
		assert.Contains(t, res.Warnings[0], "ended the search: ")
		_, err := r.Predict(x)
		assert.NoError(t, err)
		data, err := json.Marshal(res)
		require.NoError(t, err)
		assert.Contains(t, string(data), `"status":"budget"`)
	}
}

// The progress of a search with a Budget is at least the elapsed share of the budget. Therefore the estimated remaining time never
// exceeds the remaining budget.
func TestProgressOfABudget(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	for name, strategy := range map[string]search.Strategy{"grid": &grid.Search{Points: 200, Splitter: validation.KFold{Folds: 5, Seed: 1}}, "entropy": &entropy.Search{}} {
		clock := new(ticker)
		var heard []search.TraceRow
		var seconds []float64
		r := &Regressor{
			Space:  Kernels(func(k kernels.Kernel) estimators.Regressor { return slow{&lssvm.Regressor{Kernel: k}, clock} }, families.RBF{}),
			Search: strategy, Budget: 40 * time.Second, Workers: 1, now: clock.now,
			Observe: func(row search.TraceRow) {
				heard, seconds = append(heard, row), append(seconds, float64(clock.seconds.Load()))
				if name == "entropy" {
					clock.tick(row)
				}
			},
		}
		require.NoError(t, r.Fit(context.Background(), x, y), name)
		require.Greater(t, len(heard), 10, name)
		for i, row := range heard {
			passed := seconds[i]
			assert.GreaterOrEqual(t, row.Done, .99*min(passed/40, 1)-1e-12, "%s after %v s", name, passed)
			if passed > 0 && passed < 40 {
				assert.LessOrEqual(t, passed*(1-row.Done)/row.Done, 1.02*(40-passed)+.5, "%s: seconds left after %v", name, passed)
			}
		}
		if name == "grid" {
			assert.Equal(t, search.StatusBudget, r.Result().Status)
		}
		assert.Equal(t, 1.0, heard[len(heard)-1].Done, name)
	}
}

func TestEntropyBudgetText(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	clock := &ticker{}
	r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}, Budget: 5 * time.Second, Observe: clock.tick, now: clock.now}
	require.NoError(t, r.Fit(ctx, x, y))
	found := 0
	for _, row := range r.Result().Trace {
		found += len(row.Taken)
	}
	require.Positive(t, found)
	assert.Equal(t, r.Report().Warnings[0], r.Result().Warnings[0])
	assert.Contains(t, r.Result().Warnings[0], "the budget of 5s ended the search: ")
	assert.Contains(t, r.Result().Warnings[0], " of 7 target entropies were found, 5 of 5 parameters scored")
}

func TestBudgetThatIsNotSpentChangesNothing(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	asJSON := func(s search.Strategy, budget time.Duration) string {
		r := Regressor{Space: over(families.RBF{}), Search: s, Budget: budget, now: (&ticker{}).now}
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		res.Seconds = 0
		for i := range res.Trace {
			res.Trace[i].Seconds = 0
		}
		data, err := json.Marshal(res)
		require.NoError(t, err)
		return string(data)
	}
	for _, s := range []search.Strategy{&entropy.Search{}, &entropy.Search{Score: entropy.CrossValidation}, &grid.Search{}} {
		assert.Equal(t, asJSON(s, 0), asJSON(s, time.Second), s.Name())
	}
}

func TestEntropyBudgetOfASingleTarget(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	clock := &ticker{}
	r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Targets: []float64{0.9}, Tolerance: 1e-6}, Budget: 2 * time.Second, Observe: clock.tick, now: clock.now}
	require.NoError(t, r.Fit(ctx, x, y))
	res := r.Result()
	require.Len(t, res.Trace, 2)
	assert.Equal(t, search.StatusBudget, res.Status)
	nearest := slices.MinFunc(res.Trace, func(a, b search.TraceRow) int {
		if math.Abs(a.Entropy-.9) < math.Abs(b.Entropy-.9) {
			return -1
		}
		return 1
	})
	assert.Equal(t, nearest.Param, res.Param, "the nearest, whatever its score")
	assert.Contains(t, res.Warnings[0], "0 of 1 target entropies were found")

	// If no point has a score, the point nearest to the search's target is chosen.
	clock = &ticker{}
	r = Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Targets: []float64{0.02, 0.4, 0.9}, Tolerance: 1e-9}, Budget: 5 * time.Second, Observe: clock.tick, now: clock.now}
	require.NoError(t, r.Fit(ctx, x, make([]float64, 60)))
	require.Len(t, r.Result().Trace, 5)
	for _, row := range r.Result().Trace {
		assert.GreaterOrEqual(t, math.Abs(row.Entropy-0.4), math.Abs(r.Result().Entropy-0.4))
	}
	clock = &ticker{}
	r = Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Score: entropy.CrossValidation}, Budget: time.Second, Observe: clock.tick, now: clock.now}
	require.NoError(t, r.Fit(ctx, x, y))
	require.Len(t, r.Result().Trace, 1)
	assert.Equal(t, r.Result().Trace[0].Param, r.Result().Param)
	clock = &ticker{}
	r = Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}, Budget: time.Second, Observe: clock.tick, now: clock.now}
	require.NoError(t, r.Fit(ctx, x, make([]float64, 60)), "constant targets")
	assert.Equal(t, search.StatusBudget, r.Result().Status)
}

// A known point is used for a target that the search would reach only after the end of the budget.
func TestEntropyBudgetTakesWhatIsKnown(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	first := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Targets: []float64{0.9}}}
	require.NoError(t, first.Fit(ctx, x, y))
	start := first.Result().Trace[0].Entropy
	require.Less(t, start, 0.85)
	clock := &ticker{}
	r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Targets: []float64{start + 0.01, 0.9, 0.95}}, Budget: time.Second, Observe: clock.tick, now: clock.now}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Contains(t, r.Result().Warnings[0], "1 of 3 target entropies were found, 1 of 1 parameters scored")
	assert.InDelta(t, start+0.01, r.Result().Target, 1e-15)
}

// The best score decides, even if only a single target was found.
func TestEntropyBudgetTakesTheBestScore(t *testing.T) {
	met := 0
	for seed := range uint64(20) {
		x, y := problemOf(40, 2, 0.2, seed)
		for seconds := 2; seconds < 6; seconds++ {
			clock := &ticker{}
			r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Score: entropy.LeaveOneOut}, Budget: time.Duration(seconds) * time.Second, Observe: clock.tick, now: clock.now}
			require.NoError(t, r.Fit(ctx, x, y))
			for _, row := range r.Result().Trace {
				assert.LessOrEqual(t, r.Result().Score, row.Score)
				if !math.IsNaN(row.Aim) && len(row.Taken) == 0 && row.Param == r.Result().Param {
					met++
				}
			}
		}
	}
	assert.Positive(t, met, "some are met on the way to a target")
}

// A search whose budget is spent before it begins still returns a model.
func TestBudgetThatIsSpentAtOnce(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 1)
	var readings atomic.Int64
	hasty := func() time.Time { return time.Unix(readings.Add(1), 0) }
	for _, s := range []search.Strategy{&entropy.Search{}, &entropy.Search{Score: entropy.CrossValidation}, &grid.Search{}, &grid.Halving{}, &entropy.GoldenSection{}, &shape.Search{}, &shape.Search{Start: &entropy.Search{}}} {
		r := Regressor{Search: s, Budget: time.Nanosecond, now: hasty, Workers: 1}
		require.NoError(t, r.Fit(ctx, x, y))
		assert.Equal(t, search.StatusBudget, r.Result().Status)
		_, err := r.Predict(x)
		assert.NoError(t, err)
	}
}

func TestEntropyBudgetOfCrossValidation(t *testing.T) {
	x, y := problemOf(60, 2, 0.3, 3)
	whole := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Score: entropy.CrossValidation}, Workers: 1}
	require.NoError(t, whole.Fit(ctx, x, y))
	entropies := whole.Result().Evaluations
	for extra, want := range []int{1, 1, 2, 3} {
		clock := &ticker{}
		r := whole
		r.Budget, r.Observe, r.now = time.Duration(entropies+extra)*time.Second, clock.tick, clock.now
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		assert.Equal(t, search.StatusBudget, res.Status)
		assert.Equal(t, want*defaultFolds+1, res.Fits)
		scored := 0
		for _, row := range res.Trace {
			if !math.IsNaN(row.Score) {
				scored++
				assert.GreaterOrEqual(t, row.Score, res.Score)
			} else if len(row.Taken) > 0 {
				assert.Equal(t, search.BudgetSpent, row.Unscored)
			}
		}
		assert.Equal(t, want, scored)
	}
}

func TestGridBudget(t *testing.T) {
	x, y := problemOf(50, 2, 0.2, 4)
	whole := Regressor{Search: &grid.Search{Points: 7}, Workers: 1}
	require.NoError(t, whole.Fit(ctx, x, y))
	for seconds, want := range map[int][]int{1: {3}, 2: {1, 3}, 3: {1, 3, 5}, 5: {0, 1, 2, 3, 5}} {
		clock := &ticker{}
		r := whole
		r.Budget, r.Observe, r.now = time.Duration(seconds)*time.Second, clock.tick, clock.now
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		require.Len(t, res.Trace, 7)
		assert.Equal(t, search.StatusBudget, res.Status)
		assert.Equal(t, len(want)*defaultFolds+1, res.Fits)
		var params []float64
		lowest := math.Inf(1)
		for _, i := range want {
			row := whole.Result().Trace[i]
			params = append(params, row.Param)
			assert.Equal(t, row.Score, res.Trace[i].Score)
			lowest = min(lowest, row.Score)
		}
		assert.ElementsMatch(t, params, scoredRows(t, res))
		assert.Equal(t, lowest, res.Score)
	}
	clock := &ticker{}
	r := Regressor{Search: &grid.Search{Params: []float64{5, 0.1, 1}}, Workers: 1, Budget: 2 * time.Second, Observe: clock.tick, now: clock.now}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, []float64{5, 0.1}, scoredRows(t, r.Result()), "Params in their order")
	assert.Equal(t, "the budget of 2s ended the search: 2 of 3 parameters were tried", r.Result().Warnings[0])
}

// If the budget is spent after k points of a grid over axes, several values of each axis have been evaluated. A complete grid
// yields the same table and choice as the points in their order, for any number of workers. Resume continues from the evaluated
// points.
func TestGridBudgetOverAxes(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 4)
	points, err := grid.Points(
		grid.Axis{Name: "nu", Values: []float64{.5, 1.5, 2.5}},
		grid.Axis{Name: "length", Low: .1, High: 10, Log: true, Points: 5},
		grid.Axis{Name: "ridge", Low: 1e-6, High: 1, Log: true, Points: 4},
	)
	require.NoError(t, err)
	require.Len(t, points, 60)
	fits := atomic.Int64{}
	build := func(v grid.Values) estimators.Regressor {
		return counted{&lssvm.Regressor{Kernel: kernels.Matern{Nu: v.Number("nu"), Length: v.Number("length")}, Ridge: v.Number("ridge")}, &fits}
	}
	plain := make([]Candidate[estimators.Regressor], len(points)) // the same candidates without axes, which are tried in order
	for i, v := range points {
		plain[i] = Candidate[estimators.Regressor]{v.String(), build(v)}
	}
	inOrder := Regressor{Space: NamedCandidates(plain...), Search: &grid.Search{}, Workers: 1}
	require.NoError(t, inOrder.Fit(ctx, x, y))
	for _, workers := range []int{1, 3} {
		whole := Regressor{Space: CandidateGrid(build, points), Search: &grid.Search{}, Workers: workers}
		require.NoError(t, whole.Fit(ctx, x, y))
		assert.Equal(t, withoutSeconds(t, inOrder.Result()), withoutSeconds(t, whole.Result()))
	}

	for k, want := range map[int][3]int{3: {3, 3, 3}, 5: {3, 3, 3}, 8: {3, 4, 4}} {
		clock := &ticker{}
		r := Regressor{Space: CandidateGrid(build, points), Search: &grid.Search{}, Workers: 1, Budget: time.Duration(k) * time.Second, Observe: clock.tick, now: clock.now}
		require.NoError(t, r.Fit(ctx, x, y))
		seen := [3]map[float64]bool{{}, {}, {}}
		scored := 0
		for _, row := range r.Result().Trace {
			assert.Equal(t, points[row.Candidate].String(), row.Name)
			if math.IsNaN(row.Score) {
				continue
			}
			scored++
			assert.Equal(t, inOrder.Result().Trace[row.Candidate].Score, row.Score)
			for a, name := range []string{"nu", "length", "ridge"} {
				seen[a][points[row.Candidate].Number(name)] = true
			}
		}
		assert.Equal(t, k, scored)
		assert.Contains(t, r.Result().String(), fmt.Sprintf("\n%d more not scored: the budget was spent\n", 60-k))
		assert.Equal(t, 1, strings.Count(r.Result().String(), "not scored"))
		for a := range seen {
			assert.GreaterOrEqual(t, len(seen[a]), want[a], "axis %d after %d points", a, k)
		}
		fits.Store(0)
		again := Regressor{Space: CandidateGrid(build, points), Search: &grid.Search{}, Workers: 2, Resume: r.Result().Trace}
		require.NoError(t, again.Fit(ctx, x, y))
		assert.EqualValues(t, (60-k)*defaultFolds+1, fits.Load(), "no candidate is fitted twice")
		assert.Equal(t, withoutSeconds(t, inOrder.Result()), withoutSeconds(t, again.Result()))
	}
}

// counted counts fits.
type counted struct {
	estimators.Regressor
	fits *atomic.Int64
}

func (c counted) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	c.fits.Add(1)
	return c.Regressor.Fit(ctx, x, y)
}

// Among equal scores, the first in the table is best. The first failure in the table is reported, whatever the order of evaluation.
func TestGridOverAxesTies(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 4)
	points, err := grid.Points(grid.Axis{Name: "a", Values: []float64{1, 2, 3}}, grid.Axis{Name: "b", Values: []float64{1, 2, 3}})
	require.NoError(t, err)
	r := Regressor{Search: &grid.Search{}, Space: CandidateGrid(func(v grid.Values) estimators.Regressor {
		return moody{&lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}, Ridge: .1}, v.Number("a") == 1}
	}, points)}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, "a=2, b=1", r.Result().Name)
	require.Len(t, r.Result().Warnings, 1)
	assert.Contains(t, r.Result().Warnings[0], "some fits failed, the first with: candidate 0, fold 0")
}

// Every prefix of a grid over axes contains several values of each axis, also if some axes occur at some points only.
func TestGridBudgetWithinAParameter(t *testing.T) {
	x, y := problemOf(50, 2, 0.2, 4)
	clock := &ticker{}
	r := Regressor{
		Space: Kernels(func(k kernels.Kernel) estimators.Regressor {
			return slow{&lssvm.Regressor{Kernel: k}, clock}
		}),
		Search:  &grid.Search{Params: []float64{0.1, 1, 5}},
		Workers: 1,
		Budget:  4 * time.Second,
		now:     clock.now,
	}
	require.NoError(t, r.Fit(ctx, x, y))
	res := r.Result()
	assert.Equal(t, []float64{0.1}, scoredRows(t, res))
	assert.Equal(t, "not scored: the budget was spent after 1 of 3 folds", res.Trace[1].Decision())
	assert.Equal(t, "not scored: the budget was spent", res.Trace[2].Decision())
	assert.Contains(t, res.String(), "not scored: the budget was spent after 1 of 3 folds\n1 more not scored: the budget was spent\n")
	assert.Equal(t, 2, strings.Count(res.String(), "not scored"), "each candidate that was begun has a line")
	assert.Equal(t, 5, res.Fits)
	assert.EqualValues(t, 5, clock.seconds.Load(), "the last fit is beyond the budget")
}

func TestGridBudgetGoesOnUntilOneIsScored(t *testing.T) {
	x, y := problemOf(50, 2, 0.2, 4)
	for _, workers := range []int{1, 3} {
		clock := &ticker{}
		fails := func(below float64) func(kernels.Kernel) estimators.Regressor {
			return func(k kernels.Kernel) estimators.Regressor {
				return slow{moody{&lssvm.Regressor{Kernel: k}, k.(kernels.RBF).Gamma < below}, clock}
			}
		}
		strategy := &grid.Search{Params: []float64{0.1, 0.2, 1, 5, 6, 7, 8, 9}}
		r := Regressor{Space: Kernels(fails(0.5)), Search: strategy, Workers: workers, Budget: time.Nanosecond, now: clock.now}
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		assert.Equal(t, search.StatusBudget, res.Status)
		if workers == 1 {
			assert.Equal(t, 1.0, res.Param)
			assert.Equal(t, 3*defaultFolds+1, res.Fits)
		}
		assert.False(t, math.IsNaN(res.Score))
		for _, row := range res.Trace {
			assert.False(t, row.Score < res.Score, "the best of those that were scored")
		}
		err := (&Regressor{Space: Kernels(fails(100)), Search: strategy, Workers: workers, Budget: time.Nanosecond, now: clock.now}).Fit(ctx, x, y)
		require.ErrorIs(t, err, errMoody)
		assert.ErrorContains(t, err, "no point could be scored")
	}
}

func TestBudgetErrors(t *testing.T) {
	x, y := problemOf(30, 2, 0.2, 4)
	err := (&Regressor{Search: &grid.Search{}, Budget: -time.Second}).Fit(ctx, x, y)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.EqualError(t, err, "selection: Regressor: Budget = -1s, want >= 0, or 0 for none")
	assert.ErrorContains(t, (&Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}, Budget: -1}).Fit(ctx, x, y), "selection: Regressor: Budget = -1ns")
	// The caller's own deadline is still an error.
	late, cancel := context.WithDeadline(ctx, time.Unix(1, 0))
	defer cancel()
	for _, s := range []search.Strategy{&entropy.Search{}, &grid.Search{}} {
		assert.ErrorIs(t, (&Regressor{Search: s, Budget: time.Hour}).Fit(late, x, y), context.DeadlineExceeded)
	}
}

func TestSpread(t *testing.T) {
	assert.Equal(t, []int{3, 1, 5, 0, 2, 4, 6}, search.Spread(7))
	assert.Empty(t, search.Spread(0))
	for n := range 40 {
		order := search.Spread(n)
		slices.Sort(order)
		for i, v := range order {
			assert.Equal(t, i, v)
		}
		assert.Len(t, order, n)
	}
}
