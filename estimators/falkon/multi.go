package falkon

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/solver"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	multiType = "falkon: MultiRegressor"
	multiKind = "falkon.MultiRegressor"
)

// MultiRegressor is a [Regressor] for several targets. The targets share the landmarks, the passes over the rows, and the normal
// equations or the preconditioner. The zero value is ready to use. The targets need no scaling, because one kernel and one ridge
// are chosen for all of them. These minimise the sum of the squared leave-one-out errors, where the error of a target is in units
// of its spread. The numbers in Details and Report are in the same units.
//
// See also MultiRegressor in package lssvm.
type MultiRegressor struct {
	// Kernel is the kernel. If it is nil, a Matérn kernel with ν = 5/2 is used, whose length is chosen by leave-one-out.
	Kernel kernels.Kernel

	// Components is the number of landmarks. If it is 0, the number is chosen as in [Regressor].
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

	// Tolerance is the tolerance of [ConjugateGradients] for each target, as in [Regressor]. If it is 0, 0.001 is used.
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

	// MaxBytes limits the memory that Fit allocates, as in [Regressor]. If it is 0, 8 GiB is used.
	MaxBytes int64 `zero:"8 GiB"`

	// If Observe is not nil, it is called as in [Regressor].
	Observe func(estimators.Step)

	// Checkpoint and Resume have the same meanings as in [Regressor].
	Checkpoint func(*State)
	Resume     *State

	fittedMachine
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *MultiRegressor) SetGroups(groups []int) { r.Groups = groups }

func (r *MultiRegressor) settings() machineSettings {
	return machineSettings{
		config: r, configured: r.Kernel, components: r.Components, given: r.Landmarks, rule: r.Rule, solver: r.Solver,
		Settings: solver.Settings{
			Type: multiType, Ridge: r.Ridge, NoIntercept: r.NoIntercept, Tolerance: r.Tolerance, Iterations: r.MaxIterations, Seed: r.Seed,
			Workers: r.Workers, MaxBytes: r.MaxBytes, Checkpoint: checkpoint(r.Checkpoint), Resume: r.Resume.forSolver(),
			AddedJitter: solver.LeastJitter,
		},
	}
}

// Fit fits the model to x (n×d) and the targets y (n×k). The cost and the errors are those of [Regressor.Fit], with an additional
// cost of O(nMk).
func (r *MultiRegressor) Fit(ctx context.Context, x, y mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, but with a weight > 0 for each row, which is the same for all its targets. A weight of 2 has the same
// effect as repeating the row. If the ridge is chosen by leave-one-out, only the ratios of the weights matter.
func (r *MultiRegressor) FitWeighted(ctx context.Context, x, y mat.Matrix, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, check.Given(weights))
}

func (r *MultiRegressor) fit(ctx context.Context, x, y mat.Matrix, weights []float64) error {
	s := r.settings()
	if err := s.validate(); err != nil {
		return err
	}
	given, err := s.rows(x)
	if err != nil {
		return err
	}
	yd, err := targets.CheckFor(given, y)
	if err != nil {
		return err
	}
	if err := check.GivenWeights(multiType, weights, yd.RawMatrix().Rows); err != nil {
		return err
	}
	own, units, err := targets.Standard(multiType, yd, weights, !r.NoIntercept)
	if err != nil {
		return err
	}
	src, err := rows.DistinctRows(given, own, weights, r.Groups)
	if err != nil {
		return fault.AddName(multiType, err)
	}
	m, err := fit(ctx, s, src)
	if err != nil {
		return err
	}
	if err := m.m.ToUnits(multiType, units); err != nil {
		return err
	}
	r.fittedMachine = *m
	return nil
}

// Predict returns k(x, C)'β + b for each target (m×k) and each row of x (m×d). The cost is O(mMd + mMk).
func (r *MultiRegressor) Predict(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return r.m.Decide(multiType, x, r.Workers)
}

// PredictTo is like Predict but writes to dst (m×k). Up to sixteen rows of a dense matrix are predicted one by one
// without allocating memory. The predictions agree with those of Predict up to rounding.
func (r *MultiRegressor) PredictTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Scores(multiType, dst, x, r.m.RowWidth(), r.Targets(), r.Predict, r.m.Row)
}

// PredictVariance returns, for each row of x (m×d), the means and the variances (m×k) of new observations of all targets. The
// variances include the noise. The cost is O(mM²), whatever the number of targets, and O(M³) for the first call after
// UnmarshalBinary.
func (r *MultiRegressor) PredictVariance(x mat.Matrix) (mean, variance *mat.Dense, err error) {
	defer fault.Recover(&err)
	if mean, variance, err = r.m.PredictVariance(multiType, r.settings().withDefaults().Options(), x); err != nil {
		return nil, nil, err
	}
	if err := check.Finite("prediction", mean); err != nil {
		return nil, nil, err
	}
	if err := check.Finite("variance", variance); err != nil {
		return nil, nil, err
	}
	return mean, variance, nil
}

// PredictInterval returns the bounds (m×k) of central intervals for new observations at each row of x (m×d), for each target
// separately. An interval contains the observation with probability level, in (0, 1), if the distribution is normal with the mean
// and variance of PredictVariance. The cost and the errors are those of PredictVariance.
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
	return len(r.m.Bias)
}

// Coefficients returns β (M×k), with a row for each landmark and a column for each target. It returns nil before Fit.
func (r *MultiRegressor) Coefficients() *mat.Dense { return r.coefficients() }

// Intercepts returns b for each target. It returns nil before Fit.
func (r *MultiRegressor) Intercepts() []float64 { return r.intercepts() }

// Graph implements [graph.Grapher]. The mean and the variance have a column for each target.
func (r *MultiRegressor) Graph(x graph.Value) (graph.Outputs, error) {
	return r.m.Graph(multiType, r.settings().withDefaults().Options(), x)
}

// MarshalBinary encodes the fitted model: the landmarks, their coefficients, the kernel's name, and M²/2 numbers for the variances.
// It does not encode the configuration.
func (r *MultiRegressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(multiType)
	}
	return codec.Marshal(multiKind, version, r.store(r.Kernel, true))
}

// UnmarshalBinary decodes the output of MarshalBinary into a MultiRegressor with the same Kernel. If it returns an error, which
// wraps [estimators.ErrBadModel], r is unchanged.
func (r *MultiRegressor) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, multiKind, version, &s); err != nil {
		return err
	}
	f, err := s.fitted(multiKind, r.Kernel, len(s.Bias))
	if err != nil {
		return err
	}
	if f.m.Spread, err = s.Spread.Restore(multiKind, f.m, true); err != nil {
		return err
	}
	r.fittedMachine = *f
	return nil
}
