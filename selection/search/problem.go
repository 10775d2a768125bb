package search

import (
	"context"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// Problem says what a Run searches and how. A strategy reads its fields and must not change what they hold.
type Problem struct {
	Settings
	Columns string          // how the columns were scaled, if there are several ways; "": one way
	Family  families.Family // nil if candidates are compared
	// Categories are the columns of X of whose values only equality counts. A strategy that gives columns lengths treats them
	// as kernels.ARD does; one that does not gets none.
	Categories []int
	// Candidates are the types of the candidates; nil if kernels are searched.
	Candidates []string
	Names      []string // of the candidates; nil: none
	Turns      []int    // in which candidates are tried, smaller first; nil: no order

	RidgeMachine bool // the learner is the machine that closed-form scores are of
	// Features makes the features (n×m) of learners that are ridge regression on features; nil for others.
	Features func(ctx context.Context, k kernels.Kernel) (*mat.Dense, error)

	X       *mat.Dense // the distinct training rows, preprocessed
	Targets []float64  // the targets of a regression, of equal rows their mean; nil for a classification
	Labels  []int      // the labels of a classification, of equal rows the most frequent; nil for a regression
	Weights []float64  // of the rows; nil: 1 each

	// Distinct says which of the rows given X has; nil: all. GivenTargets and GivenLabels are of the rows given; New sets
	// them if no rows are equal.
	Distinct     *distinct.Rows
	GivenTargets []float64
	GivenLabels  []int

	Metric   metrics.Metric
	Splitter validation.Splitter
	Try      func(ctx context.Context, family families.Family, a Attempt) (Attempted, error)
}

// Settings hold what all runs of a Fit share.
type Settings struct {
	Type           string // of the estimator, for errors
	Workers        int
	MaxKernelBytes int64
	Budget         time.Duration // that the whole Fit may search for; 0: no limit
	Observe        func(TraceRow)
	Resume         []TraceRow
	Now            func() time.Time // nil: time.Now
	Begun          func(*Run)       // is called with each new run; nil: nobody asks
	Groups         []int            // of the rows given; nil: each row is its own
	Fold           bool             // the rows are a part of others
}

// NewProblem returns a problem with distinct rows and the targets or labels of all rows, of which one is nil.
func NewProblem(merged *distinct.Rows, target []float64, labels []int) Problem {
	p := Problem{X: merged.X, Weights: merged.Weights, Distinct: merged, GivenTargets: target, GivenLabels: labels, Targets: target,
		Labels: labels}
	if !merged.Repeated() {
		return p
	}
	if target != nil {
		p.Targets = merged.Mean(mat.NewDense(len(target), 1, target)).RawMatrix().Data
	} else {
		p.Labels = merged.MostFrequent(labels)
	}
	return p
}

// folds divides the distinct rows.
func (p *Problem) folds(s validation.Splitter) ([]validation.Fold, error) {
	if p.Distinct == nil {
		n, _ := p.X.Dims()
		return validation.Split(s, n, p.Labels)
	}
	return validation.SplitDistinct(s, p.Distinct, p.Labels, p.GivenLabels)
}
