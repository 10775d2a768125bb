package golearn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection"
)

// Classifier makes an estimator of this module a base.Classifier.
//
// Fit fits a clone of Estimator, so that several Classifiers may share one Estimator. If Fit fails, the model is unchanged. Predict
// and the other methods that predict for a grid change nothing and may run concurrently. Errors name the attribute and the row, and
// unwrap to the errors of package estimators. If a method that returns a grid returns an error, the grid has no rows.
//
// Predict returns a grid with the class attribute of the training grid: its name, type and levels. After training on a float
// class, the predictions are 0 or 1. With Scores, and for golearn's meta.OneVsAllModel, they are scores between 0 and 1. The score
// is the probability of 1. For an estimator without probabilities, it is the logistic function of half the difference of the two
// decision values. For an estimator without either, it is 0 or 1.
type Classifier struct {
	// Estimator is the model to fit. Fit fits a clone of it. If it is nil, the zero [selection.Classifier] is used, which scales
	// the columns, fills gaps and chooses a kernel.
	Estimator estimators.Classifier
	// NoOneHot rejects categorical features. By default, each level in the training rows becomes a column of 0 and 1.
	NoOneHot bool
	// Missing sets how a NaN in a feature is treated: Refuse, Pass or Impute. The zero value is Refuse. If Estimator is nil, Refuse
	// means Pass, since the default estimator fills gaps.
	Missing Missing
	// Balanced gives each row the weight n/(K·the number of rows in its class), so that all K classes have the same weight.
	// Balanced and ClassWeights need an estimators.WeightedFitter.
	Balanced bool
	// ClassWeights holds, by the name of a class, a factor > 0 for the weights of its rows. The names are "0" and "1" for a binary
	// or a float class. The factor of other classes is 1. With Balanced, the factor multiplies the weight that Balanced gives.
	ClassWeights map[string]float64
	// Scores selects scores as the predictions after training on a float class. By default only golearn's meta.OneVsAllModel
	// receives scores, since golearn's confusion matrix compares printed classes and needs 0 or 1.
	Scores bool

	adapter[classifierModel]
}

type classifierModel struct {
	trained
	present   []int // label of the estimator -> index of the class in the attribute, ascending
	scores    bool
	estimator estimators.Classifier
}

const classifierKind = "golearn.Classifier"

var _ gridEstimator = (*Classifier)(nil)

// Fit fits the model to the rows of grid. It is FitContext with a background context.
func (c *Classifier) Fit(grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(context.Background(), c, grid)
}

// FitContext fits the model to the rows of grid, which has one class attribute: categorical, binary, or a float of 0 and 1. The
// estimator receives the classes that occur in the rows as 0 to K-1, in the order of Labels. FitContext returns
//
//   - ErrParam for a nil grid, an invalid class or level, a rejected categorical feature, or a weight out of range or for no class;
//   - an error that wraps errors.ErrUnsupported for weights that Estimator does not support;
//   - ErrShape for no rows, no features or not exactly one class attribute;
//   - ErrTooLarge for a matrix over 8 GiB, and ErrNotFinite;
//   - the estimator's own errors, since it may reject a single class;
//   - ctx's error.
func (c *Classifier) FitContext(ctx context.Context, grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(ctx, c, grid)
}

// learner returns Estimator, or its default if it is nil.
func (c *Classifier) learner() estimators.Classifier {
	if c.Estimator == nil {
		return &selection.Classifier{}
	}
	return c.Estimator
}

func (c *Classifier) fitTable(ctx context.Context, t *gridtable.Table) error {
	est := estimators.Clone(c.learner())
	class, present, y, err := t.Labels()
	if err != nil {
		return err
	}
	weights, err := weigh(gridtable.ClassTexts(class, present), y, c.Balanced, c.ClassWeights)
	if err != nil {
		return err
	}
	schema, x, err := learn(ctx, t, c.NoOneHot, gapsOf(c.Estimator, c.Missing), est)
	if err != nil {
		return err
	}
	if err := fitWeighted(ctx, est, x, y, weights); err != nil {
		return t.Explain(schema.Columns, err)
	}
	c.fitted = &classifierModel{trained{*schema, class}, present, c.Scores || t.OneVsAll, est}
	return nil
}

