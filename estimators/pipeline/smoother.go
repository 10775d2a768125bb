package pipeline

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
)

// Smoother implements [estimators.LinearSmoother] with Final's, on what the fitted steps make of x.
func (p *Regressor) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (_ estimators.Smoother, err error) {
	defer check.Begin(&ctx)(&err)
	return smootherOf(ctx, p.configured, p.fitted, x, targets, weights)
}

// Smoother implements [estimators.LinearSmoother] with Final's, on what the fitted steps make of x.
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
	z, err := fitted.rows(x) // not Pass, whose rows are for the call alone: the machine keeps them
	if err != nil {
		return nil, err
	}
	out, err := final.Smoother(ctx, z, targets, weights)
	if err != nil {
		return nil, fitted.ofFinal(err)
	}
	return &smoothed{Smoother: out, steps: fitted.steps, rows: fitted.rows, named: fitted.ofFinal}, nil
}

// smoothed is a final estimator's behind the steps.
type smoothed struct {
	estimators.Smoother
	steps *Transformer
	rows  func(mat.Matrix) (mat.Matrix, error)
	named func(error) error
}

// Outputs implements estimators.Smoother.
func (s *smoothed) Outputs(ctx context.Context, x mat.Matrix) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	z, err := s.rows(x)
	if err != nil {
		return nil, err
	}
	f, err := s.Smoother.Outputs(ctx, z)
	return f, s.named(err)
}

// Influence implements estimators.Smoother.
func (s *smoothed) Influence(ctx context.Context, x mat.Matrix) (f, b *mat.Dense, spread []float64, err error) {
	defer check.Begin(&ctx)(&err)
	z, err := s.rows(x)
	if err != nil {
		return nil, nil, nil, err
	}
	f, b, spread, err = s.Smoother.Influence(ctx, z)
	return f, b, spread, s.named(err)
}
