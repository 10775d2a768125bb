package selection

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/transformers"
)

// FeatureLearner is a learner that is ridge regression on features, with the ridge chosen by leave-one-out. It fits targets, or ±1
// for each class against all others. An [entropy.Search] then scores kernels on these features of all rows. This is the learner's
// own leave-one-out error, rather than that of the kernel it approximates. FeatureMap returns the unfitted transformers that
// compute the features. A [pipeline.Regressor] that ends in a [ridge.Regressor] is a feature learner without this method.
type FeatureLearner interface {
	FeatureMap() []transformers.Transformer
}

// featureMap returns the transformers of a learner that is ridge regression on their output.
func featureMap(e any) []transformers.Transformer {
	switch m := e.(type) {
	case FeatureLearner:
		return m.FeatureMap()
	case *pipeline.Regressor:
		if r, ok := m.Final.(*ridge.Regressor); ok && r.Ridge == 0 && r.RidgeRule == ridge.LeaveOneOut && !r.NoIntercept {
			return m.Steps
		}
	}
	return nil
}

// targetsOf returns the targets of the distinct rows as steps expect them, or nil if no step learns from targets.
func targetsOf[Y float64 | int](steps []transformers.Transformer, merged *distinct.Rows, y []Y) mat.Matrix {
	learns := func(s transformers.Transformer) bool { _, ok := embedding.As[transformers.TargetFitter](s); return ok }
	if !slices.ContainsFunc(steps, learns) {
		return nil
	}
	out := targets.Matrix(y)
	if !merged.Repeated() {
		return out
	}
	return merged.Mean(mat.DenseCopyOf(out))
}

// featuresOf returns a function that computes the features (m×p) of the m distinct rows for a kernel, or nil if the sample learners
// have no features.
func (c engine[Y, E]) featuresOf(samples []E, merged *distinct.Rows, y []Y) func(ctx context.Context, k kernels.Kernel) (*mat.Dense,
	error) {
	if c.space.listed {
		return nil
	}
	for _, e := range samples {
		if any(e) == nil || len(featureMap(e)) == 0 {
			return nil
		}
	}
	return func(ctx context.Context, k kernels.Kernel) (*mat.Dense, error) {
		steps := featureMap(c.space.kernelOption(k).build())
		_, out, err := folds.FitChain(ctx, c.Type, steps, nil, merged.X, targetsOf(steps, merged, y))
		return out, err
	}
}
