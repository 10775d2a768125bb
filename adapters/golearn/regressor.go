package golearn

import (
	"context"
	"fmt"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const regressorName = "golearn: Regressor"

// Regressor is a base.Classifier whose class attribute is a number, after the
// convention of golearn's LinearRegression: a float class attribute goes in, and
// a grid with one float attribute of that name comes out.
//
// What Classifier says of clones, failed fits, concurrency and errors holds here.
type Regressor struct {
	// Estimator is what learns. It has to have a Clone method (estimators.Cloner).
	Estimator estimators.Regressor
	// NoOneHot refuses categorical features. The default, false, gives each
	// category that the training rows hold a column of 0 and 1.
	NoOneHot bool
	// AllowMissing hands NaN cells to Estimator instead of refusing them: for an
	// estimator that imputes them itself.
	AllowMissing bool
	// Impute puts the mean of a float feature over the training rows in place of a
	// NaN, in training and at Predict, and 0 where they hold no number. A gap in a
	// categorical feature is a category like the others (MissingCategory). For other
	// statistics put a transformers.Imputer into a pipeline.
	Impute bool

	fitted *regressorModel
}

type regressorModel struct {
	encoder   *encoder
	target    column
	estimator estimators.Regressor
}

var (
	_ base.Classifier    = (*Regressor)(nil)
	_ estimators.Wrapper = (*Regressor)(nil)
)

// Fit learns from the rows of grid. It is FitContext without a context.
func (r *Regressor) Fit(grid base.FixedDataGrid) error {
	return r.FitContext(context.Background(), grid)
}

// FitContext learns from the rows of grid, whose one class attribute is a float
// attribute. Errors: ErrParam for a nil Estimator or grid, a class attribute of
// another type, a refused categorical feature; ErrShape for no rows, no features
// or not one class attribute; ErrNotFinite; the estimator's own; ctx's.
func (r *Regressor) FitContext(ctx context.Context, grid base.FixedDataGrid) error {
	m, err := r.fit(ctx, grid)
	if err != nil {
		return fmt.Errorf("%s: %w", regressorName, err)
	}
	r.fitted = m
	return nil
}

func (r *Regressor) fit(ctx context.Context, grid base.FixedDataGrid) (*regressorModel, error) {
	est, err := estimators.Clone("Estimator", r.Estimator)
	if err != nil {
		return nil, err
	}
	class, err := trainingGrid(grid)
	if err != nil {
		return nil, err
	}
	missing, err := gapsOf(r.AllowMissing, r.Impute)
	if err != nil {
		return nil, err
	}
	enc, x, err := newEncoder(grid, class.GetName(), r.NoOneHot, missing)
	if err != nil {
		return nil, err
	}
	target, y, err := readTargets(grid, class)
	if err != nil {
		return nil, err
	}
	if err := est.Fit(ctx, x, y); err != nil {
		return nil, enc.explain(err)
	}
	return &regressorModel{encoder: enc, target: target, estimator: est}, nil
}

// Predict returns a grid of the same rows, in the same order, with one float
// attribute of the target's name. Errors: ErrNotFitted; ErrShape for a missing
// feature; ErrParam for one of another type; ErrNotFinite; the estimator's.
func (r *Regressor) Predict(grid base.FixedDataGrid) (base.FixedDataGrid, error) {
	m := r.fitted
	x, err := m.matrix(grid)
	if err != nil {
		return empty(m.column()), err
	}
	if x == nil {
		return classGrid(m.target, nil)
	}
	y, err := m.estimator.Predict(x)
	if err != nil {
		return empty(m.column()), fmt.Errorf("%s: %w", regressorName, m.encoder.explain(err))
	}
	if rows, _ := x.Dims(); len(y) != rows {
		return empty(m.column()), fault.Shape("golearn: Regressor: the estimator's prediction has", len(y), "entries", "x has %d rows", rows)
	}
	return classGrid(m.target, floatBits(y))
}

func (m *regressorModel) column() column {
	if m == nil {
		return column{}
	}
	return m.target
}

// matrix returns the matrix of a grid, or nil if it has no rows.
func (m *regressorModel) matrix(grid base.FixedDataGrid) (*mat.Dense, error) {
	if m == nil {
		return nil, fault.NotFitted(regressorName)
	}
	if grid == nil {
		return nil, fault.Param(regressorName, "grid", nil, "a grid")
	}
	x, err := m.encoder.encode(grid)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", regressorName, err)
	}
	return x, nil
}

// PredictVariance returns, for each row of grid, the mean and the variance of a
// new observation there, in the units of the target and of its square; both are
// nil for a grid of no rows. Errors as Predict's, and one that wraps
// errors.ErrUnsupported if the estimator gives no variance.
func (r *Regressor) PredictVariance(grid base.FixedDataGrid) (mean, variance []float64, err error) {
	m := r.fitted
	x, err := m.matrix(grid)
	if err != nil {
		return nil, nil, err
	}
	v, ok := m.estimator.(estimators.VariancePredictor)
	if !ok || !estimators.Supports(m.estimator, estimators.Variance) {
		return nil, nil, estimators.Unsupported(regressorName, m.estimator, estimators.Variance)
	}
	if x == nil {
		return nil, nil, nil
	}
	mean, variance, err = v.PredictVariance(x)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", regressorName, m.encoder.explain(err))
	}
	return mean, variance, nil
}

// Target returns the name of the attribute that is predicted; "" before Fit.
func (r *Regressor) Target() string { return r.fitted.column().Name }

// Features names the columns of the matrix that the estimator sees: an attribute's
// name, or name=category for a categorical one; nil before Fit.
func (r *Regressor) Features() []string {
	if r.fitted == nil {
		return nil
	}
	return expanded(r.fitted.encoder.Columns)
}

// Inspect reads grid as Predict would and says what it ignores and which
// categories it does not know. Errors as Predict's.
func (r *Regressor) Inspect(grid base.FixedDataGrid) (Inspection, error) {
	if r.fitted == nil {
		return Inspection{}, fault.NotFitted(regressorName)
	}
	if grid == nil {
		return Inspection{}, fault.Param(regressorName, "grid", nil, "a grid")
	}
	_, report, err := r.fitted.encoder.inspect(grid)
	if err != nil {
		return Inspection{}, fmt.Errorf("%s: %w", regressorName, err)
	}
	return report, nil
}

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
func (r *Regressor) Report() estimators.Report {
	return reportOf(r.Fitted())
}

// Supports reports whether the method of a capability would work, which depends
// on Estimator: Variance, Cloning, Reporting, Marshalling. All others are false.
func (r *Regressor) Supports(capability estimators.Capability) bool {
	methods := []estimators.Capability{estimators.Variance, estimators.Cloning}
	return estimators.Wrapped{Estimators: []any{r.Estimator}, Methods: methods}.Supports(r, capability)
}

// Clone returns an unfitted, equally configured, independent copy. An Estimator
// that has no Clone method is shared, and then Fit of either will fail.
func (r *Regressor) Clone() *Regressor {
	out := &Regressor{Estimator: r.Estimator, NoOneHot: r.NoOneHot, AllowMissing: r.AllowMissing, Impute: r.Impute}
	if e, err := estimators.Clone(regressorName, r.Estimator); err == nil {
		out.Estimator = e
	}
	return out
}

// String says what is wrapped and what it was fitted on.
func (r *Regressor) String() string {
	if r.fitted == nil {
		return fmt.Sprintf("golearn.Regressor(%T, not fitted)", r.Estimator)
	}
	return fmt.Sprintf("golearn.Regressor(%T, fitted on %d features)", r.Estimator, len(r.fitted.encoder.Columns))
}
