package stacking

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/stack"
	"github.com/kernelearn/kernelearn/selection/internal/average"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/validation"
)

const (
	regressorType = "stacking: Regressor"
	regressorKind = "stacking.Regressor"
)

// Regressor averages several regressors. The shares of the mean minimise the squared error on rows that the models were not fitted
// to. Variances and intervals are available if all models that have a share return variances. They are those of the mixture,
// multiplied by a factor that makes them agree with the errors on unseen rows. Fit fits each model once. Models without
// LeaveOneOutResiduals are also fitted once for each fold.
//
// See also [Classifier].
type Regressor struct {
	// Models holds the regressors. Fit fits clones of them, which receive gaps (NaN in x) unchanged. If it is nil, an
	// [lssvm.Regressor] and a [ridge.Regressor] are used.
	Models []estimators.Regressor

	// Splitter makes the folds. Rows that are in no test fold are ignored. If it is nil, [validation.KFold] is used, or
	// [validation.GroupKFold] if Groups is set.
	Splitter validation.Splitter

	// Groups holds the group of each training row, such as a patient. The rows of a group are in the same fold. Models that are an
	// [estimators.Grouper] receive the groups.
	Groups []int `settings:"-"`

	f *fitted[estimators.Regressor]
	m *average.Regressor // mean of the models that have a share
}

var _ interface {
	estimators.WeightedFitter[float64]
	estimators.VariancePredictor
	estimators.IntervalPredictor
	estimators.PredictorTo[float64]
	estimators.Reporter
	estimators.Grouper
	graph.Grapher
} = (*Regressor)(nil)

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *Regressor) SetGroups(groups []int) { r.Groups = groups }

// SetCategories sets the categories of Models if all are an [estimators.Categorizer]. It implements [estimators.Categorizer].
func (r *Regressor) SetCategories(columns []int) { setCategories(r, r.Models, columns) }

// SetColumnNames sets the column names of Models if all are an [estimators.ColumnNamer]. It implements [estimators.ColumnNamer].
func (r *Regressor) SetColumnNames(names []string) { setColumnNames(r, r.Models, names) }

// ColumnNames implements [estimators.ColumnNamer].
func (r *Regressor) ColumnNames() []string { return r.f.columnNames() }

// Fit fits each model to x (n×d) and y (n), and computes the shares. It returns the error of a model, preceded by the model's
// number, or that of the Splitter. It returns [estimators.ErrParam] if Models is empty or contains nil, or if two test folds have a
// row in common.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row. All models must support weights.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	if err := check.Weights(regressorType, weights, len(y)); err != nil {
		return err
	}
	return r.fit(ctx, x, y, weights)
}

func (r *Regressor) fit(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	xd, err := check.DenseGaps("x", x, check.Anywhere)
	if err == nil {
		err = cmp.Or(check.Rows("y", len(y), xd.RawMatrix().Rows), check.Vector("y", y), check.Spread(regressorType, y))
	}
	if err != nil {
		return err
	}
	t := task[float64, estimators.Regressor]{typ: regressorType, models: r.models(), splitter: r.Splitter,
		exact: func(ctx context.Context, e estimators.Regressor) ([]float64, []float64, bool, error) {
			return r.exact(ctx, e, xd)
		},
		predict: predictNumbers, shares: stack.OfNumbers}
	if r.Splitter == nil && r.Groups != nil {
		t.splitter = validation.GroupKFold{Groups: r.Groups}
	} else if r.Splitter == nil {
		t.splitter = validation.KFold{}
	}
	f, err := t.fit(ctx, folds.Rows[float64]{X: xd, Y: y, Weights: weights, Groups: r.Groups}, nil)
	if err == nil {
		r.keep(&f)
	}
	return check.GapRefused(xd, err)
}

func (r *Regressor) models() []estimators.Regressor {
	if r.Models == nil {
		return []estimators.Regressor{&lssvm.Regressor{}, &ridge.Regressor{}}
	}
	return r.Models
}

