package ridge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
)

const directKernelType = "ridge: DirectKernel"

// DirectKernel is ridge regression whose features are kernel values. In Fit, x is the square, symmetric kernel matrix K of the
// training rows. In Predict, x holds the kernel values between new rows and the training rows. It solves
//
//	(K + λI) α = y - b,   1'α = 0        prediction: Σ α[j] x[i,j] + b
//
// where b is ȳ if K is centred. It follows featuremap.KernelMap and featuremap.KernelCenterer in a pipeline:
//
//	pipeline.Regressor{
//		Steps: []transformers.Transformer{
//			&scalers.StandardScaler{}, &featuremap.KernelMap{}, &featuremap.KernelCenterer{},
//		},
//		Final: &ridge.DirectKernel{},
//	}
//
// This is the model of [lssvm.Regressor] after a StandardScaler, as a pipeline whose steps can be inspected and replaced. In
// practice, prefer lssvm: it needs less memory and predicts variances. A variance needs k(x, x) of a new row, which is not among
// the features here.
//
// See also [lssvm.Regressor], [Regressor].
type DirectKernel struct {
	// Ridge is the regularisation parameter λ, which multiplies the squared coefficients. If it is 0, [RidgeRule] determines it.
	Ridge float64 `zero:"the choice by RidgeRule"`

	// RidgeRule determines how the ridge is chosen if Ridge is 0. The zero value is [LeaveOneOut].
	RidgeRule RidgeRule

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// If Observe is not nil, it is called after each ridge that leave-one-out evaluates.
	Observe func(estimators.Step)

	m *directModel
}

type directModel struct {
	coefficients []float64
	bias         float64
	ridge        float64
	loo          []float64
	report       estimators.Report
}

// symmetry is the largest allowed difference between k[i,j] and k[j,i], in units of the largest element. The rounding errors of
// kernels.Cross are smaller.
const symmetry = 1e-9

// Fit fits the model to a kernel matrix x (n×n) and y (n). The cost is O(n³). It returns [estimators.ErrParam],
// [estimators.ErrNotFinite], [estimators.ErrShape] if x is not square, [estimators.ErrNotPSD] if x is not symmetric or is
// indefinite beyond the ridge, or the error of ctx.
func (d *DirectKernel) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, d.Observe)(&err)
	return d.fit(ctx, x, y, func(ctx context.Context, m *lssvm.Regressor, k mat.Symmetric) error { return m.FitMatrix(ctx, k, y) })
}

// FitWeighted is like Fit, with a weight > 0 for each row. The penalty is λ diag(1/w) instead of λI. The kernel may be centred
// without weights, because b compensates for the difference between the two kinds of centring.
func (d *DirectKernel) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, d.Observe)(&err)
	if err := check.Weights(directKernelType, weights, len(y)); err != nil {
		return err
	}
	return d.fit(ctx, x, y, func(ctx context.Context, m *lssvm.Regressor, k mat.Symmetric) error {
		return m.FitMatrixWeighted(ctx, k, y, weights)
	})
}

func (d *DirectKernel) fit(ctx context.Context, x mat.Matrix, y []float64,
	solve func(ctx context.Context, m *lssvm.Regressor, k mat.Symmetric) error) error {
	if err := settings.Check(directKernelType, d); err != nil {
		return err
	}
	k, err := symmetric(progress.Detach(ctx), x)
	if err != nil {
		return err
	}
	if err := check.Rows("y", len(y), k.SymmetricDim()); err != nil {
		return err
	}
	machine := lssvm.Regressor{Ridge: d.Ridge, RidgeRule: d.RidgeRule, Workers: d.Workers}
	residuals := 0.
	if d.Ridge > 0 || d.RidgeRule == Heuristic { // otherwise computed when the ridge was chosen
		residuals = 1
	}
	first, rest := progress.Two(ctx, 1, residuals)
	if err := solve(first, &machine, k); err != nil {
		return err
	}
	left, err := machine.LeaveOneOutResiduals(rest)
	if err != nil {
		return err
	}
	d.m = &directModel{
		coefficients: machine.Coefficients(), bias: machine.Intercept(), ridge: machine.ChosenRidge(), loo: left, report: machine.Report(),
	}
	return nil
}

