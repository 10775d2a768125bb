package selection

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// Strategy chooses a kernel of a family for given rows and targets. It is
// implemented by *Entropy and *Grid. Strategies are configuration only, so one
// may serve several estimators at the same time.
type Strategy interface {
	search(ctx context.Context, p *problem) (*Result, error)
}

var (
	_ Strategy = (*Entropy)(nil)
	_ Strategy = (*Grid)(nil)
)

// problem is what a strategy is asked.
type problem struct {
	typ      string // for errors
	family   kernels.Family
	x        *mat.Dense // the training rows, preprocessed
	y        []float64  // the targets of a regression, nil for a classification
	labels   []int      // the labels of a classification, nil for a regression
	metric   metrics.Metric
	splitter Splitter
	// try fits and scores the learner with each kernel on each fold, and returns
	// the mean score of each, NaN where a fit failed, with the first such error.
	// A call of observe, after each kernel's last fold, is one at a time.
	try func(ctx context.Context, ks []kernels.Kernel, folds []Fold, m metrics.Metric, workers int,
		observe func(kernel int, score, seconds float64)) (scores []float64, failed, err error)
}

// trials fills in what the caller left open.
func (p *problem) trials(s Splitter, m metrics.Metric) ([]Fold, metrics.Metric, error) {
	if s == nil {
		s = p.splitter
	}
	if m.Name == "" && m.Values == nil && m.Labels == nil && m.Scores == nil {
		m = p.metric
	}
	n, _ := p.x.Dims()
	folds, err := split(s, n, p.labels)
	return folds, m, err
}

// unscored is a trace row for a parameter of which nothing is known yet.
func unscored(iteration int, param float64, rows int) TraceRow {
	return TraceRow{
		Iteration: iteration, Param: param, Rows: rows,
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
