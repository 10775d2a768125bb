package lssvm

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
)

const regressorType = "lssvm: Regressor"

// starting lets a search pass a solved system to the next Fit of the machine.
type starting = loo.Starting

// Regressor is the least-squares support vector machine for regression. The zero value is ready to use: its kernel is a Matérn
// kernel of ν = 5/2, whose length is chosen by exact leave-one-out together with the ridge. The targets need no scaling: the
// prediction is linear in them.
//
// The zero value chooses one length for all columns. selection.Regressor averages several such machines, with a length for each
// column, two kinds of kernels, categories, and the logarithm or a power of the targets.
//
// See also Regressor in package ridge, Regressor in package falkon.
type Regressor struct {
	// Kernel is the kernel k. If it is nil, leave-one-out chooses a Matérn kernel together with the ridge. If Ridge is set or
	// [RidgeRule] is [Heuristic], [kernels.MedianRBF] of the training rows is used instead.
	Kernel kernels.Kernel

	// Ridge is the regularisation parameter λ. If it is 0, [RidgeRule] determines it.
	Ridge float64 `zero:"the choice by RidgeRule"`

	// RidgeRule determines how the ridge is chosen if Ridge is 0. The zero value is [LeaveOneOut].
	RidgeRule RidgeRule

	// Solver selects the method that solves the linear system. If it is [Automatic], the number of rows and MaxKernelBytes decide.
	// It does not affect FitMatrix, which always factors the matrix.
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

	// If Checkpoint is not nil, it is called with the state of the fit after each iteration of [ConjugateGradients]. The ridge must
	// be set or be chosen on some of the rows, as it is with more than 16 000 rows. A fit to fewer rows takes only seconds. If
	// Resume is not nil, Fit continues from that state.
	Checkpoint func(*State)
	Resume     *State

	starting
	m *machine
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *Regressor) SetGroups(groups []int) { r.Groups = groups }

func (r *Regressor) settings() machineSettings {
	return machineSettings{
		typ: regressorType, kernel: r.Kernel, ridge: r.Ridge, rule: r.RidgeRule, solver: r.Solver, seed: r.Seed, groups: r.Groups,
		options:    kernels.Options{Workers: r.Workers, MaxBytes: r.MaxKernelBytes},
		checkpoint: r.Checkpoint, resume: r.Resume,
	}
}

// Fit fits the model to x (n×d) and y (n). Equal rows are merged into one row with a weight, as explained in the package
// documentation. The cost is O(n²d + n³), or the cost of [ConjugateGradients].
//
// Fit returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite] (also if squares overflow),
// [estimators.ErrTooLarge] above MaxKernelBytes, [estimators.ErrNotPSD] if the kernel is indefinite beyond the ridge, or the error
// of ctx. If Solver is Automatic, ErrTooLarge is also returned above 200 000 rows; package falkon has no such limit.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row. A weight of 2 has the same effect as the row given twice. If
// the ridge is chosen by leave-one-out, only the ratios of the weights matter.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, check.Given(weights))
}

func (r *Regressor) fit(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	s := r.settings()
	s.start = r.TakeStart()
	if err := settings.Check(regressorType, r); err != nil {
		return err
	}
	rows, err := s.rows(x)
	if err != nil {
		return err
	}
	n, _ := rows.Dims()
	if err := check.TargetValues(regressorType, n, y, weights); err != nil {
		return err
	}
	m, err := fitRows(ctx, s, rows, mat.NewDense(len(y), 1, slices.Clone(y)), weights)
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

// CheckRowCount returns the [estimators.ErrTooLarge] that Fit would return for this number of rows, or nil if Fit would
// accept it. It computes nothing, so that a search can call it before it begins.
func (r *Regressor) CheckRowCount(rows int) error { return r.settings().holds(rows) }

// FitMatrix fits the model to a kernel matrix k (n×n) that the caller has computed, and y (n). The field Kernel is not used.
// Predictions are then made by PredictMatrix, PredictVarianceMatrix and PredictIntervalMatrix.
func (r *Regressor) FitMatrix(ctx context.Context, k mat.Symmetric, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fitMatrix(ctx, k, y, nil)
}

// FitMatrixWeighted is like FitMatrix, with a weight > 0 for each row, as in FitWeighted.
func (r *Regressor) FitMatrixWeighted(ctx context.Context, k mat.Symmetric, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fitMatrix(ctx, k, y, check.Given(weights))
}

func (r *Regressor) fitMatrix(ctx context.Context, k mat.Symmetric, y, weights []float64) error {
	s := r.settings()
	if err := settings.Check(regressorType, r); err != nil {
		return err
	}
	if err := check.Symmetric(k, len(y)); err != nil {
		return err
	}
	if err := cmp.Or(check.Vector("y", y), check.Spread(regressorType, y), check.GivenWeights(regressorType, weights, len(y))); err != nil {
		return err
	}
	m, err := fitMatrix(ctx, s, k, mat.NewDense(len(y), 1, slices.Clone(y)), weights)
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

// Predict returns Σ α[i] k(x, x[i]) + b for each row of x (m×d). The cost is O(mnd).
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	return targets.First(r.m.decide(regressorType, x, r.settings().options))
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory. The predictions agree with those of
// Predict up to rounding.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Numbers(regressorType, dst, x, r.m.rowWidth(), r.Predict, r.m.row)
}

// PredictVariance returns the mean and the variance of a new observation at each row of x (m×d). The variance includes the noise.
// The cost is O(mn²), plus O(n³) in the first call after Fit or UnmarshalBinary. After [ConjugateGradients] it is O(mn).
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	return targets.FirstPair(r.m.predictVariance(regressorType, x, r.settings().options))
}

