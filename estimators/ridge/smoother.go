package ridge

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/smoother"
)

// smoothed is the machine on other rows.
type smoothed struct {
	*smoother.Features
	width int
}

var _ estimators.LinearSmoother = (*Regressor)(nil)

// Smoother implements estimators.LinearSmoother: the regression with the chosen ridge on these rows
// and targets. Cost O(nd² + d³), also with more columns than rows.
func (r *Regressor) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (estimators.Smoother, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	d := len(r.m.means)
	xd, err := smoother.Check(regressorType, x, targets, weights, d)
	if err != nil {
		return nil, err
	}
	machine, err := smoother.NewFeatures(mat.DenseCopyOf(xd), targets, weights, r.m.ridge, !r.NoIntercept)
	if err != nil {
		return nil, err
	}
	return &smoothed{Features: machine, width: d}, ctx.Err()
}

// Outputs implements estimators.Smoother.
func (s *smoothed) Outputs(_ context.Context, x mat.Matrix) (*mat.Dense, error) {
	xd, err := check.Wide("x", x, s.width)
	if err != nil {
		return nil, err
	}
	return s.Features.Outputs(mat.DenseCopyOf(xd)), nil
}

// Influence implements estimators.Smoother.
func (s *smoothed) Influence(_ context.Context, x mat.Matrix) (f, b *mat.Dense, spread []float64, err error) {
	xd, err := check.Wide("x", x, s.width)
	if err != nil {
		return nil, nil, nil, err
	}
	f, b, spread = s.Features.Influence(mat.DenseCopyOf(xd))
	return f, b, spread, nil
}
