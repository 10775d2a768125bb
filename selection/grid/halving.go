package grid

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// Defaults of Halving.
const (
	defaultHalvingFactor = 3
	// defaultLeastRows is the smallest number of training rows in a fold.
	defaultLeastRows = 40
)

// Halving is successive halving over a grid (Jamieson and Talwalkar, AISTATS 2016). It fits all parameters on a part of each fold's
// training rows, and then the best 1/Factor of them on Factor times as many rows. It continues until the remaining parameters are
// fitted on all rows. It is a cheaper baseline than Search if the cost of a fit grows faster than the number of rows. With few rows
// it is the same as Search.
type Halving struct {
	// Params are as in [Search].
	Params []float64
	Points int     `zero:"24"`
	Lo, Hi float64 `zero:"1e-4 and 1e2 times the family's Start"`

	// Factor is ≥ 2. If it is 0, 3 is used.
	Factor int `zero:"3" least:"2"`

	// LeastRows is the smallest number of training rows in a fold, ≥ 2. If it is 0, 40 is used.
	LeastRows int `zero:"40" least:"2"`

	// Splitter is as in [Search].
	Splitter validation.Splitter

	// Metric is as in [Search].
	Metric metrics.Metric

	// Seed is the seed for drawing the parts of the training rows.
	Seed uint64
}

func (h *Halving) withDefaults() (Halving, error) {
	out := *h
	out.Factor, out.LeastRows = cmp.Or(out.Factor, defaultHalvingFactor), cmp.Or(out.LeastRows, defaultLeastRows)
	return out, settings.Check("grid: Halving", h)
}

// halvingRound describes one round of Halving.
type halvingRound struct {
	rows  int // training rows of a fold
	count int // number of parameters
}

// rounds returns the numbers of parameters and rows of each round. The last round uses all rows, and each earlier round 1/factor of
// the rows of the next, but at least the number least.
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

// Name returns "halving".
func (h *Halving) Name() string { return "halving" }

// Choose implements [search.Strategy]. It returns the errors of Search.
func (h *Halving) Choose(ctx context.Context, r *search.Run) (_ search.Choice, err error) {
	defer check.Begin(&ctx)(&err)
	if r == nil {
		return search.Choice{}, search.ErrNoRun
	}
	cfg, err := h.withDefaults()
	if err != nil {
		return search.Choice{}, err
	}
	points, err := (&Search{Params: cfg.Params, Points: cfg.Points, Lo: cfg.Lo, Hi: cfg.Hi}).points(ctx, r)
	if err != nil {
		return search.Choice{}, err
	}
	folds, err := r.Folds(cfg.Splitter)
	if err != nil {
		return search.Choice{}, err
	}
	smallest := len(folds[0].Train)
	for _, f := range folds {
		smallest = min(smallest, len(f.Train))
	}
	t := search.Trials{Metric: r.Metric(cfg.Metric)}
	out := search.Choice{Status: search.StatusGrid, Target: missing, Measure: search.MeasureOf(t.Metric)}
	left := points
	plan := rounds(len(points), smallest, cfg.Factor, cfg.LeastRows)
	r.Expect(len(plan))
	for i, round := range plan {
		t.Points, t.Folds, t.Round, t.Rows = left[:min(round.count, len(left))], folds, i+1, round.rows
		t.Spread = i == 0 // later rounds start with the best point of the round before, in case the budget ends
		if round.rows < smallest {
			t.Folds = cfg.parts(folds, r.Labels, round.rows)
		}
		rows, err := r.CrossValidate(ctx, t)
		if err != nil {
			return search.Choice{}, err
		}
		if out.Iteration, err = r.Best("Halving", out.Measure, rows); err != nil {
			return search.Choice{}, err
		}
		if r.Cut() {
			r.Warn("the budget of %v ended the search", r.Budget)
			break
		}
		left = bestFirst(r, out.Measure, rows)
	}
	warnOfEdge(r, points, out.Iteration)
	return out, nil
}

// bestFirst returns the points of rows in the order of their scores, with those without a score last.
func bestFirst(r *search.Run, m search.Measure, iterations []int) []search.Point {
	rows := make([]search.TraceRow, len(iterations))
	for i, at := range iterations {
		rows[i] = r.Row(at)
	}
	slices.SortStableFunc(rows, func(a, b search.TraceRow) int {
		switch {
		case m.Better(a.Score, b.Score):
			return -1
		case m.Better(b.Score, a.Score):
			return 1
		}
		return 0
	})
	out := make([]search.Point, len(rows))
	for i, row := range rows {
		out[i] = row.Point
	}
	return out
}

// parts returns the folds with the given number of training rows, stratified by class. The training rows for a smaller number are a
// subset of those for a larger one.
func (h *Halving) parts(folds []validation.Fold, labels []int, rows int) []validation.Fold {
	out := make([]validation.Fold, len(folds))
	for i, f := range folds {
		rng := rand.New(rand.NewPCG(h.Seed, 0x68616c76<<16+uint64(i))) // the random streams "halv" 0, 1, ...
		shuffled := slices.Clone(f.Train)
		rng.Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
		if labels != nil {
			shuffled = interleaved(shuffled, labels)
		}
		train := shuffled[:min(rows, len(shuffled))]
		slices.Sort(train)
		out[i] = validation.Fold{Train: train, Test: f.Test}
	}
	return out
}

// interleaved orders rows so that every prefix has the classes in proportion.
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
