package lssvm

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/smoother"
	"github.com/kernelearn/kernelearn/kernels"
)

// smoothed is the machine with the same kernel and ridge for other rows, together with the full matrix P.
type smoothed struct {
	*smoother.Kernel
	prepared *kernels.Prepared
	kernel   kernels.Kernel
	rows     *mat.Dense
	width    int
}

// Smoother implements [estimators.LinearSmoother]. The smoother is the machine with the chosen kernel and ridge for these rows and
// targets. It holds 2n² numbers. If they exceed MaxKernelBytes, Smoother returns [estimators.ErrTooLarge]. The cost is O(n²d + n³).
// After FitMatrix the model has no rows with which it could compare x, and the error wraps [estimators.ErrNotFitted].
func (r *Regressor) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (_ estimators.Smoother, err error) {
	defer check.Begin(&ctx)(&err)
	return r.m.smoother(ctx, r.settings(), x, targets, weights)
}

// Smoother implements [estimators.LinearSmoother], like [Regressor.Smoother]. The argument targets holds the targets ±1 of the
// machine for each class, not the labels. The weights are not multiplied by those of Balanced.
func (c *Classifier) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (_ estimators.Smoother, err error) {
	defer check.Begin(&ctx)(&err)
	return c.m.smoother(ctx, c.settings(), x, targets, weights)
}

// CheckSmoother returns the [estimators.ErrTooLarge] that Smoother would return for this number of rows, or nil if Smoother would
// accept it. The number of fitted rows does not matter. It computes nothing.
func (r *Regressor) CheckSmoother(_, rows int) error { return r.settings().holdsSystem(rows) }

// CheckSmoother is like [Regressor.CheckSmoother].
func (c *Classifier) CheckSmoother(_, rows int) error { return c.settings().holdsSystem(rows) }

// holdsSystem returns ErrTooLarge if the system for this number of rows and its inverse exceed the limit.
func (s machineSettings) holdsSystem(rows int) error {
	n := float64(rows)
	return check.BytesWithin(s.typ+": the system of all rows and its inverse", 16*n*n, cmp.Or(s.options.MaxBytes, kernels.MaxKernelBytes),
		"fewer rows, or raise MaxKernelBytes")
}

func (m *machine) smoother(ctx context.Context, s machineSettings, x mat.Matrix, targets *mat.Dense,
	weights []float64) (estimators.Smoother, error) {
	if m == nil {
		return nil, fault.NotFitted(s.typ)
	}
	if m.rows == nil {
		return nil, &fault.NotFittedError{Type: s.typ + ": fitted on a matrix: there are no rows to compare with"}
	}
	_, d := m.rows.Dims()
	xd, err := smoother.Check(s.typ, x, targets, weights, d)
	if err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	if err := s.holdsSystem(n); err != nil {
		return nil, err
	}
	kept := mat.DenseCopyOf(xd)
	k, err := s.matrix(ctx, m.kernel, kept)
	if err != nil {
		return nil, err
	}
	machine, err := smoother.NewKernel(ctx, k, targets, weights, m.ridge, true)
	if err != nil {
		return nil, err
	}
	prepared, err := kernels.Prepare(ctx, m.kernel, kept, &s.options)
	if err != nil {
		return nil, err
	}
	return &smoothed{Kernel: machine, prepared: prepared, kernel: m.kernel, rows: kept, width: d}, ctx.Err()
}

// values returns the kernel values between new rows and the rows of the machine.
func (s *smoothed) values(ctx context.Context, x mat.Matrix) (rows, k *mat.Dense, err error) {
	if rows, err = check.Wide("x", x, s.width); err != nil {
		return nil, nil, err
	}
	k = &mat.Dense{}
	return rows, k, s.prepared.CrossTo(ctx, k, rows)
}

// Outputs implements estimators.Smoother.
func (s *smoothed) Outputs(ctx context.Context, x mat.Matrix) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	_, k, err := s.values(ctx, x)
	if err != nil {
		return nil, err
	}
	return s.Kernel.Outputs(ctx, k)
}

// Influence implements estimators.Smoother.
func (s *smoothed) Influence(ctx context.Context, x mat.Matrix) (f, b *mat.Dense, spread []float64, err error) {
	defer check.Begin(&ctx)(&err)
	rows, k, err := s.values(ctx, x)
	if err != nil {
		return nil, nil, nil, err
	}
	n, _ := rows.Dims()
	diag := make([]float64, n)
	kernels.Diag(diag, s.kernel, rows)
	return s.Kernel.Influence(ctx, k, diag)
}