// fitWeighted calls Fit if the weights are nil, so that an estimator without weights can be fitted.
func fitWeighted(ctx context.Context, est estimators.Classifier, x mat.Matrix, y []int, weights []float64) error {
	if weights == nil {
		return est.Fit(ctx, x, y)
	}
	w, err := estimators.Capable[estimators.WeightedFitter[int]]("Estimator", est, estimators.Weighted)
	if err != nil {
		return err
	}
	return w.FitWeighted(ctx, x, y, weights)
}

func (m *classifierModel) kind() string { return classifierKind }

func (m *classifierModel) predict(t *gridtable.Table) (gridtable.Cells, error) {
	of := m.labels
	if m.Target.Kind == gridtable.FloatKind && m.scores {
		switch {
		case estimators.Supports(m.estimator, estimators.Proba):
			of = m.probabilities
		case len(m.present) == 2 && estimators.Supports(m.estimator, estimators.Decision):
			of = m.squashed
		}
	}
	values, err := give(&m.Schema, t, of)
	return gridtable.NewCells(m.Target, values), err
}

// labels returns the cells of the class column.
func (m *classifierModel) labels(x *mat.Dense) ([]float64, error) {
	y, err := m.estimator.Predict(x)
	if err != nil {
		return nil, err
	}
	if rows, _ := x.Dims(); len(y) != rows {
		return nil, fault.Shape("the estimator's prediction has", len(y), "entries", "x has %d rows", rows)
	}
	out := make([]float64, len(y))
	for i, label := range y {
		if label < 0 || label >= len(m.present) {
			return nil, fault.Param("Estimator", fmt.Sprintf("prediction for row %d", i), label,
				fmt.Sprintf("one of its %d classes, from 0", len(m.present)))
		}
		out[i] = float64(m.present[label])
	}
	return out, nil
}

// probabilities returns the probability of class 1 for each row. If the training rows lack class 1, it is 0.
func (m *classifierModel) probabilities(x *mat.Dense) ([]float64, error) {
	p, err := m.probaOf(x)
	if err != nil {
		return nil, err
	}
	rows, _ := x.Dims()
	out := make([]float64, rows)
	if label := slices.Index(m.present, 1); label >= 0 {
		mat.Col(out, label, p)
	}
	return out, nil
}

// squashed returns the decision values for class 1, mapped to (0, 1). golearn's OneVsAllModel compares these values between models,
// and ignores values that are not above 0.
func (m *classifierModel) squashed(x *mat.Dense) ([]float64, error) {
	p, err := estimators.Capable[estimators.DecisionPredictor]("Estimator", m.estimator, estimators.Decision)
	if err != nil {
		return nil, err
	}
	d, err := p.Decision(x)
	if err != nil {
		return nil, err
	}
	rows, _ := x.Dims()
	if err := checkShape("decisions", d, rows, 2); err != nil {
		return nil, err
	}
	out := make([]float64, rows)
	for i := range out {
		out[i] = 1 / (1 + math.Exp((d.At(i, 0)-d.At(i, 1))/2))
	}
	return out, nil
}

// probaOf returns the probabilities, with columns in the order of the labels 0 to K-1.
func (m *classifierModel) probaOf(x *mat.Dense) (*mat.Dense, error) {
	p, err := estimators.Capable[estimators.ProbaPredictor]("Estimator", m.estimator, estimators.Proba)
	if err != nil {
		return nil, err
	}
	out, err := p.PredictProba(x)
	if err != nil {
		return nil, err
	}
	rows, _ := x.Dims()
	return out, checkShape("probabilities", out, rows, len(m.present))
}

func checkShape(what string, m *mat.Dense, rows, columns int) error {
	if r, k := m.Dims(); r != rows || k != columns {
		return fault.Shape(fmt.Sprintf("the estimator's %s have %d rows and", what, r), k, "columns", "want %d rows and %d columns", rows,
			columns)
	}
	return nil
}

// PredictProba returns a row of class probabilities for each row of grid, with columns in the order of Labels. For a grid without
// rows it returns the empty matrix. It returns the errors of Predict. If the estimator does not compute probabilities, the error
// wraps errors.ErrUnsupported.
func (c *Classifier) PredictProba(grid base.FixedDataGrid) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return predictProba(c, grid)
}

func (m *classifierModel) proba(t *gridtable.Table) (*mat.Dense, error) {
	if _, err := estimators.Capable[estimators.ProbaPredictor]("Estimator", m.estimator, estimators.Proba); err != nil {
		return nil, err
	}
	if t.Rows == 0 {
		return &mat.Dense{}, nil
	}
	return give(&m.Schema, t, m.probaOf)
}

