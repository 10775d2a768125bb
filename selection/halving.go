package selection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// Defaults of Halving.
const (
	DefaultHalvingFactor = 3
	// DefaultLeastRows is the fewest training rows of a fold that parameters are judged on.
	DefaultLeastRows = 40
)

// Halving is successive halving over a grid (Jamieson and Talwalkar, AISTATS 2016): all
// parameters are fitted on a part of each fold's training rows, the best of them, one in
// Factor, on Factor times as many, and so on, until the last are fitted on all: a baseline
// that is cheaper than Grid where fits grow faster than their rows. With few rows it is
// Grid.
type Halving struct {
	Params []float64 // as Grid's
	Points int
	Lo, Hi float64
	// Candidates and ClassifierCandidates are as Grid's.
	Candidates           []func() estimators.Regressor
	ClassifierCandidates []func() estimators.Classifier

	Factor int // ≥ 2; 0: DefaultHalvingFactor
	// LeastRows is the fewest training rows of a fold, ≥ 2; 0: DefaultLeastRows.
	LeastRows int
	Splitter  Splitter       // as Grid's
	Metric    metrics.Metric // as Grid's
	Seed      uint64         // of the parts
	Workers   int            // fits at a time; 0: GOMAXPROCS
	// Budget is the time after which no further fit of the search is begun, and the best of
	// the parameters that got farthest is taken; 0: none.
	Budget time.Duration
	// Observe, if not nil, is called when a parameter has been scored in a round, by one
	// goroutine at a time, in no certain order.
	Observe func(TraceRow)
	Resume  []TraceRow // of an earlier search, as Entropy's

	now func() time.Time // nil: time.Now
}

var _ Strategy = (*Halving)(nil)

func (h *Halving) withDefaults() (Halving, error) {
	const typ = "selection: Halving"
	out := *h
	if out.Factor == 0 {
		out.Factor = DefaultHalvingFactor
	}
	if out.LeastRows == 0 {
		out.LeastRows = DefaultLeastRows
	}
	switch {
	case out.Factor < 2:
		return out, fault.Param(typ, "Factor", out.Factor, ">= 2, or 0 for the default")
	case out.LeastRows < 2:
		return out, fault.Param(typ, "LeastRows", out.LeastRows, ">= 2, or 0 for the default")
	}
	return out, nil
}

// halvingRound is what one round of Halving does.
type halvingRound struct {
	rows  int // training rows of a fold
	count int // parameters
}

// rounds plans how many parameters are judged on how many rows: the last on all, those
// before on one part in factor of the next, but not on fewer than least.
func rounds(parameters, rows, factor, least int) []halvingRound {
	out := []halvingRound{{rows, parameters}}
	for parts := factor; parameters > 1 && rows/parts >= least && len(out) < 30; parts *= factor {
		out = append([]halvingRound{{rows / parts, parameters}}, out...)
		if math.Pow(float64(factor), float64(len(out)-1)) >= float64(parameters) {
			break
		}
	}
	left := parameters
	for i := range out {
		out[i].count = left
		left = (left + factor - 1) / factor
	}
	return out
}

func (h *Halving) search(ctx context.Context, p *problem) (*Result, error) {
	cfg, err := h.withDefaults()
	if err != nil {
		return nil, err
	}
	clock, err := p.begin("selection: Halving", cfg.Budget, cfg.now)
	if err != nil {
		return nil, err
	}
	grid := &Grid{Params: cfg.Params, Points: cfg.Points, Lo: cfg.Lo, Hi: cfg.Hi}
	params, err := grid.params(ctx, p)
	if err != nil {
		return nil, err
	}
	t, err := p.trials(cfg.Splitter, cfg.Metric)
	if err != nil {
		return nil, err
	}
	t.workers, t.budget = cfg.Workers, clock
	s := &halvingSearch{Halving: cfg, p: p, trials: t, known: newResumed(cfg.Resume, p.name()), out: &Result{
		Strategy: "halving", Entropy: missing, Bits: missing, Target: missing, Status: StatusGrid, ScoreName: t.metric.Name,
		LargerIsBetter: t.metric.LargerIsBetter, Ridge: missing,
	}}
	smallest := len(t.folds[0].Train)
	for _, f := range t.folds {
		smallest = min(smallest, len(f.Train))
	}
	left := params
	for i, r := range rounds(len(params), smallest, cfg.Factor, cfg.LeastRows) {
		last := r.rows == smallest
		if left, err = s.round(ctx, i, left[:min(r.count, len(left))], r.rows, last); err != nil {
			return nil, err
		}
		if s.cut {
			break
		}
	}
	return s.conclude(params, left, clock)
}

// halvingSearch is the state of one search.
type halvingSearch struct {
	Halving
	p      *problem
	trials trials
	known  resumed
	cut    bool
	failed error
	best   float64
	out    *Result
}

