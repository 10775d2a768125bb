package pipeline

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/smoother/preprocessed"
)

// Smoother implements [estimators.LinearSmoother] with the method of Final, on x transformed by the fitted steps.
func (p *Regressor) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (_ estimators.Smoother, err error) {
	defer check.Begin(&ctx)(&err)
	return smootherOf(ctx, p.configured, p.fitted, x, targets, weights)
}

// Smoother implements [estimators.LinearSmoother] with the method of Final, on x transformed by the fitted steps.
func (p *Classifier) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (_ estimators.Smoother, err error) {
	defer check.Begin(&ctx)(&err)
	return smootherOf(ctx, p.configured, p.fitted, x, targets, weights)
}

func smootherOf[T, P any, E learner[T, P]](
	ctx context.Context, configured func() *chain[T, P, E], fitted *chain[T, P, E], x mat.Matrix, targets *mat.Dense, weights []float64,
) (estimators.Smoother, error) {
	final, err := able[estimators.LinearSmoother](configured, fitted, estimators.Smoothing)
	if err != nil {
		return nil, err
	}
	z, err := fitted.rows(x) // The machine keeps the rows, so they cannot come from Pass, whose rows are valid only during the call.
	if err != nil {
		return nil, err
	}
	out, err := final.Smoother(ctx, z, targets, weights)
	if err != nil {
		return nil, fitted.ofFinal(err)
	}
	return &preprocessed.Smoother{Smoother: out, Steps: fitted.steps, Prepare: fitted.rows, Explain: fitted.ofFinal}, nil
}
