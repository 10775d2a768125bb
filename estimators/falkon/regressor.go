package falkon

import (
	"context"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/solver"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
)

const regressorType = "falkon: Regressor"

// Regressor is kernel ridge regression with landmarks. The zero value is ready to use: the Matérn kernel's length and the ridge are
// chosen by leave-one-out, and the number of landmarks depends on the number of rows. The targets need no scaling. The columns of x
// should be of comparable scale. Otherwise the kernel should be a [kernels.ARD], as selection.Regressor chooses.
//
// See also Regressor in package lssvm.
type Regressor struct {
	// Kernel is the kernel. If it is nil, a Matérn kernel with ν = 5/2 is used, whose length is chosen by leave-one-out.
	Kernel kernels.Kernel

	// Components is the number of landmarks M, at most n. If it is 0, it is chosen: first as 10√n, at least 500 and at most 2000.
	// It is then doubled, up to 2000, while the effective dimension is more than 0.7 of the number of landmarks.
	Components int `zero:"a number by the rows"`

	// Landmarks sets the landmarks (M×d). If it is not nil, Components and Rule must be 0.
	Landmarks *mat.Dense

	// Rule selects the method that chooses the landmarks. The zero value is [UniformLandmarks].
	Rule LandmarkRule

	// Ridge is the regularisation parameter Λ. It is relative to the sum of the losses over all rows, not to their mean. If it is
	// 0, Λ is chosen by leave-one-out.
	Ridge float64 `zero:"the choice by leave-one-out"`

	// NoIntercept leaves out the constant b.
	NoIntercept bool

	// Solver selects the method that solves the system. The zero value is [Automatic].
	Solver Solver

	// Tolerance is the estimated relative error in the energy norm at which [ConjugateGradients] stops. If it is 0, 0.001 is used,
	// with which the error on other rows is as small as at convergence. With 1e-7, predictions are accurate to 1e-6.
	Tolerance float64 `zero:"1e-3"`

	// MaxIterations is the largest number of iterations of [ConjugateGradients]. If it is 0, 200 is used.
	MaxIterations int `zero:"200"`

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The rows of a group are left
	// out together, so that the ridge, the kernel and the intervals are chosen for new groups. A group of g rows needs memory for
	// its features, gM numbers. If it is nil, equal rows are left out together. FitBlocks does not accept groups.
	Groups []int `settings:"-"`

	// Seed determines the random landmarks and samples.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// MaxBytes limits the memory that Fit allocates, which is about 4M² numbers and a block of rows for each worker. If it is 0, 8
	// GiB is used.
	MaxBytes int64 `zero:"8 GiB"`

	// If Observe is not nil, it is called after each tenth of a pass over the rows and after each iteration. Objective is the
	// estimated relative error of [ConjugateGradients].
	Observe func(estimators.Step)

	// If Checkpoint is not nil, it is called after each iteration of [ConjugateGradients] with the state of the fit. If Resume is
	// not nil, Fit continues from that state.
	Checkpoint func(*State)
	Resume     *State

	fittedMachine
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *Regressor) SetGroups(groups []int) { r.Groups = groups }

func (r *Regressor) settings() machineSettings {
	return machineSettings{
		config: r, configured: r.Kernel, components: r.Components, given: r.Landmarks, rule: r.Rule, solver: r.Solver,
		Settings: solver.Settings{
			Type: regressorType, Ridge: r.Ridge, NoIntercept: r.NoIntercept, Tolerance: r.Tolerance, Iterations: r.MaxIterations,
			Seed:    r.Seed,
			Workers: r.Workers, MaxBytes: r.MaxBytes, Checkpoint: checkpoint(r.Checkpoint), Resume: r.Resume.forSolver(),
			AddedJitter: solver.LeastJitter,
		},
	}
}

