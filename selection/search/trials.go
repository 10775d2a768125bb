package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// Trials describes the points at which to fit and score the learner.
type Trials struct {
	// Points are the points to score. Rows of the trace are appended in this order.
	Points []Point
	Folds  []validation.Fold
	Metric metrics.Metric

	// If Spread is set, the points are tried in an order whose prefixes are spread over their range. A search that runs out of
	// budget has then covered the entire range coarsely. Candidates with axes of package grid are spread over the axes.
	Spread bool

	// Round is the round, from 1, for strategies that score a point more than once. Otherwise it is 0.
	Round int

	// Rows is the number of training rows of a fold, as in the trace. If it is 0, all rows are used.
	Rows int
}

// Folds calls a splitter and checks its result. If the splitter is nil, it uses KFold for a regression and
// [validation.StratifiedKFold] for a classification. The folds divide the rows of X, so that equal rows stay together. It returns
// the error of the splitter, or ErrShape.
func (r *Run) Folds(s validation.Splitter) ([]validation.Fold, error) {
	if s == nil {
		s = r.Splitter
	}
	return r.folds(s)
}

// Metric returns m. If m is the zero value, it returns NMSE for a regression and Accuracy for a classification.
func (r *Run) Metric(m metrics.Metric) metrics.Metric {
	if m.Name == "" && m.Values == nil && m.Variance == nil && m.Labels == nil && m.Scores == nil && m.Proba == nil {
		return r.Problem.Metric
	}
	return m
}

// CrossValidate fits the learner at each point on each fold and writes the mean score into the point's row of the trace. If there
// is no such row, it appends one. It returns the iterations of the rows, in the order of Points. Points that already have a score
// over folds, or that Resume contains, are not fitted. If a fit fails, its point has no score, and the Result has a warning. After
// the budget is spent, no fit starts, unless no point has a score yet. It returns ErrParam for a metric of the other task, the
// errors of the preprocessing, or ctx's error.
func (r *Run) CrossValidate(ctx context.Context, t Trials) (_ []int, err error) {
	defer check.Begin(&ctx)(&err)
	n, _ := r.X.Dims()
	iterations := make([]int, len(t.Points))
	for i, p := range t.Points {
		row := r.row(p, t.Round)
		if row == nil {
			fresh := NewRow(p)
			fresh.Round, fresh.Rows = t.Round, t.Rows
			if t.Rows == 0 {
				fresh.Rows = n
			}
			row = r.add(fresh)
		}
		iterations[i] = row.Iteration
	}
	order := Spread(len(t.Points))
	if !t.Spread || r.Turns != nil || r.Family == nil { // other candidates are tried in the given order
		slices.Sort(order)
	}
	if t.Spread && r.Turns != nil {
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(r.Turns[t.Points[a].Candidate], r.Turns[t.Points[b].Candidate])
		})
	}
	var asked []*TraceRow
	job := Attempt{Folds: t.Folds, Metric: t.Metric, Workers: r.Workers, Share: r.spending()}
	for _, i := range order {
		row := &r.trace[iterations[i]-1]
		if row.Basis == OnFolds {
			continue
		}
		if old, ok := r.recall(row); ok && old.Basis == OnFolds && !math.IsNaN(old.Score) {
			row.SetScore(old.Score, row.Ridge, OnFolds, old.ScoredOn)
			row.Fits, row.Seconds = old.Fits, old.Seconds
			continue
		}
		asked, job.Points = append(asked, row), append(job.Points, t.Points[i])
	}
	job.Observe = func(i int, score, seconds float64) {
		row := asked[i]
		row.SetScore(score, row.Ridge, OnFolds, len(t.Folds))
		row.Fits = len(t.Folds)
		row.Seconds += seconds
		if math.IsNaN(score) {
			row.Unscored = FitFailed
		}
		r.show(row)
	}
	done, err := r.Try(r.nextContext(ctx), r.Family, job)
	if err != nil {
		return nil, err
	}
	for i, row := range asked {
		if done.Folds[i] < len(t.Folds) {
			r.cut = true
			row.Unscored, row.Fits, row.ScoredOn = BudgetSpent, done.Folds[i], len(t.Folds)
		}
	}
	var failed error // the first failure in the order of the trace, whatever the order of evaluation
	for i, first := 0, 0; i < len(asked); i++ {
		if done.Failed[i] != nil && (failed == nil || asked[i].Iteration < first) {
			failed, first = done.Failed[i], asked[i].Iteration
		}
	}
	if failed != nil && r.failed == nil {
		r.failed = failed
		r.Warn("some fits failed, the first with: %v", failed)
	}
	return iterations, nil
}

// Best returns the iteration of the best score among rows. In a tie it returns the first. If no row has a score, the error is that
// of the first failed fit.
func (r *Run) Best(strategy string, m Measure, iterations []int) (int, error) {
	best := 0
	for _, i := range iterations {
		if best == 0 || m.Better(r.Row(i).Score, r.Row(best).Score) {
			best = i
		}
	}
	if best == 0 || math.IsNaN(r.Row(best).Score) {
		return 0, fmt.Errorf("selection: %s: no point could be scored: %w", strategy, r.failed)
	}
	return best, nil
}

// MeasureOf returns the measure of a metric.
func MeasureOf(m metrics.Metric) Measure { return Measure{m.Name, m.LargerIsBetter} }

// Better reports whether score a is better than b. NaN is worse than any number.
func (m Measure) Better(a, b float64) bool {
	switch {
	case math.IsNaN(a):
		return false
	case math.IsNaN(b):
		return true
	case m.LargerIsBetter:
		return a > b
	}
	return a < b
}

// Attempt describes points at which an estimator is fitted and scored, in order.
type Attempt struct {
	Points  []Point
	Folds   []validation.Fold
	Metric  metrics.Metric
	Workers int
	Share   Share
	// Observe is called after the last fold of a point, by one goroutine at a time.
	Observe func(point int, score, seconds float64)
}

// Attempted is the result of an [Attempt].
type Attempted struct {
	Folds  []int   // number of fitted folds per point
	Failed []error // error of the first failed fold per point, or nil
}
