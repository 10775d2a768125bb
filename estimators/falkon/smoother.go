package falkon

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/machine"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/smoother"
)

// smoothed is a machine that is fitted to other rows, with the features of all of these rows.
type smoothed struct {
	*smoother.Features
	basis   *machine.Basis
	width   int
	workers int
}

// Smoother implements [estimators.LinearSmoother]. It returns the machine with the chosen kernel, ridge and landmarks for these
// rows and targets, which is solved directly. The machine holds n×M numbers. If they exceed MaxBytes, Smoother returns
// [estimators.ErrTooLarge]. The cost is O(nM²). Its variance does not include the part of k(x, x) that the landmarks do not
// explain.
func (r *Regressor) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (_ estimators.Smoother, err error) {
	defer check.Begin(&ctx)(&err)
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	m, d := r.m.Landmarks.Dims()
	xd, err := smoother.Check(regressorType, x, targets, weights, d)
	if err != nil {
		return nil, err
	}
	s := r.settings().withDefaults()
	n, _ := xd.Dims()
	if err := s.holdsFeatures(n, m); err != nil {
		return nil, err
	}
	b, err := r.m.Basis(ctx, s.Options())
	if err != nil {
		return nil, err
	}
	out := &smoothed{basis: b, width: d, workers: s.Workers}
	z, err := out.features(ctx, xd)
	if err != nil {
		return nil, err
	}
	if out.Features, err = smoother.NewFeatures(ctx, z, targets, weights, r.m.Ridge, !r.NoIntercept); err != nil {
		return nil, err
	}
	return out, ctx.Err()
}

// CheckSmoother returns the [estimators.ErrTooLarge] that Smoother would return for the given number of rows, after a fit to the
// given number of distinct rows. It returns nil if the rows are not too many. It does not compute anything else.
func (r *Regressor) CheckSmoother(fitted, rows int) error {
	s := r.settings().withDefaults()
	return s.holdsFeatures(rows, s.componentsFor(fitted))
}

// holdsFeatures returns an ErrTooLarge error if the features of n rows and their copies exceed the limit.
func (s machineSettings) holdsFeatures(n, m int) error {
	return check.BytesWithin(regressorType+": the features of all rows", 24*float64(n)*float64(m), s.MaxBytes,
		"fewer Components, or raise MaxBytes")
}

func (s *smoothed) features(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	n, _ := x.Dims()
	z := mat.NewDense(n, s.basis.M, nil)
	return z, parallel.ForEach(ctx, s.workers, rows.BlockCount(n, rows.BlockRows), func(i int) error {
		from, to := i*rows.BlockRows, min((i+1)*rows.BlockRows, n)
		return s.basis.Features(ctx, rows.Window(z, from, to), rows.Batch{First: from, X: anyrows.Slice(x, from, to)}, nil)
	})
}

// Outputs implements estimators.Smoother.
func (s *smoothed) Outputs(ctx context.Context, x mat.Matrix) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	z, err := s.featuresOf(ctx, x)
	if err != nil {
		return nil, err
	}
	return s.Features.Outputs(ctx, z)
}

func (s *smoothed) featuresOf(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	xd, err := check.Wide("x", x, s.width)
	if err != nil {
		return nil, err
	}
	return s.features(ctx, xd)
}

// Influence implements estimators.Smoother.
func (s *smoothed) Influence(ctx context.Context, x mat.Matrix) (f, b *mat.Dense, spread []float64, err error) {
	defer check.Begin(&ctx)(&err)
	z, err := s.featuresOf(ctx, x)
	if err != nil {
		return nil, nil, nil, err
	}
	return s.Features.Influence(ctx, z)
}
