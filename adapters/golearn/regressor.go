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

// Regressor is a base.Classifier whose class attribute is a number, after the
// convention of golearn's LinearRegression: a float class attribute goes in, and
// a grid with one float attribute of that name comes out.
//
// What Classifier says of clones, failed fits, concurrency and errors holds here.
type Regressor struct {
	// Estimator is the model of which a clone is fitted. If it is nil, it is the zero [selection.Regressor], which scales the
	// columns, fills gaps and chooses a kernel.
	Estimator estimators.Regressor
	// NoOneHot refuses categorical features. The default, false, gives each
	// category that the training rows hold a column of 0 and 1.
	NoOneHot bool
	// Missing says what becomes of a NaN in a feature: Refuse, Pass or Impute. The zero value is
	// Refuse, but Pass where Estimator is nil, whose place is taken by one that fills gaps.
	Missing Missing

	adapter[regressorModel]
}

type regressorModel struct {
	trained
	estimator estimators.Regressor
}

const regressorKind = "golearn.Regressor"

var _ gridEstimator = (*Regressor)(nil)

// Fit learns from the rows of grid. It is FitContext without a context.
func (r *Regressor) Fit(grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(context.Background(), r, grid)
}

// FitContext learns from the rows of grid, whose one class attribute is a float
// attribute. Errors: ErrParam for a nil grid, a class attribute of another
// type, a refused categorical feature; ErrShape for no rows, no features
// or not one class attribute; ErrTooLarge for a matrix over 8 GiB; ErrNotFinite;
// the estimator's own; ctx's.
func (r *Regressor) FitContext(ctx context.Context, grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(ctx, r, grid)
}

// learner is Estimator, or what takes the place of none.
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

// PredictVariance returns, for each row of grid, the mean and the variance of a
// new observation there, in the units of the target and of its square; both are
// nil for a grid of no rows. Errors as Predict's, and one that wraps
// errors.ErrUnsupported if the estimator gives no variance.
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

// PredictInterval returns, for each row of grid, the bounds between which a new observation
// there lies with the probability level, in (0, 1); both are nil for a grid of no rows.
// Errors as Predict's, ErrParam for another level, and one that wraps
// errors.ErrUnsupported if the estimator gives no intervals.
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

// Target returns the name of the attribute that is predicted; "" before Fit.
func (r *Regressor) Target() string {
	if r.fitted == nil {
		return ""
	}
	return r.fitted.Target.Name
}

// Features names the columns of the matrix that the estimator sees: an attribute's
// name, or name=category for a categorical one; nil before Fit.
func (r *Regressor) Features() []string { return featuresOf(r) }

// Fitted returns the fitted clone of Estimator, for what it alone can tell; nil
// before Fit. It must not be fitted again.
func (r *Regressor) Fitted() estimators.Regressor {
	if r.fitted == nil {
		return nil
	}
	return r.fitted.estimator
}

// Report is the fitted estimator's report, and the zero Report before Fit or if
// it makes none.
func (r *Regressor) Report() estimators.Report { return reportOf(r.Fitted()) }

// Supports reports whether the method of a capability would work, which depends
// on Estimator: Variance, Interval, Reporting, Marshalling. All others are false.
func (r *Regressor) Supports(capability estimators.Capability) bool {
	return supports(r, capability, estimators.Wrapped{Estimators: []any{r.learner()}})
}

// String says what is wrapped and what it was fitted on.
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

// UnmarshalBinary reads what MarshalBinary of an equally configured Regressor
// wrote. Every error leaves the model as it was: ErrBadModel for data that is cut
// short, changed, or of another configuration; one that wraps
// errors.ErrUnsupported if Estimator cannot be cloned or unmarshalled.
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
