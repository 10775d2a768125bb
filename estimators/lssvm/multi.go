package lssvm

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	multiType = "lssvm: MultiRegressor"
	multiKind = "lssvm.MultiRegressor"
)

// MultiRegressor is a [Regressor] for several targets. The targets share one kernel matrix and its factorisation. The zero value is
// ready to use. The targets need no scaling: the kernel's length and the ridge minimise the sum of the squared leave-one-out
// errors, where the error of a target is in units of its spread. All targets share one length and one ridge, because each ridge
// needs a separate factorisation. A target that needs a different ridge costs as much as a separate Regressor.
//
// See also MultiRegressor in package falkon, MultiRegressor in package ridge.
type MultiRegressor struct {
	// Kernel is the kernel k. If it is nil, leave-one-out chooses a Matérn kernel together with the ridge. If Ridge is set or
	// [RidgeRule] is [Heuristic], [kernels.MedianRBF] of the training rows is used instead.
	Kernel kernels.Kernel

	// Ridge is the regularisation parameter λ. If it is 0, [RidgeRule] determines it.
	Ridge float64 `zero:"the choice by RidgeRule"`

	// RidgeRule determines how the ridge is chosen if Ridge is 0. The zero value is [LeaveOneOut].
	RidgeRule RidgeRule

	// Solver selects the method that solves the linear system. If it is [Automatic], the number of rows and MaxKernelBytes decide.
	Solver Solver

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The rows of a group are left
	// out together, so that the ridge, the kernel and the intervals are chosen for new groups. If it is nil, equal rows are left
	// out together.
	Groups []int `settings:"-"`

	// Seed is the seed for the samples of rows on which a kernel is chosen if there are many rows.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// MaxKernelBytes is the limit on the size of the kernel matrix. With [ConjugateGradients] this includes the preconditioner and
	// the vectors. If it is 0, the limit is [kernels.MaxKernelBytes].
	MaxKernelBytes int64 `zero:"kernels.MaxKernelBytes"`

	// If Observe is not nil, it is called after each ridge that leave-one-out evaluates, and after each iteration of
	// [ConjugateGradients].
	Observe func(estimators.Step)

	// Checkpoint and Resume are as in [Regressor].
	Checkpoint func(*State)
	Resume     *State

	m *machine
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *MultiRegressor) SetGroups(groups []int) { r.Groups = groups }

func (r *MultiRegressor) settings() machineSettings {
	return machineSettings{
		typ: multiType, kernel: r.Kernel, ridge: r.Ridge, rule: r.RidgeRule, solver: r.Solver, seed: r.Seed, groups: r.Groups,
		options:    kernels.Options{Workers: r.Workers, MaxBytes: r.MaxKernelBytes},
		checkpoint: r.Checkpoint, resume: r.Resume,
	}
}

// Fit fits the model to x (n×d) and the targets y (n×k). The cost is O(n²d + n³ + n²k). It returns the errors of [Regressor.Fit].
func (r *MultiRegressor) Fit(ctx context.Context, x, y mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row, which is the same for all its targets. A weight of 2 has the
// same effect as the row given twice. If the ridge is chosen by leave-one-out, only the ratios of the weights matter.
func (r *MultiRegressor) FitWeighted(ctx context.Context, x, y mat.Matrix, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, check.Given(weights))
}

func (r *MultiRegressor) fit(ctx context.Context, x, y mat.Matrix, weights []float64) error {
	s := r.settings()
	if err := settings.Check(multiType, r); err != nil {
		return err
	}
	rows, err := s.rows(x)
	if err != nil {
		return err
	}
	yd, err := targets.CheckFor(rows, y)
	if err != nil {
		return err
	}
	if err := check.GivenWeights(multiType, weights, yd.RawMatrix().Rows); err != nil {
		return err
	}
	own, units, err := targets.Standard(multiType, yd, weights, true)
	if err != nil {
		return err
	}
	m, err := fitRows(ctx, s, rows, own, weights)
	if err != nil {
		return err
	}
	if err := m.toUnits(units); err != nil {
		return err
	}
	r.m = m
	return nil
}

// CheckRowCount returns the [estimators.ErrTooLarge] that Fit would return for this number of rows, or nil if Fit would
// accept it. It computes nothing, so that a search can call it before it begins.
func (r *MultiRegressor) CheckRowCount(rows int) error { return r.settings().holds(rows) }

// toUnits converts a machine for scaled targets to the original units of the targets.
func (m *machine) toUnits(units *targets.Units) error {
	units.Rescale(m.alpha)
	units.Restore(m.bias)
	if err := targets.Finite(multiType, m.bias); err != nil {
		return err
	}
	if m.given.index != nil {
		units.Rescale(m.given.rest)
		units.Squares(m.given.within)
		if err := targets.Finite(multiType, m.given.within); err != nil {
			return err
		}
	}
	if m.left != nil {
		units.Rescale(m.left.residuals)
		units.Squares(m.left.scales)
		if err := targets.Finite(multiType, m.left.scales); err != nil {
			return err
		}
		if err := targets.FiniteColumns(multiType, m.left.residuals); err != nil {
			return err
		}
	}
	// The squares of the coefficients must be finite too, because variances that are computed later use them.
	squares := make([]float64, len(m.bias))
	for i := range m.n {
		for j, a := range m.alpha.RawRowView(i) {
			squares[j] += a * a
		}
	}
	return targets.Finite(multiType, squares)
}

