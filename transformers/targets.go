package transformers

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// TargetFitter is a [Transformer] whose fit also uses the targets, such as columnwise.TargetEncoder. Pipelines and searches pass it
// the targets of their training rows. Fit receives no targets. If the transformer needs them, Fit returns an error that wraps
// errors.ErrUnsupported.
type TargetFitter interface {
	Transformer
	// FitTransformTargets fits the map to x (n×d) and the targets (n×k), and returns the rows to which an estimator is fitted. None
	// of these rows may depend on the row's own targets, which the estimator has to predict. They may therefore differ from the
	// result of Transform for x.
	//
	// A numeric target is one column. Two classes are one column, which is 1 in the rows of the second class and 0 elsewhere. With
	// more classes, each class has a column of its own, in the order of the labels. FitTransformTargets returns the errors of Fit,
	// ErrShape if targets has another number of rows, or ErrNotFinite.
	FitTransformTargets(ctx context.Context, x, targets mat.Matrix) (*mat.Dense, error)
}

// FitTransform fits t to x (n×d), and to the targets (n×k) if t is a [TargetFitter]. It returns the rows to which an estimator is
// fitted. The targets may be nil if t does not need them.
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
