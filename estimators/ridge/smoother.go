package ridge

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/smoother"
)

// ofFeatures is the regression with the same ridge for other rows.
type ofFeatures struct {
	*smoother.Features
	width int
}

// ofRows is the regression with the same ridge for other rows, of which there are fewer than columns. It uses the inner products of
// the rows.
type ofRows struct {
	*smoother.Kernel
	rows *mat.Dense // rows minus the means in Fit, for which the constant compensates
	of   *model
}

// Smoother implements [estimators.LinearSmoother]. The smoother is the regression with the chosen ridge for these rows and targets.
// The cost is O(nd²), or O(dn²) with more columns than rows.
func (r *Regressor) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (_ estimators.Smoother, err error) {
	defer check.Begin(&ctx)(&err)
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	d := len(r.m.means)
	xd, err := smoother.Check(regressorType, x, targets, weights, d)
	if err != nil {
		return nil, err
	}
	if n, _ := xd.Dims(); d > n {
		rows := r.m.centred(xd)
		gram := mat.NewSymDense(n, nil)
		if err := fast.SymOuterKContext(ctx, gram, 1, rows); err != nil {
			return nil, err
		}
		machine, err := smoother.NewKernel(ctx, gram, targets, weights, r.m.ridges[0], !r.NoIntercept)
		if err != nil {
			return nil, err
		}
		return &ofRows{Kernel: machine, rows: rows, of: r.m}, ctx.Err()
	}
	machine, err := smoother.NewFeatures(ctx, mat.DenseCopyOf(xd), targets, weights, r.m.ridges[0], !r.NoIntercept)
	if err != nil {
		return nil, err
	}
	return &ofFeatures{Features: machine, width: d}, ctx.Err()
}

// centred returns a copy of x minus the means.
func (m *model) centred(x *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	for i := range out.RawMatrix().Rows {
		floats.Sub(out.RawRowView(i), m.means)
	}
	return out
}

// Outputs implements estimators.Smoother.
func (s *ofFeatures) Outputs(ctx context.Context, x mat.Matrix) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	xd, err := check.Wide("x", x, s.width)
	if err != nil {
		return nil, err
	}
	return s.Features.Outputs(ctx, mat.DenseCopyOf(xd))
}

// Influence implements estimators.Smoother.
func (s *ofFeatures) Influence(ctx context.Context, x mat.Matrix) (f, b *mat.Dense, spread []float64, err error) {
	defer check.Begin(&ctx)(&err)
	xd, err := check.Wide("x", x, s.width)
	if err != nil {
		return nil, nil, nil, err
	}
	return s.Features.Influence(ctx, mat.DenseCopyOf(xd))
}

// products returns the centred rows of x, and their inner products with the rows of the machine.
func (s *ofRows) products(ctx context.Context, x mat.Matrix) (rows, k *mat.Dense, err error) {
	xd, err := check.Wide("x", x, len(s.of.means))
	if err != nil {
		return nil, nil, err
	}
	rows, k = s.of.centred(xd), &mat.Dense{}
	return rows, k, fast.MulContext(ctx, k, rows, s.rows.T())
}

// Outputs implements estimators.Smoother.
func (s *ofRows) Outputs(ctx context.Context, x mat.Matrix) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	_, k, err := s.products(ctx, x)
	if err != nil {
		return nil, err
	}
	return s.Kernel.Outputs(ctx, k)
}

// Influence implements estimators.Smoother.
func (s *ofRows) Influence(ctx context.Context, x mat.Matrix) (f, b *mat.Dense, spread []float64, err error) {
	defer check.Begin(&ctx)(&err)
	rows, k, err := s.products(ctx, x)
	if err != nil {
		return nil, nil, nil, err
	}
	own := make([]float64, rows.RawMatrix().Rows)
	for i := range own {
		own[i] = linalg.Dot(rows.RawRowView(i), rows.RawRowView(i))
	}
	return s.Kernel.Influence(ctx, k, own)
}