// symmetricTile is the order of the tiles in which a matrix is compared with its transpose.
const symmetricTile = 64

// symmetric returns the symmetric part of x. It returns an error if x is not symmetric, or the error of ctx.
func symmetric(ctx context.Context, x mat.Matrix) (*mat.SymDense, error) {
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	n, c := xd.Dims()
	if n != c {
		return nil, fault.Shape(directKernelType+": x has", c, "columns",
			"and %d rows, want the square kernel matrix of the training rows (featuremap.KernelMap gives it; ridge.Regressor takes "+
				"any features)", n)
	}
	largest := 0.0
	for i := range n {
		for _, v := range xd.RawRowView(i) {
			largest = max(largest, math.Abs(v))
		}
	}
	out := mat.NewSymDense(n, nil)
	to := out.RawSymmetric()
	for first := 0; first < n; first += symmetricTile {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for from := first; from < n; from += symmetricTile { // by tiles, because access by columns is slow
			for i := first; i < min(first+symmetricTile, n); i++ {
				row := xd.RawRowView(i)
				for j := max(from, i); j < min(from+symmetricTile, n); j++ {
					a, b := row[j], xd.At(j, i)
					if math.Abs(a-b) > symmetry*largest {
						return nil, fmt.Errorf("%s: x[%d,%d] = %v and x[%d,%d] = %v, want a symmetric kernel matrix: %w", directKernelType,
							i, j, a, j, i, b,
							fault.ErrNotPSD)
					}
					to.Data[i*to.Stride+j] = a/2 + b/2
				}
			}
		}
	}
	return out, nil
}

// Predict returns Σ α[j] x[i,j] + b for each row of x (m×n). x holds the kernel values between new rows and the training rows,
// centred in the same manner.
func (d *DirectKernel) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	if d.m == nil {
		return nil, fault.NotFitted(directKernelType)
	}
	xd, err := check.Wide("x", x, len(d.m.coefficients))
	if err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = d.m.bias
		for j, v := range xd.RawRowView(i) {
			out[i] += d.m.coefficients[j] * v
		}
		if v := out[i]; v-v != 0 {
			return nil, &fault.NotFiniteError{Name: directKernelType + ": prediction", Row: i, Col: -1, Value: v}
		}
	}
	return out, nil
}

// Coefficients returns α, one for each training row. It returns nil before Fit.
func (d *DirectKernel) Coefficients() []float64 {
	if d.m == nil {
		return nil
	}
	return slices.Clone(d.m.coefficients)
}

// Intercept returns b. It returns 0 before Fit.
func (d *DirectKernel) Intercept() float64 {
	if d.m == nil {
		return 0
	}
	return d.m.bias
}

// ChosenRidge returns the ridge λ that Fit used. It returns 0 before Fit.
func (d *DirectKernel) ChosenRidge() float64 {
	if d.m == nil {
		return 0
	}
	return d.m.ridge
}

// LeaveOneOutResiduals returns y[i] minus its prediction by the model fitted to all other rows with the same ridge. The residuals
// are exact, and are computed by Fit. If there is only one row, it returns nil. Before Fit it returns [estimators.ErrNotFitted].
func (d *DirectKernel) LeaveOneOutResiduals(context.Context) (_ []float64, err error) {
	defer fault.Recover(&err)
	if d.m == nil {
		return nil, fault.NotFitted(directKernelType)
	}
	return slices.Clone(d.m.loo), nil
}

// Report describes the last Fit, like that of [lssvm.Regressor].
func (d *DirectKernel) Report() estimators.Report {
	if d.m == nil {
		return estimators.Report{}
	}
	return d.m.report.Clone()
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory.
func (d *DirectKernel) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	width := 0
	if d.m != nil {
		width = len(d.m.coefficients)
	}
	return rowwise.Numbers(directKernelType, dst, x, width, d.Predict, d.row)
}

// row sets out to the prediction for the row x.
func (d *DirectKernel) row(out, x []float64) {
	out[0] = d.m.bias
	for j, v := range x {
		out[0] += d.m.coefficients[j] * v
	}
}
