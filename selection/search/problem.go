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

// Problem is the input of a Run. A strategy may read its fields but must not modify their contents.
type Problem struct {
	Settings
	Columns string          // name of the scaling, if several are compared; otherwise ""
	Family  families.Family // nil for candidates
	// Categories lists the columns of X that are only compared for equality. A strategy with one length per column treats them as
	// kernels.ARD does. For other strategies it is nil.
	Categories []int
	// Candidates holds the types of the candidates. It is nil if the points are kernels.
	Candidates []string
	Names      []string // names of the candidates; nil: none
	Turns      []int    // order in which candidates are tried, smaller first; nil: in the given order

	RidgeMachine bool // the closed-form score is the error of the learner itself
	// Features computes the features (n×m) of learners that are ridge regression on features. It is nil for other learners.
	Features func(ctx context.Context, k kernels.Kernel) (*mat.Dense, error)

	X       *mat.Dense // distinct preprocessed training rows
	Targets []float64  // targets of a regression, means of equal rows; nil for a classification
	Labels  []int      // labels of a classification, the most frequent of equal rows; nil for a regression
	Weights []float64  // weights of the rows; nil: 1 each

	// Distinct maps the original rows to those of X; nil: they are the same. GivenTargets and GivenLabels belong to the original
	// rows. New sets them if no rows are equal.
	Distinct     *distinct.Rows
	GivenTargets []float64
	GivenLabels  []int

	Metric   metrics.Metric
	Splitter validation.Splitter
	Try      func(ctx context.Context, family families.Family, a Attempt) (Attempted, error)
}

// Settings holds what all runs of a Fit have in common.
type Settings struct {
	Type           string // type of the estimator, for errors
	Workers        int
	MaxKernelBytes int64
	Budget         time.Duration // search time of the complete Fit; 0: no limit
	Observe        func(TraceRow)
	Resume         []TraceRow
	Now            func() time.Time // nil: time.Now
	Begun          func(*Run)       // called with each new run; may be nil
	Groups         []int            // groups of the original rows; nil: each row is its own group
	Fold           bool             // the rows are a fold of other rows
}

// NewProblem returns a problem with distinct rows and the targets or labels of all rows. Either target or labels is nil.
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

func (p *Problem) folds(s validation.Splitter) ([]validation.Fold, error) {
	if p.Distinct == nil {
		n, _ := p.X.Dims()
		return validation.Split(s, n, p.Labels)
	}
	return validation.SplitDistinct(s, p.Distinct, p.Labels, p.GivenLabels)
}
