// Package grid provides the searches that fit the learner at many points. [Search] fits all points in each fold, and is the common
// baseline. [Halving] drops points as it increases the number of rows.
package grid

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// Defaults of Search.
const (
	defaultGridPoints = 24
	// defaultGridLow and defaultGridHigh are the ends of the grid in units of the family's Start. The six decades between them
	// range from a nearly linear kernel to one whose matrix is nearly the identity.
	defaultGridLow  = 1e-4
	defaultGridHigh = 1e2
)

// traceBytes is the approximate size of a point in a trace, in bytes.
const traceBytes = 512

// Search fits the learner at each parameter in each fold, and chooses the parameter with the best mean score. It is the common
// baseline, and costs Points × folds + 1 fits. It can also compare candidates. Params, Points, Lo and Hi then have no effect.
//
// If a Budget ends the search, it chooses the best point so far. Values from Lo to Hi, and the points of a selection.CandidateGrid
// from [Points], are tried in an order whose prefixes cover the range. The order starts with the middle, continues with the middles
// of both halves, and so on. With several axes, successive points differ on all axes. Params and other candidates are tried in the
// given order. The trace is always in the order of the grid. A complete grid makes the same choice in any order. Of equal scores,
// the first in the trace is best.
//
// The machines of lssvm and svm receive kernel matrices from distances that are computed once per fold, if these fit into a
// gigabyte.
type Search struct {
	// Params lists the parameters, which are tried in the given order. If it is nil, Points values from Lo to Hi are used, whose
	// successive ratios are equal.
	Params []float64

	// Points is the number of values. If it is 0, 24 is used.
	Points int `zero:"24"`

	// Lo and Hi are > 0. If they are 0, 1e-4 and 1e2 times the family's Start are used.
	Lo, Hi float64 `zero:"1e-4 and 1e2 times the family's Start"`

	// Splitter makes the folds. If it is nil, KFold{} is used for a selection.Regressor, and [validation.StratifiedKFold]{} for a
	// selection.Classifier.
	Splitter validation.Splitter

	// Metric scores the predictions. If it is the zero value, NMSE is used for a selection.Regressor, and Accuracy for a
	// selection.Classifier.
	Metric metrics.Metric
}

const searchType = "grid: Search"

// Name returns "grid".
func (g *Search) Name() string { return "grid" }

// Choose implements [search.Strategy]. It returns ErrParam, the error of the splitter, the error of the first failed fit if no
// point has a score, or ctx's error.
func (g *Search) Choose(ctx context.Context, r *search.Run) (_ search.Choice, err error) {
	defer check.Begin(&ctx)(&err)
	if r == nil {
		return search.Choice{}, search.ErrNoRun
	}
	if err := settings.Check(searchType, g); err != nil {
		return search.Choice{}, err
	}
	points, err := g.points(ctx, r)
	if err != nil {
		return search.Choice{}, err
	}
	t := search.Trials{Points: points, Metric: r.Metric(g.Metric), Spread: r.Family == nil || g.Params == nil}
	if t.Folds, err = r.Folds(g.Splitter); err != nil {
		return search.Choice{}, err
	}
	r.Expect(1)
	rows, err := r.CrossValidate(ctx, t)
	if err != nil {
		return search.Choice{}, err
	}
	out := search.Choice{Status: search.StatusGrid, Target: missing, Measure: search.MeasureOf(t.Metric)}
	if out.Iteration, err = r.Best("Grid", out.Measure, rows); err != nil {
		return search.Choice{}, err
	}
	finished := 0
	for _, i := range rows {
		if r.Row(i).Basis == search.OnFolds {
			finished++
		}
	}
	if finished < len(rows) {
		r.Warn("the budget of %v ended the search: %d of %d parameters were tried", r.Budget, finished, len(rows))
	}
	warnOfEdge(r, points, out.Iteration)
	return out, nil
}

// warnOfEdge adds a warning if the best point of a grid is the first or the last.
func warnOfEdge(r *search.Run, points []search.Point, iteration int) {
	p := r.Row(iteration).Point
	if r.Family != nil && len(points) > 1 && (p.Equal(points[0]) || p.Equal(points[len(points)-1])) {
		r.Warn("the best parameter, %v, lies on the edge of the grid", p)
	}
}

// points returns the points of the grid.
func (g *Search) points(ctx context.Context, r *search.Run) ([]search.Point, error) {
	if r.Family == nil {
		out := make([]search.Point, len(r.Candidates))
		for i := range out {
			out[i] = search.CandidatePoint(i)
		}
		return out, nil
	}
	params, err := g.params(ctx, r)
	out := make([]search.Point, len(params))
	for i, v := range params {
		out[i] = search.ParamPoint(v)
	}
	return out, err
}

func (g *Search) params(ctx context.Context, r *search.Run) ([]float64, error) {
	lo, hi := r.Family.Bounds()
	if g.Params != nil {
		if len(g.Params) == 0 {
			return nil, fault.Param(searchType, "Params", "empty", "at least one, or nil for the default")
		}
		for i, v := range g.Params {
			if !(v >= lo && v <= hi) {
				return nil, fault.Param(searchType, fmt.Sprintf("Params[%d]", i), v, fmt.Sprintf("in [%v, %v]", lo, hi))
			}
		}
		return slices.Clone(g.Params), nil
	}
	points := cmp.Or(g.Points, defaultGridPoints)
	if err := check.Bytes(fmt.Sprintf("%s: %d Points", searchType, points), float64(points)*traceBytes, "take fewer Points"); err != nil {
		return nil, err
	}
	from, to := g.Lo, g.Hi
	if from == 0 || to == 0 {
		start, err := r.Family.Start(ctx, r.X)
		if err != nil {
			return nil, err
		}
		if from == 0 {
			from = max(lo, start*defaultGridLow)
		}
		if to == 0 {
			to = min(hi, start*defaultGridHigh)
		}
	}
	if !(from >= lo && from <= to && to <= hi) {
		return nil, fault.Param(searchType, "Lo, Hi", fmt.Sprintf("%v, %v", from, to), fmt.Sprintf("ascending in [%v, %v]", lo, hi))
	}
	out := make([]float64, points)
	for i := range out {
		t := 0.0
		if points > 1 {
			t = float64(i) / float64(points-1)
		}
		out[i] = math.Exp(math.Log(from) + t*(math.Log(to)-math.Log(from)))
		if r.Family.Integer() {
			out[i] = math.Round(out[i])
		}
		out[i] = min(max(out[i], lo), hi)
	}
	return slices.Compact(out), nil
}

// missing is the value of quantities that were not computed.
var missing = math.NaN()