// PredictSet returns a set of classes for each row of grid, named as in Labels. If the estimator guarantees it
// (estimators/conformal), the set contains the true class with probability level, which is in (0, 1). For a grid without rows
// PredictSet returns nil. It returns the errors of Predict. If the estimator does not compute sets, the error wraps
// errors.ErrUnsupported.
func (c *Classifier) PredictSet(grid base.FixedDataGrid, level float64) (_ [][]string, err error) {
	defer fault.Recover(&err)
	return predictSet(c, grid, level)
}

func (m *classifierModel) sets(t *gridtable.Table, level float64) ([][]string, error) {
	p, err := estimators.Capable[estimators.SetPredictor]("Estimator", m.estimator, estimators.Sets)
	if err != nil || t.Rows == 0 {
		return nil, err
	}
	return give(&m.Schema, t, func(x *mat.Dense) ([][]string, error) {
		sets, err := p.PredictSet(x, level)
		if err != nil {
			return nil, err
		}
		if rows, _ := x.Dims(); len(sets) != rows {
			return nil, fault.Shape("the estimator's sets have", len(sets), "entries", "x has %d rows", rows)
		}
		names, out := gridtable.ClassTexts(m.Target, m.present), make([][]string, len(sets))
		for i, set := range sets {
			for _, label := range set {
				if label < 0 || label >= len(names) {
					return nil, fault.Param("Estimator", fmt.Sprintf("set for row %d", i), label,
						fmt.Sprintf("one of its %d classes, from 0", len(names)))
				}
				out[i] = append(out[i], names[label])
			}
		}
		return out, nil
	})
}

// Labels returns the classes of the training rows, in the order of the class attribute's levels. They are "0" and "1" for a
// binary or a float class. Labels returns nil before Fit.
func (c *Classifier) Labels() []string {
	if c.fitted == nil {
		return nil
	}
	return gridtable.ClassTexts(c.fitted.Target, c.fitted.present)
}

// Features returns the names of the columns of the estimator's matrix. A name is that of the attribute, or name=level for a
// categorical attribute. It returns nil before Fit.
func (c *Classifier) Features() []string { return featuresOf(c) }

// Fitted returns the fitted clone of Estimator, for its own methods. It returns nil before Fit. The clone must not be fitted again.
func (c *Classifier) Fitted() estimators.Classifier {
	if c.fitted == nil {
		return nil
	}
	return c.fitted.estimator
}

// Report returns the fitted estimator's report. It returns the zero Report before Fit or if the estimator has none.
func (c *Classifier) Report() estimators.Report { return reportOf(c.Fitted()) }

// Supports reports whether the method of a capability would work. Proba, Cloning, Reporting and Marshalling depend on Estimator.
// All other capabilities are false, since a grid has no weights and golearn has no decision values.
func (c *Classifier) Supports(capability estimators.Capability) bool {
	return supports(c, capability, estimators.Wrapped{Estimators: []any{c.learner()}})
}

// String returns the estimator and a summary of the training grid.
func (c *Classifier) String() string {
	if c.fitted == nil {
		return fmt.Sprintf("golearn.Classifier(%T, not fitted)", c.learner())
	}
	return fmt.Sprintf("golearn.Classifier(%T, fitted on %d features, %d classes)", c.learner(), len(c.fitted.Schema.Columns),
		len(c.fitted.present))
}

func (m *classifierModel) payload() (any, error) {
	est, err := estimators.NestModel("Estimator", m.estimator)
	return wrappedPayload{m.trained, m.present, m.scores, est}, err
}

// UnmarshalBinary decodes the output of MarshalBinary of a Classifier with the same configuration. If it returns an error, the
// model is unchanged. The error is ErrBadModel for data that is truncated, changed, or from another configuration. If Estimator
// cannot be cloned or unmarshalled, the error wraps errors.ErrUnsupported.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	p, est, err := readWrapped(c, data, c.learner(), c.NoOneHot, gapsOf(c.Estimator, c.Missing))
	if err == nil {
		err = checkPresent(p.Trained.Target, p.Present)
	}
	if err != nil {
		return err
	}
	if got := est.Classes(); !slices.Equal(got, upTo(len(p.Present))) {
		return fault.BadModel(classifierKind, "the estimator has %d classes, the class attribute %d", len(got), len(p.Present))
	}
	c.fitted = &classifierModel{p.Trained, p.Present, c.Scores || p.Scores, est}
	return nil
}
