package ridge

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/targets"
)

const (
	multiType = "ridge: MultiRegressor"
	multiKind = "ridge.MultiRegressor"
)

// MultiRegressor is a [Regressor] for several targets. The targets share the products of the columns and their factorisation. The
// zero value is ready to use. The targets need no scaling. If all targets share one ridge, it minimises the sum of the squared
// leave-one-out errors, where the error of a target is in units of its spread.
//
// See also MultiRegressor in package lssvm, [Regressor].
type MultiRegressor struct {
	// Ridge is the regularisation parameter λ, which multiplies the squared coefficients. If it is 0, [RidgeRule] determines it.
	Ridge float64 `zero:"the choice by RidgeRule"`

	// RidgeRule determines how the ridge is chosen if Ridge is 0. The zero value is [LeaveOneOut].
	RidgeRule RidgeRule

	// If RidgePerTarget is set, leave-one-out chooses a ridge for each target. It is the ridge that a [Regressor] would choose for
	// that target alone. There is still only one reduction to tridiagonal form, but each target evaluates all ridges, and has a
	// separate factor of d²/2 numbers in memory and in files. If it is not set, or if Ridge is set, all targets share one ridge.
	RidgePerTarget bool

	// NoIntercept sets the intercept b to 0. The columns and the targets are then not centred.
	NoIntercept bool

	// Groups holds the group of each training row, as in [Regressor.Groups].
	Groups []int `settings:"-"`

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// If Observe is not nil, it is called after each ridge that leave-one-out evaluates.
	Observe func(estimators.Step)

	m *model
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *MultiRegressor) SetGroups(groups []int) { r.Groups = groups }

func (r *MultiRegressor) settings() modelSettings {
	return modelSettings{
		typ: multiType, ridge: r.Ridge, rule: r.RidgeRule, perTarget: r.RidgePerTarget, noIntercept: r.NoIntercept, groups: r.Groups,
		workers: r.Workers,
	}
}

// Fit fits the model to x (n×d) and the targets y (n×k). The cost is O(nd² + ndk) if d ≤ n, and O(dn² + ndk) with more columns than
// rows. It returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite] (also if squares overflow), or the error
// of ctx.
func (r *MultiRegressor) Fit(ctx context.Context, x, y mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row, which is the same for all its targets. A weight of 2 has the
// same effect as the row given twice. If Ridge is 0, only the ratios of the weights matter.
func (r *MultiRegressor) FitWeighted(ctx context.Context, x, y mat.Matrix, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, check.Given(weights))
}

func (r *MultiRegressor) fit(ctx context.Context, x, y mat.Matrix, weights []float64) error {
	if err := settings.Check(multiType, r); err != nil {
		return err
	}
	rows, err := anyrows.From("x", x, staysSparse(x))
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
	own, units, err := targets.Standard(multiType, yd, weights, !r.NoIntercept)
	if err != nil {
		return err
	}
	m, err := r.settings().fit(ctx, rows, own, weights)
	if err != nil {
		return err
	}
	if err := m.toUnits(units); err != nil {
		return err
	}
	r.m = m
	return nil
}

// toUnits converts a model for scaled targets to the original units of the targets.
func (m *model) toUnits(units *targets.Units) error {
	units.Restore(m.target)
	for j, s := range units.Spread {
		floats.Scale(s, m.coefficients.RawRowView(j))
		if v := floats.Sum(m.coefficients.RawRowView(j)); v-v != 0 {
			return targets.TooLarge(multiType, j)
		}
	}
	units.Squares(m.noise)
	units.Squares(m.within)
	units.Rescale(m.loo)
	if err := targets.Finite(multiType, m.target, m.noise, m.within); err != nil {
		return err
	}
	return targets.FiniteColumns(multiType, m.loo)
}

// Predict returns b + <β, x> for each target (m×k) and each row of x (m×d). The cost is O(mdk).
func (r *MultiRegressor) Predict(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return r.m.predict(multiType, x)
}

// PredictTo is like Predict but writes to dst (m×k). Up to sixteen rows of a dense matrix are predicted one by one
// without allocating memory. The predictions agree with those of Predict up to rounding.
func (r *MultiRegressor) PredictTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Scores(multiType, dst, x, r.m.rowWidth(), r.Targets(), r.Predict, r.m.row)
}

