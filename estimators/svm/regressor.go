package svm

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

const regressorType = "svm: Regressor"

// Regressor is the support vector machine for regression, ε-SVR: errors up to Epsilon cost nothing, and larger errors cost C times
// their excess over Epsilon. It minimises
//
//	½ |f|² + Σ C w[i] max(0, |y[i] - f(x[i]) - b| - ε)
//
// for weights w. With Nu it adds ε C Nu Σ w[i] and also minimises over ε. The zero value is ready to use. It chooses C and Epsilon
// from the targets, which can have any unit. If they are set, they are in the units of the targets. Features should be of
// comparable scale. Regressor has no predictive variance, because the loss does not correspond to a noise distribution that could
// be separated from the tube.
//
// With default settings its kernel is an RBF kernel with the median distance. Unlike selection.Regressor, it does not choose
// lengths, kinds of kernels, categories or transformations of the targets. A Space of selection.Regressor can choose the kernel of
// this machine.
//
// See also Regressor in package lssvm.
type Regressor struct {
	// Kernel is the kernel, which need not be positive semi-definite. If it is nil, [kernels.MedianRBF] of the training rows is
	// used.
	Kernel kernels.Kernel

	// C is the cost of errors. If it is 0, it is derived from the least-squares machine (see the package documentation).
	C float64 `zero:"the choice by the least-squares machine"`

	// Epsilon is the half width of the tube. If it is 0, it is derived from the least-squares machine (see the package
	// documentation). To have practically no tube, set it far below the noise.
	Epsilon float64 `zero:"the choice by the least-squares machine"`

	// If Nu is not 0, it is used instead of Epsilon (ν-SVR). At most this share of the rows is outside the tube, and at least this
	// share are support vectors. Nu is at most 1.
	Nu float64 `zero:"none" most:"1"`

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The rows of a group are left
	// out together when C and Epsilon are chosen. If it is nil, equal rows are left out together.
	Groups []int `settings:"-"`

	// Tolerance is the value of m - M, in the units of the targets, at which the solver stops (see the package documentation). If
	// it is 0, 1e-3 is used. If Fit chooses C or Epsilon, or if Nu is set, the default is multiplied by the standard deviation of
	// the targets.
	Tolerance float64 `zero:"1e-3"`

	// MaxIterations is the largest number of steps. If it is 0, 10 million is used.
	MaxIterations int `zero:"10 million"`

	// If NoShrinking is set, the solver considers all rows in every step.
	NoShrinking bool

	// Seed is the seed for the samples that MedianRBF and the least-squares machine draw if there are many rows.
	Seed uint64

	// Workers is the number of goroutines that compute kernel values. If it is 0, GOMAXPROCS is used.
	Workers int

	// CacheBytes is the memory for kernel values. If it is 0, 512 MiB is used. At least two rows of the kernel matrix are kept.
	CacheBytes int64 `zero:"512 MiB"`

	// If Observe is not nil, it is called after every 1000 steps with the dual objective.
	Observe func(estimators.Step)

	m *machine
}

func (r *Regressor) settings() (machineSettings, error) {
	s, err := machineSettings{
		typ: regressorType, config: r, kernel: r.Kernel, c: r.C, epsilon: r.Epsilon, nu: r.Nu, tolerance: r.Tolerance,
		maxIterations: r.MaxIterations, noShrinking: r.NoShrinking, seed: r.Seed, workers: r.Workers, cacheBytes: r.CacheBytes,
	}.withDefaults()
	if err == nil {
		err = s.checkNu("Epsilon", r.Epsilon)
	}
	return s, err
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *Regressor) SetGroups(groups []int) { r.Groups = groups }

// Fit fits the model to x (n×d) and y (n). The cost is between O(n²) and O(n³), plus O(n²d) for the kernel. The memory is
// CacheBytes plus O(nd). It returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite] (also if the kernel
// overflows), or the error of ctx. If the solver does not converge, Report contains a warning.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row, which multiplies the C of the row. A weight of 2 has the same
// effect as the row given twice. If C is 0, only the ratios of the weights matter.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y []float64, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, check.Given(weights))
}

func (r *Regressor) fit(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	s, err := r.settings()
	if err != nil {
		return err
	}
	xd, err := check.Targeted(x, y)
	if err == nil {
		err = check.GivenWeights(regressorType, weights, len(y))
	}
	if err != nil {
		return err
	}
	rows, err := rowsOf(xd, y, weights, r.Groups)
	if err != nil {
		return err
	}
	first, rest := progress.Two(ctx, 1, 6)
	kernel, src, err := s.sourceOf(first, rows.x)
	if err != nil {
		return err
	}
	return r.finish(rest, s, src, kernel, rows, picked(rows, y))
}

