package selection

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/smoother/preprocessed"
)

// Smoother calls Smoother of the fitted estimator, with the preprocessed rows. If that estimator has no such method, as for the
// mean of several models, the error wraps errors.ErrUnsupported.
func (r *Regressor) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (_ estimators.Smoother, err error) {
	defer check.Begin(&ctx)(&err)
	return smootherOf(ctx, regressorType, r.f, x, targets, weights)
}

// Smoother calls Smoother of the fitted estimator, as in [Regressor.Smoother].
func (c *Classifier) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (_ estimators.Smoother, err error) {
	defer check.Begin(&ctx)(&err)
	return smootherOf(ctx, classifierType, c.f, x, targets, weights)
}

// CheckSmoother returns nil if at least one estimator that Space builds can hold the linear system for these numbers of rows.
// Otherwise it returns the error of the estimator's CheckSmoother. It does not fit anything.
func (r *Regressor) CheckSmoother(fitted, rows int) error {
	return r.engine().checkSmoother(fitted, rows)
}

// CheckSmoother is like [Regressor.CheckSmoother].
func (c *Classifier) CheckSmoother(fitted, rows int) error {
	return c.engine().checkSmoother(fitted, rows)
}

func (c engine[Y, E]) checkSmoother(fitted, rows int) error {
	if c.scalings != nil { // the mean of several models has no system
		return nil
	}
	var first error
	for _, e := range c.space.samples() {
		asked, ok := any(e).(interface{ CheckSmoother(fitted, rows int) error })
		if !ok || check.IsNil(e) {
			return nil
		}
		err := asked.CheckSmoother(fitted, rows)
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	if first != nil {
		return fmt.Errorf("%s: %w", c.Type, first)
	}
	return nil
}

func smootherOf[E any](ctx context.Context, typ string, f *fitted[E], x mat.Matrix, targets *mat.Dense,
	weights []float64) (estimators.Smoother, error) {
	z, err := f.transform(typ, x)
	if err != nil {
		return nil, err
	}
	linear, err := estimators.Capable[estimators.LinearSmoother](typ, f.inner, estimators.Smoothing)
	if err != nil {
		return nil, err
	}
	out, err := linear.Smoother(ctx, z, targets, weights)
	if err != nil {
		return nil, err
	}
	rows := func(x mat.Matrix) (mat.Matrix, error) { return f.transform(typ, x) }
	return &preprocessed.Smoother{Smoother: out, Steps: f.chain, Prepare: rows, Explain: f.named}, nil
}