// PredictVariance returns the means and the variances of new observations of each target (m×k) at each row of x (m×d). The
// variances include the noise. For each ridge, the cost is O(md²), or O(mdn) with more columns than rows.
func (r *MultiRegressor) PredictVariance(x mat.Matrix) (mean, variance *mat.Dense, err error) {
	defer fault.Recover(&err)
	return r.m.predictVariance(multiType, x)
}

// PredictInterval returns the bounds (m×k) of central intervals for new observations at each row of x (m×d), for each target
// separately. An interval contains the observation with probability level, in (0, 1), if the distribution is normal with the mean
// and variance of PredictVariance.
func (r *MultiRegressor) PredictInterval(x mat.Matrix, level float64) (low, high *mat.Dense, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(multiType, level); err != nil {
		return nil, nil, err
	}
	mean, variance, err := r.PredictVariance(x)
	return interval.Matrices(interval.Normal(level), mean, variance, err)
}

// PriorVariances returns s²/λ for each target, like [Regressor.PriorVariance]. It returns nil before Fit.
func (r *MultiRegressor) PriorVariances() []float64 {
	if r.m == nil {
		return nil
	}
	out := slices.Clone(r.m.noise)
	for j := range out {
		out[j] /= r.m.ridges[r.m.groupOf(j)]
	}
	return out
}

// Targets returns k, the number of targets. It returns 0 before Fit.
func (r *MultiRegressor) Targets() int {
	if r.m == nil {
		return 0
	}
	return len(r.m.target)
}

// Coefficients returns β, with a row for each target (k×d). It returns nil before Fit.
func (r *MultiRegressor) Coefficients() *mat.Dense {
	if r.m == nil {
		return nil
	}
	return mat.DenseCopyOf(r.m.coefficients)
}

// Intercepts returns b for each target. It returns nil before Fit.
func (r *MultiRegressor) Intercepts() []float64 {
	if r.m == nil {
		return nil
	}
	out := make([]float64, len(r.m.target))
	for j := range out {
		out[j] = r.m.intercept(j)
	}
	return out
}

// ChosenRidges returns the ridge λ that Fit used for each target. Without RidgePerTarget all k entries are equal. It returns nil
// before Fit.
func (r *MultiRegressor) ChosenRidges() []float64 {
	if r.m == nil {
		return nil
	}
	out := make([]float64, len(r.m.target))
	for j := range out {
		out[j] = r.m.ridges[r.m.groupOf(j)]
	}
	return out
}

// LeaveOneOutResiduals returns y[i,j] minus its prediction by a model with the same ridge (n×k). The model is fitted to all rows
// that differ from row i, or with Groups to all rows of other groups. The residuals are exact, and are computed by Fit. If there is
// only one distinct row, it returns nil. Before Fit it returns [estimators.ErrNotFitted].
func (r *MultiRegressor) LeaveOneOutResiduals(context.Context) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return r.m.leaveOneOutResiduals(multiType)
}

// Report describes the last Fit. Objective is the sum over the targets of the weighted mean squared leave-one-out residual, divided
// by the target's weighted variance. Iterations is the number of evaluated ridges.
func (r *MultiRegressor) Report() estimators.Report { return r.m.copiedReport() }

// Graph implements [graph.Grapher]. Mean and variance have a column for each target.
func (r *MultiRegressor) Graph(x graph.Value) (graph.Outputs, error) {
	return r.m.graph(multiType, x)
}

// MarshalBinary encodes the fitted model: its coefficients, and the d²/2 numbers of each factor for the variance.
func (r *MultiRegressor) MarshalBinary() ([]byte, error) { return r.m.marshal(multiType, multiKind) }

// UnmarshalBinary decodes the output of MarshalBinary. Errors wrap [estimators.ErrBadModel] and leave r unchanged.
func (r *MultiRegressor) UnmarshalBinary(data []byte) error {
	m, err := unmarshal(multiKind, data, 0)
	if err != nil {
		return err
	}
	r.m = m
	return nil
}