// Predict returns Σ α[i] k(x, x[i]) + b for each target (m×k) and each row of x (m×d). The cost is O(mnd + mnk).
func (r *MultiRegressor) Predict(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return r.m.decide(multiType, x, r.settings().options)
}

// PredictTo is like Predict but writes to dst (m×k). Up to sixteen rows of a dense matrix are predicted one by one
// without allocating memory. The predictions agree with those of Predict up to rounding.
func (r *MultiRegressor) PredictTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Scores(multiType, dst, x, r.m.rowWidth(), r.Targets(), r.Predict, r.m.row)
}

// PredictVariance returns the means and the variances of new observations of each target (m×k) at each row of x (m×d). The
// variances include the noise. The cost is O(mn²) for any number of targets, plus O(n³) in the first call after Fit or
// UnmarshalBinary. After [ConjugateGradients] it is O(mn).
func (r *MultiRegressor) PredictVariance(x mat.Matrix) (mean, variance *mat.Dense, err error) {
	defer fault.Recover(&err)
	return r.m.predictVariance(multiType, x, r.settings().options)
}

// PredictInterval returns the bounds (m×k) of central intervals for new observations at each row of x (m×d), for each target
// separately. An interval contains the observation with probability level, in (0, 1), if the distribution is normal with the mean
// and variance of PredictVariance. Cost and errors are those of PredictVariance.
func (r *MultiRegressor) PredictInterval(x mat.Matrix, level float64) (low, high *mat.Dense, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(multiType, level); err != nil {
		return nil, nil, err
	}
	mean, variance, err := r.PredictVariance(x)
	return interval.Matrices(interval.Normal(level), mean, variance, err)
}

// Targets returns k, the number of targets. It returns 0 before Fit.
func (r *MultiRegressor) Targets() int {
	if r.m == nil {
		return 0
	}
	return len(r.m.bias)
}

// ChosenKernel returns the kernel that Fit used. It returns nil before Fit.
func (r *MultiRegressor) ChosenKernel() kernels.Kernel { return r.m.chosenKernel() }

// ChosenRidge returns the ridge λ that Fit used for all targets. It returns 0 before Fit.
func (r *MultiRegressor) ChosenRidge() float64 { return r.m.chosenRidge() }

// Coefficients returns α, with a row for each distinct training row, in the order of their first occurrence, and a column for each
// target. It returns nil before Fit.
func (r *MultiRegressor) Coefficients() *mat.Dense {
	if r.m == nil {
		return nil
	}
	return mat.DenseCopyOf(r.m.alpha)
}

// Intercepts returns b for each target. It returns nil before Fit.
func (r *MultiRegressor) Intercepts() []float64 {
	if r.m == nil {
		return nil
	}
	return slices.Clone(r.m.bias)
}

// LeaveOneOutResiduals returns y[i,j] minus its prediction by the model fitted to all other rows with the same ridge (n×k). The
// residuals are exact, except with [ConjugateGradients], where they are estimates. For one row it returns nil. If leave-one-out
// chose the ridge, and after [ConjugateGradients], the call costs nothing more. Otherwise the first call after Fit or
// UnmarshalBinary costs O(n³). It returns [estimators.ErrNotFitted] or the error of ctx.
func (r *MultiRegressor) LeaveOneOutResiduals(ctx context.Context) (_ *mat.Dense, err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.m.leaveOneOutResiduals(ctx, multiType)
}

// Details describes how the last Fit solved the linear system. It returns the zero value before Fit.
func (r *MultiRegressor) Details() Details { return r.m.copiedDetails() }

// Report describes the last Fit, like [Regressor.Report]. Objective is the sum over the targets, each in units of its spread.
func (r *MultiRegressor) Report() estimators.Report { return r.m.copiedReport() }

// Graph implements [graph.Grapher]. Mean and variance have a column for each target. The variance costs as much as the first call
// of PredictVariance.
func (r *MultiRegressor) Graph(x graph.Value) (graph.Outputs, error) {
	return r.m.graph(multiType, x)
}

// MarshalBinary encodes the fitted model: the training rows, their coefficients and the kernel's name. It does not encode the
// configuration. Quantities that are computed at their first use are encoded only if they have been used. Otherwise they are
// computed at first use in the decoded model.
func (r *MultiRegressor) MarshalBinary() ([]byte, error) {
	return r.m.marshal(multiType, multiKind, r.Kernel)
}

// UnmarshalBinary decodes the output of MarshalBinary into a MultiRegressor with the same Kernel. Errors wrap
// [estimators.ErrBadModel] and leave r unchanged.
func (r *MultiRegressor) UnmarshalBinary(data []byte) error {
	m, err := unmarshal(multiKind, data, r.Kernel, 0, r.settings().options)
	if err != nil {
		return err
	}
	r.m = m
	return nil
}