// PredictInterval returns the bounds of a central interval for each row of x (m×d). The interval contains a new observation with
// probability level, in (0, 1), if the distribution is normal with the mean and variance of PredictVariance. Cost and errors are
// those of PredictVariance.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	return interval.Normal(level)(r.PredictVariance(x))
}

// PredictMatrix predicts from kernel values k (m×n) between new rows and the training rows.
func (r *Regressor) PredictMatrix(k mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	return targets.First(r.m.decideMatrix(regressorType, k))
}

// PredictVarianceMatrix is like PredictVariance, but from kernel values k (m×n) between new rows and the training rows, and the
// kernel values diag (m) of the new rows with themselves.
func (r *Regressor) PredictVarianceMatrix(k mat.Matrix, diag []float64) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	kd, err := r.m.checkCross(regressorType, k)
	if err != nil {
		return nil, nil, err
	}
	if n, _ := kd.Dims(); len(diag) != n {
		return nil, nil, fault.Shape("diag has", len(diag), "entries", "K has %d rows", n)
	}
	if err := check.Vector("diag", diag); err != nil {
		return nil, nil, err
	}
	m, v := mat.NewDense(len(diag), 1, nil), mat.NewDense(len(diag), 1, nil)
	if err := r.m.varianceTo(m, v, kd, diag); err != nil {
		return nil, nil, err
	}
	return targets.FirstPair(m, v, cmp.Or(targets.CheckValues("prediction", m), targets.CheckValues("variance", v)))
}

// PredictIntervalMatrix is like PredictInterval, but from the same kernel values as PredictVarianceMatrix.
func (r *Regressor) PredictIntervalMatrix(k mat.Matrix, diag []float64, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	return interval.Normal(level)(r.PredictVarianceMatrix(k, diag))
}

// ChosenKernel returns the kernel that Fit used. It returns nil before Fit and after FitMatrix.
func (r *Regressor) ChosenKernel() kernels.Kernel { return r.m.chosenKernel() }

// ChosenRidge returns the ridge λ that Fit used. It returns 0 before Fit.
func (r *Regressor) ChosenRidge() float64 { return r.m.chosenRidge() }

// Coefficients returns α, one for each row of [Regressor.Rows]. After FitMatrix there is one for each row of k, and the first of
// equal rows has the coefficient of all of them. It returns nil before Fit.
func (r *Regressor) Coefficients() []float64 {
	if r.m == nil {
		return nil
	}
	return mat.Col(nil, 0, r.m.coefficients())
}

// Intercept returns b. It returns 0 before Fit.
func (r *Regressor) Intercept() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.bias[0]
}

// LeaveOneOutResiduals returns y[i] minus its prediction by the model fitted to all other rows with the same ridge. The residuals
// are exact, except with [ConjugateGradients], where they are estimates. If there is only one distinct row, it returns nil. If
// leave-one-out chose the ridge, and after [ConjugateGradients], the call costs nothing more. Otherwise the first call after Fit or
// UnmarshalBinary costs O(n³). It returns [estimators.ErrNotFitted] or the error of ctx.
func (r *Regressor) LeaveOneOutResiduals(ctx context.Context) (_ []float64, err error) {
	defer check.Begin(&ctx)(&err)
	return targets.First(r.m.leaveOneOutResiduals(ctx, regressorType))
}

// LeaveOneOutVariances returns the variance of a new observation at each training row, from the model fitted to all other rows with
// the same ridge. Equal rows have the same variance. If there is only one distinct row, it returns nil. It costs as much as
// LeaveOneOutResiduals. It returns [estimators.ErrNotFitted] or the error of ctx. With Groups the error wraps
// errors.ErrUnsupported.
func (r *Regressor) LeaveOneOutVariances(ctx context.Context) (_ []float64, err error) {
	defer check.Begin(&ctx)(&err)
	return r.m.leaveOneOutVariances(ctx, regressorType)
}

// Details describes how the last Fit solved the linear system. It returns the zero value before Fit.
func (r *Regressor) Details() Details { return r.m.copiedDetails() }

// Report describes the last Fit. Iterations is the number of ridges evaluated on all rows, or the number of iterations of
// [ConjugateGradients]. If leave-one-out chose the ridge, Objective is the weighted mean squared leave-one-out residual, which was
// used to compare the ridges. Otherwise it is ½ Σ α[i] y[i], the minimum of the objective in the package documentation.
func (r *Regressor) Report() estimators.Report { return r.m.copiedReport() }