// Fit fits the model to x (n×d) and y (n). The cost is O(nM²) with [Direct]. With [ConjugateGradients] it is O(nMd + M³) for the
// preconditioner and for each iteration. Fit returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite] (also
// if squares overflow), or [estimators.ErrTooLarge] above MaxBytes. It returns [estimators.ErrNotPSD] if the kernel is not positive
// semi-definite on the landmarks. It checks ctx within each block of 128 rows and returns its error.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, but with a weight > 0 for each row. A weight of 2 has the same effect as repeating the row. If the ridge
// is chosen by leave-one-out, only the ratios of the weights matter.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, check.Given(weights))
}

func (r *Regressor) fit(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	s := r.settings()
	if err := s.validate(); err != nil {
		return err
	}
	given, err := s.rows(x)
	if err != nil {
		return err
	}
	if err := check.TargetValues(regressorType, rowsOf(given), y, weights); err != nil {
		return err
	}
	src, err := rows.DistinctRows(given, mat.NewDense(len(y), 1, slices.Clone(y)), weights, r.Groups)
	if err != nil {
		return fault.AddName(regressorType, err)
	}
	return r.learn(ctx, s, src)
}

func (r *Regressor) learn(ctx context.Context, s machineSettings, src *rows.Source) error {
	m, err := fit(ctx, s, src)
	if err != nil {
		return err
	}
	r.fittedMachine = *m
	return nil
}

// FitBlocks is like Fit or FitWeighted on the rows of all blocks in turn. If no two rows are equal, the model is bit-identical.
// Only a few hundred kilobytes for each worker are in memory at a time.
//
// The iterator is run from its beginning for each pass, and twice before the first product, to count the rows and to draw some of
// them. It must yield the same rows in the same order each time; otherwise FitBlocks returns [estimators.ErrParam]. The iterator
// runs on a separate goroutine, and never twice at the same time. FitBlocks returns the errors of Fit and of the iterator.
func (r *Regressor) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[float64], error]) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	s := r.settings()
	if err := s.validate(); err != nil {
		return err
	}
	if r.Groups != nil {
		return noGroups(regressorType, r.Groups)
	}
	rows := &rows.Stream[float64]{Type: regressorType, Blocks: blocks, Target: func(dst []float64, y float64) { dst[0] = y }}
	src, err := rows.Source(ctx, 1)
	if err != nil {
		return err
	}
	if err := check.SpreadOf(regressorType, "the spread of y", src.Spread[0]); err != nil {
		return err
	}
	return r.learn(ctx, s, src)
}

// Predict returns k(x, C)'β + b for each row of x (m×d). The cost is O(mMd).
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	f, err := r.m.Decide(regressorType, x, r.Workers)
	if err != nil {
		return nil, err
	}
	return mat.Col(nil, 0, f), nil
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory. The predictions agree with those of
// Predict up to rounding.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Numbers(regressorType, dst, x, r.m.RowWidth(), r.Predict, r.m.Row)
}

// PredictVariance returns the mean and the variance of a new observation at each row of x (m×d). The variance includes the noise.
// It is the sum of the two terms in the package documentation. The cost is O(mM²), and O(M³) for the first call after
// UnmarshalBinary.
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	f, v, err := r.m.PredictVariance(regressorType, r.settings().withDefaults().Options(), x)
	if err != nil {
		return nil, nil, err
	}
	mean, variance = mat.Col(nil, 0, f), mat.Col(nil, 0, v)
	if err := check.Vector("prediction", mean); err != nil {
		return nil, nil, err
	}
	return mean, variance, check.Vector("variance", variance)
}

// PredictInterval returns the bounds of a central interval for each row of x (m×d). The interval contains a new observation with
// probability level, in (0, 1), if the distribution is normal with the mean and variance of PredictVariance. It costs as much as
// PredictVariance and returns the same errors.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	return interval.Normal(level)(r.PredictVariance(x))
}

// Coefficients returns β, one for each landmark. It returns nil before Fit.
func (r *Regressor) Coefficients() []float64 {
	if r.m == nil {
		return nil
	}
	return mat.Row(nil, 0, r.m.Beta)
}

// Intercept returns b. It returns 0 before Fit.
func (r *Regressor) Intercept() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.Bias[0]
}
