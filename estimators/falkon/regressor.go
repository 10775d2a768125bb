package falkon

import (
	"context"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	fitsteps "github.com/kernelearn/kernelearn/estimators/internal/progress"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
)

const regressorType = "falkon: Regressor"

// Regressor is kernel ridge regression on landmarks. The zero value is ready to use: a
// Matérn kernel and the ridge by leave-one-out, landmarks by the number of rows. The targets need
// no scaling; columns of x should be of comparable scale, or the kernel a kernels.ARD, as
// selection.Regressor learns it.
type Regressor struct {
	Kernel kernels.Kernel // nil: a Matérn kernel of ν = 5/2, its length by leave-one-out
	// Components is the number of landmarks M, at most n; 0: 10√n, at least 500 and at most 2000, doubled up to
	// those while the effective dimension takes up more than .7 of them.
	Components  int
	Landmarks   *mat.Dense   // given landmarks (M×d); Components and Rule have to be 0
	Rule        LandmarkRule // how landmarks are chosen; zero: UniformLandmarks
	Ridge       float64      // Λ, of the sum of squares over all rows; 0: by leave-one-out
	NoIntercept bool         // leaves out the constant b
	Solver      Solver       // zero: Automatic
	// Tolerance ends ConjugateGradients at this estimated relative error in the energy norm; 0: .001,
	// where the error on other rows is that of the limit. 1e-7 gives predictions to 1e-6.
	Tolerance     float64
	MaxIterations int    // of ConjugateGradients; 0: 200
	Seed          uint64 // of landmarks and samples
	Workers       int    // goroutines; 0: GOMAXPROCS
	// MaxBytes is the limit on what Fit allocates, about 4M² numbers and a block of rows for each
	// worker; 0: 8 GiB.
	MaxBytes int64
	// Observe, if not nil, is called after every tenth of a pass over the rows and after each
	// iteration. Objective is the estimated relative error of ConjugateGradients.
	Observe func(estimators.Step)
	// Checkpoint, if not nil, is called after each iteration of ConjugateGradients with where it
	// stands; Resume, if not nil, goes on from there.
	Checkpoint func(*State)
	Resume     *State

	m *machine
}

var (
	_ estimators.Regressor                    = (*Regressor)(nil)
	_ estimators.VariancePredictor            = (*Regressor)(nil)
	_ estimators.IntervalPredictor            = (*Regressor)(nil)
	_ estimators.BlockFitter[float64]         = (*Regressor)(nil)
	_ estimators.WeightedFitter[float64]      = (*Regressor)(nil)
	_ estimators.PredictorTo[float64]         = (*Regressor)(nil)
	_ estimators.Cloner[estimators.Regressor] = (*Regressor)(nil)
	_ estimators.Reporter                     = (*Regressor)(nil)
)

func (r *Regressor) settings() settings {
	return settings{
		typ: regressorType, configured: r.Kernel, components: r.Components, given: r.Landmarks, rule: r.Rule, ridge: r.Ridge,
		noIntercept: r.NoIntercept, solver: r.Solver, tolerance: r.Tolerance, iterations: r.MaxIterations, seed: r.Seed,
		workers: r.Workers, maxBytes: r.MaxBytes, checkpoint: r.Checkpoint, resume: r.Resume, addedJitter: leastJitter,
	}
}

// Fit learns from x (n×d) and y (n). Cost O(nM²) with Direct, O(nMd + M³) an iteration and for
// the preconditioner with ConjugateGradients. Errors: ErrParam, ErrShape, ErrNotFinite (also for
// numbers so large that their squares overflow), ErrTooLarge over MaxBytes, ErrNotPSD for a
// kernel that is not positive semi-definite on the landmarks, or ctx's, which is looked at
// within each block of 128 rows.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, r.Observe)
	defer end(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is Fit with a weight > 0 for each row. With given Landmarks and Ridge a weight of 2
// is the row given twice; leave-one-out still leaves out one row, not one unit of weight.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, r.Observe)
	defer end(&err)
	if err := check.Weights(regressorType, weights, len(y)); err != nil {
		return err
	}
	return r.fit(ctx, x, y, weights)
}

func (r *Regressor) fit(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	s := r.settings()
	if err := s.validate(); err != nil {
		return err
	}
	xd, err := check.Targeted(x, y)
	if err != nil {
		return err
	}
	return r.learn(ctx, s, inMemory(xd, mat.NewDense(len(y), 1, slices.Clone(y)), weights))
}

