package selection

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// Strategy chooses a kernel of a family for given rows and targets. It is
// implemented by *Entropy, *Grid, *Halving and *GoldenSection. Strategies are
// configuration only, so one may serve several estimators at the same time.
type Strategy interface {
	search(ctx context.Context, p *problem) (*Result, error)
}

var (
	_ Strategy = (*Entropy)(nil)
	_ Strategy = (*Grid)(nil)
	_ Strategy = (*GoldenSection)(nil)
)

// problem is what a strategy is asked.
type problem struct {
	typ      string         // for errors
	family   kernels.Family // nil where Candidates are compared
	entrants []string       // the Candidates' types
	running  *clock         // of all searches of a Fit
	// ridgeMachine says that the learner is the machine that closed-form scores are of.
	ridgeMachine bool
	x            *mat.Dense // the training rows, preprocessed
	y            []float64  // the targets of a regression, nil for a classification
	labels       []int      // the labels of a classification, nil for a regression
	weights      []float64  // of the rows, nil for 1 each
	metric       metrics.Metric
	splitter     Splitter
	// try fits and scores the learner on each fold of each trial, in their order.
	try func(ctx context.Context, t trials) (tried, error)
}

// name is that of the family in a trace.
func (p *problem) name() string {
	if p.family == nil {
		return candidatesName
	}
	return p.family.String()
}

// trials are parameters to fit and score the learner with.
type trials struct {
	family  kernels.Family // nil: Candidates, whose numbers the parameters are
	params  []float64
	folds   []Fold
	metric  metrics.Metric
	workers int
	budget  budget
	// observe is called after the last fold of a parameter, one call at a time.
	observe func(trial int, score, seconds float64)
}

// tried is what came of trials.
type tried struct {
	scores []float64 // the mean over the folds; NaN where a fit failed or the budget cut some off
	folds  []int     // how many were fitted
	failed error     // the first of the fits that failed
}

// fits returns how often the learner was fitted.
func (t tried) fits() int {
	sum := 0
	for _, n := range t.folds {
		sum += n
	}
	return sum
}

// unfinished says in a trace what became of trial i of so many folds; it is empty
// where all were fitted.
func (t tried) unfinished(i, folds int) string {
	switch t.folds[i] {
	case folds:
		return ""
	case 0:
		return "not scored: the budget was spent"
	}
	return fmt.Sprintf("not scored: the budget was spent after %d of %d folds", t.folds[i], folds)
}

// budget is the time that a search may begin new work in; a limit of 0 is none.
type budget struct {
	limit time.Duration // from begun on
	begun time.Time
	now   func() time.Time
}

// clock is what the searches of one Fit share a budget by.
type clock struct {
	begun time.Time // of the first
	left  int       // searches that are to begin; each may use an equal part of what is left
}

// begin starts the clock of a search; now nil is time.Now.
func (p *problem) begin(typ string, limit time.Duration, now func() time.Time) (budget, error) {
	if limit < 0 {
		return budget{}, fault.Param(typ, "Budget", limit, ">= 0, or 0 for none")
	}
	if now == nil {
		now = time.Now
	}
	b := budget{limit: limit, begun: now(), now: now}
	if p.running == nil || limit == 0 {
		return b, nil
	}
	if p.running.begun.IsZero() {
		p.running.begun = b.begun
	}
	// At least a nanosecond: 0 would be no limit.
	b.limit = max((limit-b.begun.Sub(p.running.begun))/time.Duration(max(1, p.running.left)), 1)
	p.running.left--
	return b, nil
}

func (b budget) spent() bool { return b.limit > 0 && b.now().Sub(b.begun) >= b.limit }

func (b budget) seconds() float64 { return b.now().Sub(b.begun).Seconds() }

// spread returns the numbers 0..n-1 in an order whose every beginning is spread over
// their range: the middle, those of both halves, of the quarters, and so on. A search
// that a budget ends has then looked everywhere, if coarsely.
func spread(n int) []int {
	out := make([]int, 0, n)
	parts := [][2]int{{0, n}}
	for i := 0; i < len(parts); i++ {
		lo, hi := parts[i][0], parts[i][1]
		if lo == hi {
			continue
		}
		middle := (lo + hi) / 2
		out = append(out, middle)
		parts = append(parts, [2]int{lo, middle}, [2]int{middle + 1, hi})
	}
	return out
}

// trials returns trials of no kernels yet, with what the caller left open filled in.
func (p *problem) trials(s Splitter, m metrics.Metric) (trials, error) {
	if s == nil {
		s = p.splitter
	}
	if unset(m) {
		m = p.metric
	}
	n, _ := p.x.Dims()
	folds, err := split(s, n, p.labels)
	return trials{family: p.family, folds: folds, metric: m}, err
}

// unset reports whether m is the zero Metric.
func unset(m metrics.Metric) bool {
	return m.Name == "" && m.Values == nil && m.Variance == nil && m.Labels == nil && m.Scores == nil && m.Proba == nil
}

// unscored is a trace row for a parameter of which nothing is known yet.
func (p *problem) unscored(iteration int, param float64, rows int) TraceRow {
	return TraceRow{
		Family: p.name(), Iteration: iteration, Param: param, Rows: rows,
		EntropyLow: missing, Entropy: missing, EntropyHigh: missing, Bits: missing, EffectiveRank: missing,
		Score: missing, Ridge: missing,
	}
}

// best returns the index of the best score, -1 if all are NaN; the first of
// those that tie.
func best(m metrics.Metric, scores []float64) int {
	at := -1
	for i, s := range scores {
		if !math.IsNaN(s) && (at < 0 || better(m, s, scores[at])) {
			at = i
		}
	}
	return at
}
