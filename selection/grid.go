package selection

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// Defaults of Grid.
const (
	DefaultGridPoints = 24
	// DefaultGridLow and DefaultGridHigh are the ends of the grid in units of the
	// family's Start: six decades, from a kernel that is nearly linear to one that
	// is nearly the identity.
	DefaultGridLow  = 1e-4
	DefaultGridHigh = 1e2
)

// Grid fits the learner at each parameter in each fold and takes the best mean
// score: the baseline that every user knows. It costs Points × folds + 1 fits. The
// machines of lssvm and svm get their kernel matrices from distances that are computed once
// in each fold, where a gigabyte holds those.
type Grid struct {
	Params []float64 // the parameters; nil: Points of them from Lo to Hi in equal ratios
	Points int       // 0: DefaultGridPoints
	Lo, Hi float64   // 0: DefaultGridLow and DefaultGridHigh times the family's Start
	// Candidates, in place of all of the above and of the Regressor's Family and Build, are
	// estimators to choose among, with a kernel or without, configured in any way: each
	// function returns a new one. ClassifierCandidates are those of a Classifier. Result's
	// Param is the number of the one chosen, from 0.
	Candidates           []func() estimators.Regressor
	ClassifierCandidates []func() estimators.Classifier
	// Splitter; nil: KFold{} for a Regressor, StratifiedKFold{} for a Classifier.
	Splitter Splitter
	// Metric; zero: NMSE for a Regressor, Accuracy for a Classifier.
	Metric  metrics.Metric
	Workers int // fits at a time; 0: GOMAXPROCS
	// Budget is the time after which no further fit of the search is begun and the
	// best of the parameters that were scored in all folds is taken, at least one; 0:
	// none. Params are tried in their order, points of the grid the middle first, then
	// those of its halves, its quarters and so on. What is scored in time, and so what
	// is chosen, depends on the machine. A deadline of ctx stays an error.
	Budget time.Duration
	// Observe, if not nil, is called when a parameter has been scored, by one
	// goroutine at a time, in no certain order.
	Observe func(TraceRow)
	Resume  []TraceRow // of an earlier search, as Entropy's

	now func() time.Time // nil: time.Now
}

func (g *Grid) params(ctx context.Context, p *problem) ([]float64, error) {
	const typ = "selection: Grid"
	if numbers := p.numbers(); numbers != nil {
		if g.Params != nil || g.Points != 0 || g.Lo != 0 || g.Hi != 0 {
			return nil, fault.Param(typ, "Params, Points, Lo, Hi", "given", "none beside Candidates")
		}
		return numbers, nil
	}
	lo, hi := p.family.Bounds()
	snap := func(v float64) float64 {
		if p.family.Integer() {
			v = math.Round(v)
		}
		return min(max(v, lo), hi)
	}
	if g.Params != nil {
		if len(g.Params) == 0 {
			return nil, fault.Param(typ, "Params", "empty", "at least one, or nil for the default")
		}
		for i, v := range g.Params {
			if !(v >= lo && v <= hi) {
				return nil, fault.Param(typ, fmt.Sprintf("Params[%d]", i), v, fmt.Sprintf("in [%v, %v]", lo, hi))
			}
		}
		return slices.Clone(g.Params), nil
	}
	points := g.Points
	if points == 0 {
		points = DefaultGridPoints
	}
	if points < 1 {
		return nil, fault.Param(typ, "Points", points, ">= 1, or 0 for the default")
	}
	from, to := g.Lo, g.Hi
	if from == 0 || to == 0 {
		start, err := p.family.Start(ctx, p.x)
		if err != nil {
			return nil, err
		}
		if from == 0 {
			from = max(lo, start*DefaultGridLow)
		}
		if to == 0 {
			to = min(hi, start*DefaultGridHigh)
		}
	}
	if !(from >= lo && from <= to && to <= hi) {
		return nil, fault.Param(typ, "Lo, Hi", fmt.Sprintf("%v, %v", from, to), fmt.Sprintf("ascending in [%v, %v]", lo, hi))
	}
	out := make([]float64, points)
	for i := range out {
		t := 0.0
		if points > 1 {
			t = float64(i) / float64(points-1)
		}
		out[i] = snap(math.Exp(math.Log(from) + t*(math.Log(to)-math.Log(from))))
	}
	return slices.Compact(out), nil
}

