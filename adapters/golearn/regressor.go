package golearn

import (
	"context"
	"fmt"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection"
)

// Regressor is a base.Classifier whose class attribute is a number. It follows the convention of golearn's LinearRegression: Fit
// reads a float class attribute, and Predict returns a grid with one float attribute of that name.
//
// Clones, failed fits, concurrency and errors are as described for Classifier.
type Regressor struct {
	// Estimator is the model to fit. Fit fits a clone of it. If it is nil, the zero [selection.Regressor] is used, which scales the
	// columns, fills gaps and chooses a kernel.
	Estimator estimators.Regressor
	// NoOneHot rejects categorical features. By default, each level in the training rows becomes a column of 0 and 1.
	NoOneHot bool
	// Missing sets how a NaN in a feature is treated: Refuse, Pass or Impute. The zero value is Refuse. If Estimator is nil, Refuse
	// means Pass, since the default estimator fills gaps.
	Missing Missing

	adapter[regressorModel]
}

type regressorModel struct {
	trained
	estimator estimators.Regressor
}

const regressorKind = "golearn.Regressor"

var _ gridEstimator = (*Regressor)(nil)

// Fit fits the model to the rows of grid. It is FitContext with a background context.
func (r *Regressor) Fit(grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(context.Background(), r, grid)
}

// FitContext fits the model to the rows of grid, whose only class attribute must be a float attribute. It returns ErrParam for a
// nil grid, a class attribute of another type or a rejected categorical feature. It returns ErrShape for no rows, no features, or
// unless there is exactly one class attribute. It also returns ErrTooLarge for a matrix over 8 GiB, ErrNotFinite, the estimator's
// own errors, or ctx's error.
func (r *Regressor) FitContext(ctx context.Context, grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(ctx, r, grid)
}

// learner returns Estimator, or its default if it is nil.
func (r *Regressor) learner() estimators.Regressor {
	if r.Estimator == nil {
		return &selection.Regressor{}
	}
	return r.Estimator
}

func (r *Regressor) fitTable(ctx context.Context, t *gridtable.Table) error {
	est := estimators.Clone(r.learner())
	target, y, err := t.Targets()
	if err != nil {
		return err
	}
	schema, x, err := learn(ctx, t, r.NoOneHot, gapsOf(r.Estimator, r.Missing), est)
	if err != nil {
		return err
	}
	if err := est.Fit(ctx, x, y); err != nil {
		return t.Explain(schema.Columns, err)
	}
	r.fitted = &regressorModel{trained{*schema, target}, est}
	return nil
}

func (m *regressorModel) kind() string { return regressorKind }

func (m *regressorModel) predict(t *gridtable.Table) (gridtable.Cells, error) {
	y, err := give(&m.Schema, t, func(x *mat.Dense) ([]float64, error) { return m.estimator.Predict(x) })
	if err == nil && len(y) != t.Rows {
		err = fault.Shape("the estimator's prediction has", len(y), "entries", "x has %d rows", t.Rows)
	}
	return gridtable.NewCells(m.Target, y), err
}

// PredictVariance returns, for each row of grid, the mean and the variance of a new observation. The mean is in the unit of the
// target, and the variance in its square. Both are nil for a grid without rows. PredictVariance returns the errors of Predict. If
// the estimator does not compute variances, the error wraps errors.ErrUnsupported.
func (r *Regressor) PredictVariance(grid base.FixedDataGrid) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	return predictVariance(r, grid)
}

func (m *regressorModel) variance(t *gridtable.Table) (pair, error) {
	v, err := estimators.Capable[estimators.VariancePredictor]("Estimator", m.estimator, estimators.Variance)
	if err != nil || t.Rows == 0 {
		return pair{}, err
	}
	return give(&m.Schema, t, func(x *mat.Dense) (out pair, err error) {
		out.first, out.second, err = v.PredictVariance(x)
		return out, err
	})
}

// PredictInterval returns, for each row of grid, the bounds between which a new observation lies with the probability level, in (0,
// 1). Both are nil for a grid without rows. PredictInterval returns the errors of Predict, and ErrParam for a level outside this
// range. If the estimator does not compute intervals, the error wraps errors.ErrUnsupported.
func (r *Regressor) PredictInterval(grid base.FixedDataGrid, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	return predictInterval(r, grid, level)
}

func (m *regressorModel) interval(t *gridtable.Table, level float64) (pair, error) {
	v, err := estimators.Capable[estimators.IntervalPredictor]("Estimator", m.estimator, estimators.Interval)
	if err != nil || t.Rows == 0 {
		return pair{}, err
	}
	return give(&m.Schema, t, func(x *mat.Dense) (out pair, err error) {
		out.first, out.second, err = v.PredictInterval(x, level)
		return out, err
	})
}

// Target returns the name of the predicted attribute, or "" before Fit.
func (r *Regressor) Target() string {
	if r.fitted == nil {
		return ""
	}
	return r.fitted.Target.Name
}

// Features returns the names of the columns of the estimator's matrix. A name is that of the attribute, or name=level for a
// categorical attribute. It returns nil before Fit.
func (r *Regressor) Features() []string { return featuresOf(r) }

// Fitted returns the fitted clone of Estimator, for its own methods. It returns nil before Fit. The clone must not be fitted again.
func (r *Regressor) Fitted() estimators.Regressor {
	if r.fitted == nil {
		return nil
	}
	return r.fitted.estimator
}

// Report returns the fitted estimator's report. It returns the zero Report before Fit or if the estimator has none.
func (r *Regressor) Report() estimators.Report { return reportOf(r.Fitted()) }

// Supports reports whether the method of a capability would work. Variance, Interval, Reporting and Marshalling depend on
// Estimator. All other capabilities are false.
func (r *Regressor) Supports(capability estimators.Capability) bool {
	return supports(r, capability, estimators.Wrapped{Estimators: []any{r.learner()}})
}

// String returns the estimator and a summary of the training grid.
func (r *Regressor) String() string {
	if r.fitted == nil {
		return fmt.Sprintf("golearn.Regressor(%T, not fitted)", r.learner())
	}
	return fmt.Sprintf("golearn.Regressor(%T, fitted on %d features)", r.learner(), len(r.fitted.Schema.Columns))
}

func (m *regressorModel) payload() (any, error) {
	est, err := estimators.NestModel("Estimator", m.estimator)
	return wrappedPayload{Trained: m.trained, Estimator: est}, err
}

// UnmarshalBinary decodes the output of MarshalBinary of a Regressor with the same configuration. If it returns an error, the model
// is unchanged. The error is ErrBadModel for data that is truncated, changed, or from another configuration. If Estimator cannot be
// cloned or unmarshalled, the error wraps errors.ErrUnsupported.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	p, est, err := readWrapped(r, data, r.learner(), r.NoOneHot, gapsOf(r.Estimator, r.Missing))
	if err != nil {
		return err
	}
	if k := p.Trained.Target.Kind; k != gridtable.FloatKind {
		return fault.BadModel(regressorKind, "the target %q is %v", p.Trained.Target.Name, k)
	}
	r.fitted = &regressorModel{p.Trained, est}
	return nil
}