func (r *Regressor) learn(ctx context.Context, s settings, src *source) error {
	m, err := fit(ctx, s, src)
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

// FitBlocks is Fit or FitWeighted on the rows of all blocks, one after the other, of which a few
// hundred kilobytes a worker are in memory at a time: the same model, to the bit. The iterator
// is run from its beginning for each pass, twice before the first product (to count, and to
// draw rows), and has to give the same rows in the same order: ErrParam if it does not. It is
// run on a goroutine of its own, one at a time. Errors are Fit's and the iterator's.
func (r *Regressor) FitBlocks(ctx context.Context, blocks iter.Seq2[estimators.Block[float64], error]) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, r.Observe)
	defer end(&err)
	s := r.settings()
	if err := s.validate(); err != nil {
		return err
	}
	rows := &stream[float64]{typ: regressorType, blocks: blocks, target: func(dst []float64, y float64) { dst[0] = y }}
	src, err := rows.source(ctx, 1)
	if err != nil {
		return err
	}
	return r.learn(ctx, s, src)
}

// Predict returns k(x, C)'β + b for each row of x (m×d). Cost O(mMd).
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	f, err := r.m.decide(regressorType, x, r.Workers)
	if err != nil {
		return nil, err
	}
	return mat.Col(nil, 0, f), nil
}

// PredictTo is Predict into dst, which has an entry for each row of x. Up to sixteen rows of a
// dense matrix are predicted one by one without allocating; they agree with Predict's to
// rounding.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Numbers(regressorType, dst, x, r.m.rowWidth(), r.Predict, r.m.row)
}

// PredictVariance returns the mean and the variance of a new observation at each row of x (m×d),
// the noise included: the two components of the package documentation. Cost O(mM²), and O(M³) at
// the first call after UnmarshalBinary.
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	var b *basis
	if r.m != nil {
		if b, err = r.m.spread.basisOf(context.Background(), r.m, r.settings().withDefaults()); err != nil {
			return nil, nil, err
		}
	}
	f, v, err := r.m.uncertain(regressorType, b, x, r.Workers)
	if err != nil {
		return nil, nil, err
	}
	mean, variance = mat.Col(nil, 0, f), mat.Col(nil, 0, v)
	if err := check.Vector("prediction", mean); err != nil {
		return nil, nil, err
	}
	return mean, variance, check.Vector("variance", variance)
}

// uncertain returns the means and variances of all targets, by the features of the machine.
func (m *machine) uncertain(typ string, b *basis, x mat.Matrix, workers int) (mean, variance *mat.Dense, err error) {
	err = m.eachBlock(typ, x, workers, func(rows int) {
		mean, variance = mat.NewDense(rows, len(m.bias), nil), mat.NewDense(rows, len(m.bias), nil)
	}, func(rows batch, k *mat.Dense) {
		to := rows.first + rows.rows()
		m.outputs(window(mean, rows.first, to), k)
		m.spread.variances(window(variance, rows.first, to), b, rows, k)
	})
	return mean, variance, err
}

// PredictInterval returns the ends of the central interval that a new observation at each row of
// x (m×d) lies in with probability level, in (0, 1), under the normal distribution that
// PredictVariance gives. Cost and errors are those of PredictVariance.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	return interval.Normal(level)(r.PredictVariance(x))
}

// ChosenKernel returns the kernel that Fit used; nil before Fit.
func (r *Regressor) ChosenKernel() kernels.Kernel { return r.m.chosenKernel() }

// ChosenRidge returns the ridge Λ that Fit used, 0 before Fit.
func (r *Regressor) ChosenRidge() float64 { return r.m.chosenRidge() }

// LandmarkRows returns the landmarks, M×d; nil before Fit.
func (r *Regressor) LandmarkRows() *mat.Dense { return r.m.landmarkRows() }

// Coefficients returns β, one for each landmark; nil before Fit.
func (r *Regressor) Coefficients() []float64 {
	if r.m == nil {
		return nil
	}
	return mat.Row(nil, 0, r.m.beta)
}

// Intercept returns b, 0 before Fit.
func (r *Regressor) Intercept() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.bias[0]
}

// Report says how the last Fit went. Iterations are those of ConjugateGradients, with Direct the
// number of ridges looked at. Objective is Details' LeaveOneOut.
func (r *Regressor) Report() estimators.Report {
	if r.m == nil {
		return estimators.Report{}
	}
	return r.m.report.Clone()
}

// Details say more of the last Fit; zero before Fit.
func (r *Regressor) Details() Details {
	if r.m == nil {
		return Details{}
	}
	return r.m.details
}

// Clone returns an unfitted Regressor of the same configuration.
func (r *Regressor) Clone() estimators.Regressor {
	c := *r
	c.m = nil
	return &c
}