// round scores some parameters on so many rows of each fold and returns them best first.
func (s *halvingSearch) round(ctx context.Context, number int, params []float64, rows int, last bool) ([]float64, error) {
	t := s.trials
	if !last {
		t.folds = s.parts(rows)
	}
	first := len(s.out.Trace)
	decision := func(param float64) string { return fmt.Sprintf("round %d: %s", number+1, s.p.mean(t, param)) }
	t.params = nil
	var asked []int
	order := spread(len(params))
	if number > 0 { // the best of the last round first, should the budget end this one
		slices.Sort(order)
	}
	for _, i := range order {
		if _, ok := s.known.score(params[i], rows); !ok {
			asked = append(asked, i)
			t.params = append(t.params, params[i])
		}
	}
	for i, v := range params {
		row := s.p.unscored(first+i+1, v, rows)
		if old, ok := s.known.score(v, rows); ok {
			row.Score, row.Seconds, row.Decision = old.Score, old.Seconds, decision(v)
			s.out.Fits += len(t.folds)
		}
		s.out.Trace = append(s.out.Trace, row)
	}
	t.observe = func(i int, score, seconds float64) {
		row := &s.out.Trace[first+asked[i]]
		row.Score, row.Seconds, row.Decision = score, seconds, decision(row.Param)
		if math.IsNaN(score) {
			row.Decision = "a fit failed"
		}
		if s.Observe != nil {
			s.Observe(*row)
		}
	}
	done, err := s.p.try(ctx, t)
	if err != nil {
		return nil, err
	}
	s.out.Fits += done.fits()
	if done.failed != nil {
		s.failed = done.failed
	}
	for i, at := range asked {
		if text := done.unfinished(i, len(t.folds)); text != "" {
			s.out.Trace[first+at].Decision, s.cut = text, true
		}
	}
	return s.order(first, params), nil
}

// order returns the parameters of a round best first; those without a score last.
func (s *halvingSearch) order(first int, params []float64) []float64 {
	at := make([]int, len(params))
	for i := range at {
		at[i] = i
	}
	score := func(i int) float64 { return s.out.Trace[first+i].Score }
	slices.SortStableFunc(at, func(a, b int) int {
		switch va, vb := score(a), score(b); {
		case math.IsNaN(va) && math.IsNaN(vb):
			return 0
		case math.IsNaN(vb) || (!math.IsNaN(va) && better(s.trials.metric, va, vb)):
			return -1
		case math.IsNaN(va) || better(s.trials.metric, vb, va):
			return 1
		}
		return 0
	})
	out := make([]float64, len(params))
	for i, a := range at {
		out[i] = params[a]
	}
	if len(at) > 0 {
		s.best = score(at[0])
	}
	return out
}

// parts returns the folds with that many of their training rows, of a classification each
// class in proportion; those of a smaller part are among those of a larger one.
func (s *halvingSearch) parts(rows int) []Fold {
	out := make([]Fold, len(s.trials.folds))
	for i, f := range s.trials.folds {
		rng := rand.New(rand.NewPCG(s.Seed, 0x68616c76<<16+uint64(i))) // the streams "halv" 0, 1, ...
		shuffled := slices.Clone(f.Train)
		rng.Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
		if s.p.labels != nil {
			shuffled = interleaved(shuffled, s.p.labels)
		}
		train := shuffled[:min(rows, len(shuffled))]
		slices.Sort(train)
		out[i] = Fold{Train: train, Test: f.Test}
	}
	return out
}

// interleaved orders rows so that every beginning has the classes in proportion.
func interleaved(rows, labels []int) []int {
	size, seen := map[int]int{}, map[int]int{}
	for _, r := range rows {
		size[labels[r]]++
	}
	place := make(map[int]float64, len(rows))
	for _, r := range rows {
		seen[labels[r]]++
		place[r] = (float64(seen[labels[r]]) - 0.5) / float64(size[labels[r]])
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		switch {
		case place[a] < place[b]:
			return -1
		case place[a] > place[b]:
			return 1
		}
		return 0
	})
	return rows
}

func (s *halvingSearch) conclude(params, left []float64, clock budget) (*Result, error) {
	if len(left) == 0 || math.IsNaN(s.best) {
		return nil, fmt.Errorf("selection: Halving: no parameter could be scored: %w", s.failed)
	}
	o := s.out
	o.Param, o.Score = left[0], s.best
	for i := len(o.Trace) - 1; i >= 0; i-- {
		if o.Trace[i].Param == o.Param {
			o.Trace[i].Decision += ": chosen"
			break
		}
	}
	if s.cut {
		o.Status = StatusBudget
		o.Warnings = append(o.Warnings, fmt.Sprintf("the budget of %v ended the search", s.Budget))
	}
	if s.p.family != nil && len(params) > 1 && (o.Param == params[0] || o.Param == params[len(params)-1]) {
		o.Warnings = append(o.Warnings, fmt.Sprintf("the best parameter, %.4g, lies on the edge of the grid", o.Param))
	}
	if s.failed != nil {
		o.Warnings = append(o.Warnings, fmt.Sprintf("some fits failed, the first with: %v", s.failed))
	}
	o.Seconds = clock.seconds()
	return o, nil
}