func (g *Grid) search(ctx context.Context, p *problem) (*Result, error) {
	clock, err := p.begin("selection: Grid", g.Budget, g.now)
	if err != nil {
		return nil, err
	}
	params, err := g.params(ctx, p)
	if err != nil {
		return nil, err
	}
	t, err := p.trials(g.Splitter, g.Metric)
	if err != nil {
		return nil, err
	}
	n, _ := p.x.Dims()
	order := spread(len(params)) // of the trials
	rows := make([]TraceRow, len(params))
	for i, v := range params {
		if g.Params != nil || p.family == nil {
			order[i] = i
		}
		rows[i] = p.unscored(i+1, v, n)
	}
	known, asked := newResumed(g.Resume, p.name()), order[:0:0]
	for _, i := range order {
		if old, ok := known.score(params[i], n); ok {
			rows[i].Score, rows[i].Seconds, rows[i].Decision = old.Score, old.Seconds, p.mean(t, params[i])
			continue
		}
		t.params, asked = append(t.params, params[i]), append(asked, i)
	}
	recalled := len(order) - len(asked)
	order = asked
	t.workers, t.budget = g.Workers, clock
	t.observe = func(i int, score, seconds float64) {
		row := &rows[order[i]]
		row.Score, row.Seconds = score, seconds
		row.Decision = p.mean(t, row.Param)
		if math.IsNaN(score) {
			row.Decision = "a fit failed"
		}
		if g.Observe != nil {
			g.Observe(*row)
		}
	}
	done, err := p.try(ctx, t)
	if err != nil {
		return nil, err
	}
	out, err := g.conclude(p, params, order, rows, t, done)
	if err != nil {
		return nil, err
	}
	out.Fits += recalled * len(t.folds)
	out.Seconds = clock.seconds()
	return out, nil
}

// mean says what the score of a parameter is.
func (p *problem) mean(t trials, param float64) string {
	out := fmt.Sprintf("mean %s of %d folds", t.metric.Name, len(t.folds))
	if p.family == nil {
		out += ", " + p.entrants[int(param)]
	}
	return out
}

// conclude makes the result of trials, the i-th of which was of params[order[i]]; other
// rows have their score.
func (g *Grid) conclude(p *problem, params []float64, order []int, rows []TraceRow, t trials, done tried) (*Result, error) {
	scores, finished := make([]float64, len(params)), len(params)-len(order)
	for i, r := range rows {
		scores[i] = r.Score
	}
	for i, at := range order {
		scores[at] = done.scores[i]
		if text := done.unfinished(i, len(t.folds)); text != "" {
			rows[at].Decision = text
		} else {
			finished++
		}
	}
	at := best(t.metric, scores)
	if at < 0 {
		return nil, fmt.Errorf("selection: Grid: no parameter could be scored: %w", done.failed)
	}
	rows[at].Decision += ": chosen"
	out := &Result{
		Strategy: "grid", Param: params[at], Entropy: missing, Bits: missing, Target: missing, Status: StatusGrid,
		Score: scores[at], ScoreName: t.metric.Name, LargerIsBetter: t.metric.LargerIsBetter, Ridge: missing, Fits: done.fits(), Trace: rows,
	}
	if finished < len(params) {
		out.Status = StatusBudget
		out.Warnings = append(out.Warnings, fmt.Sprintf("the budget of %v ended the search: %d of %d parameters were tried", g.Budget, finished, len(params)))
	}
	if p.family != nil && len(params) > 1 && (at == 0 || at == len(params)-1) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the best parameter, %.4g, lies on the edge of the grid", params[at]))
	}
	if done.failed != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("some fits failed, the first with: %v", done.failed))
	}
	return out, nil
}
