package transformers

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// TargetFitter is a [Transformer] that learns from the targets too, such as columnwise.TargetEncoder. Pipelines and
// searches give it those of their training rows. Its Fit, which has none, returns an error that wraps
// errors.ErrUnsupported if it cannot do without.
type TargetFitter interface {
	Transformer
	// FitTransformTargets learns the map from x (n×d) and the targets (n×k), and returns what an estimator is to learn
	// from for the rows of x: no row of it may depend on the row's own targets, or the estimator would see in the rows
	// what it has to predict. It may therefore differ from what Transform returns for x. A number is one column. Two
	// classes are one column, 1 in the rows of the second class and 0 elsewhere, and more classes are such a column each,
	// in the order of their labels. Errors are those of Fit, ErrShape for another number of rows in targets, and
	// ErrNotFinite.
	FitTransformTargets(ctx context.Context, x, targets mat.Matrix) (*mat.Dense, error)
}

// FitTransform fits t to x (n×d), and to the targets (n×k) if it is a [TargetFitter], and returns what an estimator is
// to learn from. Targets may be nil if t does not need them.
func FitTransform(ctx context.Context, t Transformer, x, targets mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	if check.IsNil(t) {
		return nil, fault.Param("transformers: FitTransform", "t", nil, "a transformer")
	}
	if s, ok := embedding.As[TargetFitter](t); ok && targets != nil {
		return s.FitTransformTargets(ctx, x, targets)
	}
	first, rest := progress.Two(ctx, 2, 1)
	if err := t.Fit(first, x); err != nil {
		return nil, err
	}
	return TransformContext(rest, t, x)
}
