package selection

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
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
// score: the baseline that every user knows. It costs Points × folds + 1 fits.
type Grid struct {
	Params []float64 // the parameters; nil: Points of them from Lo to Hi in equal ratios
	Points int       // 0: DefaultGridPoints
	Lo, Hi float64   // 0: DefaultGridLow and DefaultGridHigh times the family's Start
	// Splitter; nil: KFold{} for a Regressor, StratifiedKFold{} for a Classifier.
	Splitter Splitter
	// Metric; zero: NMSE for a Regressor, Accuracy for a Classifier.
	Metric  metrics.Metric
	Workers int // fits at a time; 0: GOMAXPROCS
	// Observe, if not nil, is called when a parameter has been scored, by one
	// goroutine at a time, in no certain order.
	Observe func(TraceRow)
}

func (g *Grid) params(ctx context.Context, p *problem) ([]float64, error) {
	const typ = "selection: Grid"
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
	begun := time.Now()
	params, err := g.params(ctx, p)
	if err != nil {
		return nil, err
	}
	folds, metric, err := p.trials(g.Splitter, g.Metric)
	if err != nil {
		return nil, err
	}
	n, _ := p.x.Dims()
	ks := make([]kernels.Kernel, len(params))
	rows := make([]TraceRow, len(params))
	for i, v := range params {
		ks[i] = p.family.At(v)
		rows[i] = unscored(i+1, v, n)
	}
	scores, failed, err := p.try(ctx, ks, folds, metric, g.Workers, func(i int, score, seconds float64) {
		rows[i].Score, rows[i].Seconds = score, seconds
		rows[i].Decision = fmt.Sprintf("mean %s of %d folds", metric.Name, len(folds))
		if math.IsNaN(score) {
			rows[i].Decision = "a fit failed"
		}
		if g.Observe != nil {
			g.Observe(rows[i])
		}
	})
	if err != nil {
		return nil, err
	}
	at := best(metric, scores)
	if at < 0 {
		return nil, fmt.Errorf("selection: Grid: no parameter could be scored: %w", failed)
	}
	rows[at].Decision += ": chosen"
	out := &Result{
		Strategy: "grid", Param: params[at], Entropy: missing, Bits: missing, Target: missing, Status: StatusGrid,
		Score: scores[at], ScoreName: metric.Name, Ridge: missing, Fits: len(params) * len(folds),
		Seconds: time.Since(begun).Seconds(), Trace: rows,
	}
	if len(params) > 1 && (at == 0 || at == len(params)-1) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the best parameter, %.4g, lies on the edge of the grid", params[at]))
	}
	if failed != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("some fits failed, the first with: %v", failed))
	}
	return out, nil
}