// FitMatrix fits the model to a kernel matrix k (n×n) that the caller has computed, and y (n). The field Kernel is not used.
// Predictions are then made by PredictMatrix. Only the upper triangle of a *mat.SymDense is read, and the model does not keep k.
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
	s, err := r.settings()
	if err != nil {
		return err
	}
	if err := check.Symmetric(k, len(y)); err != nil {
		return err
	}
	if err := cmp.Or(check.Vector("y", y), check.GivenWeights(regressorType, weights, len(y))); err != nil {
		return err
	}
	rows, k, err := rowsOfMatrix(k, y, weights, r.Groups)
	if err != nil {
		return err
	}
	return r.finish(ctx, s, smo.ShareMatrix(k), nil, rows, picked(rows, y))
}

func (r *Regressor) finish(
	ctx context.Context, s machineSettings, src smo.Source, kernel kernels.Kernel, rows *fitRows, y []float64,
) error {
	own := rows.own
	first, rest := progress.Two(ctx, s.shareOfChoice(len(y)), 1)
	if s.c == 0 || s.epsilon == 0 {
		s.tolerateIn(y, own)
	}
	if s.c == 0 || s.epsilon == 0 && s.nu == 0 {
		if err := s.ofTargets(first, src, rows, y); err != nil {
			return err
		}
	}
	p := smo.NewProblem(y)
	p.Epsilon = s.epsilon
	for i := range y {
		p.Hi[i] = s.bound(weights.Weight(own, i))
		p.Lo[i] = -p.Hi[i]
	}
	if s.nu > 0 {
		p.Epsilon = 0
		p.SetShare(smo.Tube, s.nu)
	}
	found, err := s.solveSingle(rest, src, p)
	if err != nil {
		return err
	}
	if s.nu > 0 {
		s.epsilon = found.Epsilon
	}
	m, err := newMachine(s, kernel, rows, []smo.Problem{p}, []smo.Solution{found})
	if err == nil {
		r.m = m
	}
	return err
}

// Predict returns f(x) + b for each row of x (m×d). With s support vectors, the cost is O(sd) for each row.
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	return r.m.single(regressorType, r.m.ofRows(regressorType, x, r.Workers))
}

// PredictMatrix predicts from kernel values k (m×n) between new rows and the training rows of FitMatrix. Only the columns of
// support vectors are used.
func (r *Regressor) PredictMatrix(k mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	return r.m.single(regressorType, r.m.ofValues(regressorType, k))
}

// SupportIndices returns the training rows that are support vectors, in ascending order. It returns nil before Fit.
func (r *Regressor) SupportIndices() []int { return r.m.supportIndices() }

// SupportVectors returns the rows of SupportIndices (s×d). It returns nil before Fit, after FitMatrix, and if all
// rows are within the tube.
func (r *Regressor) SupportVectors() *mat.Dense { return r.m.supportVectors() }

// Coefficients returns β, one for each entry of SupportIndices. It returns nil before Fit.
func (r *Regressor) Coefficients() []float64 {
	_, values := r.m.coefficients(0)
	return values
}

// Intercept returns b. It returns 0 before Fit.
func (r *Regressor) Intercept() float64 {
	return r.m.intercept()
}

// ChosenC returns the C that Fit used. It returns 0 before Fit.
func (r *Regressor) ChosenC() float64 { return r.m.chosenC() }

// ChosenEpsilon returns the half width of the tube that Fit used. With Nu, it is the half width that the solution determines. It
// returns 0 before Fit, and if Fit found no noise when it chose the half width.
func (r *Regressor) ChosenEpsilon() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.epsilon
}

// ChosenKernel returns the kernel that Fit used. It returns nil before Fit and after FitMatrix.
func (r *Regressor) ChosenKernel() kernels.Kernel { return r.m.chosenKernel() }

// Report describes the last Fit. Objective is the minimised dual objective. Iterations is the number of steps.
func (r *Regressor) Report() estimators.Report { return r.m.copiedReport() }

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory. The predictions agree with those of
// Predict up to rounding.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Numbers(regressorType, dst, x, r.m.rowWidth(), r.Predict, r.m.row)
}