// exact returns the leave-one-out residuals and variances that a machine computes in closed form. If it has no leave-one-out
// variances, it returns the variances that it predicts for the training rows.
func (r *Regressor) exact(ctx context.Context, e estimators.Regressor, x *mat.Dense) (left, variances []float64, ok bool, err error) {
	l, ok := e.(estimators.LeaveOneOutPredictor)
	if !ok || !estimators.Supports(e, estimators.LeaveOneOut) || r.Groups != nil && !estimators.Supports(e, estimators.Grouping) {
		return nil, nil, false, nil
	}
	if left, err = l.LeaveOneOutResiduals(ctx); err != nil || len(left) == 0 {
		return nil, nil, false, err
	}
	if v, has := e.(interface {
		LeaveOneOutVariances(ctx context.Context) ([]float64, error)
	}); has && r.Groups == nil {
		variances, err = v.LeaveOneOutVariances(ctx)
	} else if v, has := e.(estimators.VariancePredictor); has && estimators.Supports(e, estimators.Variance) {
		_, variances, err = v.PredictVariance(x)
	}
	return left, variances, true, err
}

// predictNumbers stores the residuals and variances of a model for rows that it was not fitted to.
func predictNumbers(e estimators.Regressor, test folds.Rows[float64], at []int, out *seen[estimators.Regressor]) (err error) {
	var mean, variance []float64
	if v, ok := e.(estimators.VariancePredictor); ok && estimators.Supports(e, estimators.Variance) {
		mean, variance, err = v.PredictVariance(test.X)
	} else {
		mean, err = e.Predict(test.X)
		out.variances = nil
	}
	if err != nil {
		return err
	}
	floats.Sub(mean, test.Y)
	for k, i := range at {
		out.left[i] = -mean[k]
		if out.variances != nil {
			out.variances[i] = variance[k]
		}
	}
	return nil
}

// keep replaces the model with the newly fitted one.
func (r *Regressor) keep(f *fitted[estimators.Regressor]) {
	r.f, r.m = f, average.NewRegressor(regressorType, f.parts)
	r.m.VarianceFactor = f.factor
}

// Shares returns the fitted models that have a share of the mean, the largest share first. It returns nil before Fit.
func (r *Regressor) Shares() []Share[estimators.Regressor] { return r.f.shares() }

// Predict returns the mean of the models' predictions, weighted by their shares.
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	xd, err := r.f.rows(regressorType, x)
	if err != nil {
		return nil, err
	}
	return r.m.Predict(xd)
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	xd, err := r.f.rows(regressorType, x)
	if err != nil {
		return err
	}
	return r.m.PredictTo(dst, xd)
}

// PredictVariance returns the mean and the variance of the mixture. The error wraps errors.ErrUnsupported if a model has no
// variances.
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	if err := r.f.each(regressorType, estimators.Variance); err != nil {
		return nil, nil, err
	}
	xd, err := r.f.rows(regressorType, x)
	if err != nil {
		return nil, nil, err
	}
	return r.m.PredictVariance(xd)
}

// PredictInterval returns the bounds of normal distributions with the means and the variances of PredictVariance.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := r.f.each(regressorType, estimators.Variance); err != nil {
		return nil, nil, err
	}
	xd, err := r.f.rows(regressorType, x)
	if err != nil {
		return nil, nil, err
	}
	return r.m.PredictInterval(xd, level)
}

// Report returns the report of the model with the largest share. Before Fit it is empty.
func (r *Regressor) Report() estimators.Report {
	if r.f == nil {
		return estimators.Report{}
	}
	return r.m.Report()
}

// Graph implements [graph.Grapher] if all models that have a share implement it.
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	if r.f == nil {
		return graph.Outputs{}, fault.NotFitted(regressorType)
	}
	return r.m.Graph(x)
}

// Supports reports whether all models support the capability c.
func (r *Regressor) Supports(c estimators.Capability) bool {
	if c == estimators.Interval { // an interval is computed from the variances
		c = estimators.Variance
	}
	return r.f.supports(r, r.models(), c)
}

// MarshalBinary encodes the shares and the models that have a share.
func (r *Regressor) MarshalBinary() ([]byte, error) { return r.f.marshal(regressorKind, regressorType) }

// UnmarshalBinary decodes the output of MarshalBinary into a Regressor with the same Models. Errors wrap [estimators.ErrBadModel]
// and leave r unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	f, err := unmarshal(regressorKind, regressorType, data, r.models())
	if err != nil {
		return err
	}
	r.keep(f)
	return nil
}
