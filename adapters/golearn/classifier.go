package golearn

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const classifierName = "golearn: Classifier"

// Classifier is a base.Classifier around an estimator of this module.
//
// Fit fits a clone of Estimator, so one Estimator may stand in many Classifiers,
// and assigns it last: a Fit that fails leaves the model fitted before. Predict
// and its kin write nothing and may run concurrently. Errors name the attribute
// and the row, unwrap to the errors of package estimators, and come with a grid
// of no rows where a grid is returned.
type Classifier struct {
	// Estimator is what learns. It has to have a Clone method (estimators.Cloner).
	Estimator estimators.Classifier
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
	// Balanced weighs each row by n/(K·the rows of its class), so that all K classes
	// count alike. It and ClassWeights ask for estimators.WeightedFitter.
	Balanced bool
	// ClassWeights has a factor > 0 for the rows of a class, by its name ("0" and "1"
	// for a binary or a float class); absent: 1; times the balance.
	ClassWeights map[string]float64
	// Scores gives scores after training on a float class (see Predict), which the
	// default gives to golearn's meta.OneVsAllModel alone: golearn's confusion matrix
	// compares what is printed, and wants 0 or 1.
	Scores bool

	fitted *classifierModel
}

type classifierModel struct {
	encoder   *encoder
	classes   *classes
	estimator estimators.Classifier
	scores    bool
}

var (
	_ base.Classifier    = (*Classifier)(nil)
	_ estimators.Wrapper = (*Classifier)(nil)
)

// Fit learns from the rows of grid. It is FitContext without a context.
func (c *Classifier) Fit(grid base.FixedDataGrid) error {
	return c.FitContext(context.Background(), grid)
}

// FitContext learns from the rows of grid, which has one class attribute:
// categorical, binary, or a float of 0 and 1. The estimator sees the classes that
// occur as 0 to K-1, in the order of Labels. Errors: ErrParam for a nil Estimator
// or grid, a class or a category that is none, a refused categorical feature, a
// weight out of range or for no class; one that wraps errors.ErrUnsupported for
// weights that Estimator does not take; ErrShape for no rows, no features or not one class attribute; ErrTooLarge for a
// matrix over MaxMatrixBytes; ErrNotFinite; the estimator's own, as it may refuse a single class; ctx's.
func (c *Classifier) FitContext(ctx context.Context, grid base.FixedDataGrid) error {
	m, err := c.fit(withScores(ctx, grid), grid)
	if err != nil {
		return fmt.Errorf("%s: %w", classifierName, err)
	}
	c.fitted = m
	return nil
}

func (c *Classifier) fit(ctx context.Context, grid base.FixedDataGrid) (*classifierModel, error) {
	est, err := estimators.Clone("Estimator", c.Estimator)
	if err != nil {
		return nil, err
	}
	class, err := trainingGrid(grid)
	if err != nil {
		return nil, err
	}
	missing, err := gapsOf(c.AllowMissing, c.Impute)
	if err != nil {
		return nil, err
	}
	enc, x, err := newEncoder(grid, class.GetName(), c.NoOneHot, missing)
	if err != nil {
		return nil, err
	}
	cls, y, err := readClasses(grid, class)
	if err != nil {
		return nil, err
	}
	weights, err := c.weights(cls, y)
	if err != nil {
		return nil, err
	}
	if err := fitWeighted(ctx, est, x, y, weights); err != nil {
		return nil, enc.explain(err)
	}
	return &classifierModel{encoder: enc, classes: cls, estimator: est, scores: c.Scores || wantsScores(ctx)}, nil
}

// weights returns a weight for each row, and nil where all are 1.
func (c *Classifier) weights(cls *classes, y []int) ([]float64, error) {
	if !c.Balanced && len(c.ClassWeights) == 0 {
		return nil, nil
	}
	labels := cls.labels()
	factor := make([]float64, len(labels))
	for k := range factor {
		factor[k] = 1
	}
	for name, w := range c.ClassWeights {
		k := slices.Index(labels, name)
		if k < 0 {
			return nil, fault.Param("input", "ClassWeights", strconv.Quote(name), "classes out of "+strings.Join(labels, ", "))
		}
		if !(w > 0) || math.IsInf(w, 1) {
			return nil, fault.Param("input", "ClassWeights["+strconv.Quote(name)+"]", w, "> 0 and finite")
		}
		factor[k] = w
	}
	if c.Balanced {
		count := make([]float64, len(labels))
		for _, k := range y {
			count[k]++
		}
		for k := range factor {
			factor[k] *= float64(len(y)) / (float64(len(labels)) * count[k])
		}
	}
	out := make([]float64, len(y))
	for i, k := range y {
		out[i] = factor[k]
	}
	return out, nil
}

// fitWeighted fits with nil weights by Fit, which every estimator has.
func fitWeighted(ctx context.Context, est estimators.Classifier, x mat.Matrix, y []int, weights []float64) error {
	if weights == nil {
		return est.Fit(ctx, x, y)
	}
	w, ok := est.(estimators.WeightedFitter[int])
	if !ok || !estimators.Supports(est, estimators.Weighted) {
		return estimators.Unsupported("Estimator", est, estimators.Weighted)
	}
	return w.FitWeighted(ctx, x, y, weights)
}

// Predict returns a grid of the same rows, in the same order, with the class
// attribute of the training grid alone: its name, type and categories. After
// training on a float class that is the predicted 0 or 1, or, with Scores and for
// golearn's meta.OneVsAllModel, a score between 0 and 1: the probability of 1;
// where the estimator gives none, the logistic function of half the difference of
// the two decision values; and 0 or 1 where it gives neither. Errors: ErrNotFitted;
// ErrShape for a missing feature; ErrParam for one of another type; ErrNotFinite;
// the estimator's.
func (c *Classifier) Predict(grid base.FixedDataGrid) (base.FixedDataGrid, error) {
	m := c.fitted
	x, err := m.matrix(grid)
	if err != nil {
		return empty(m.column()), err
	}
	var bits []uint64
	if x != nil {
		if bits, err = m.predict(x); err != nil {
			return empty(m.column()), fmt.Errorf("%s: %w", classifierName, m.encoder.explain(err))
		}
	}
	return classGrid(m.classes.Column, bits)
}

func (m *classifierModel) column() column {
	if m == nil {
		return column{}
	}
	return m.classes.Column
}

// matrix returns the matrix of a grid, or nil if it has no rows.
func (m *classifierModel) matrix(grid base.FixedDataGrid) (*mat.Dense, error) {
	if m == nil {
		return nil, fault.NotFitted(classifierName)
	}
	if grid == nil {
		return nil, fault.Param(classifierName, "grid", nil, "a grid")
	}
	x, err := m.encoder.encode(grid)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", classifierName, err)
	}
	return x, nil
}

// predict returns the cells of the class column.
func (m *classifierModel) predict(x *mat.Dense) ([]uint64, error) {
	if m.classes.Column.Kind == floatKind && m.scores {
		switch {
		case estimators.Supports(m.estimator, estimators.Proba):
			return m.probabilities(x)
		case len(m.classes.Present) == 2 && estimators.Supports(m.estimator, estimators.Decision):
			return m.squashed(x)
		}
	}
	y, err := m.estimator.Predict(x)
	if err != nil {
		return nil, err
	}
	if rows, _ := x.Dims(); len(y) != rows {
		return nil, fault.Shape("the estimator's prediction has", len(y), "entries", "x has %d rows", rows)
	}
	out := make([]uint64, len(y))
	for i, label := range y {
		if label < 0 || label >= len(m.classes.Present) {
			return nil, fault.Param("Estimator", fmt.Sprintf("prediction for row %d", i), label, fmt.Sprintf("one of its %d classes, from 0", len(m.classes.Present)))
		}
		k := m.classes.Present[label]
		if m.classes.Column.Kind == floatKind {
			out[i] = math.Float64bits(float64(k))
		} else {
			out[i] = uint64(k)
		}
	}
	return out, nil
}

// probabilities returns those of the class 1, which training may not have
// held.
func (m *classifierModel) probabilities(x *mat.Dense) ([]uint64, error) {
	p, err := m.proba(x)
	if err != nil {
		return nil, err
	}
	rows, _ := x.Dims()
	out := make([]float64, rows)
	for label, k := range m.classes.Present {
		if k == 1 {
			mat.Col(out, label, p)
		}
	}
	return floatBits(out), nil
}

// squashed returns the decision for the class 1 between 0 and 1: golearn's
// OneVsAllModel compares these of several models and takes none that is not
// above 0.
func (m *classifierModel) squashed(x *mat.Dense) ([]uint64, error) {
	p, ok := m.estimator.(estimators.DecisionPredictor)
	if !ok {
		return nil, estimators.Unsupported("Estimator", m.estimator, estimators.Decision)
	}
	d, err := p.Decision(x)
	if err != nil {
		return nil, err
	}
	rows, _ := x.Dims()
	if r, k := d.Dims(); r != rows || k != 2 {
		return nil, fault.Shape(fmt.Sprintf("the estimator's decisions have %d rows and", r), k, "columns", "want %d rows and 2 columns", rows)
	}
	out := make([]float64, rows)
	for i := range out {
		out[i] = 1 / (1 + math.Exp((d.At(i, 0)-d.At(i, 1))/2))
	}
	return floatBits(out), nil
}

// proba has its columns in the order of the labels 0 to K-1.
func (m *classifierModel) proba(x *mat.Dense) (*mat.Dense, error) {
	p, ok := m.estimator.(estimators.ProbaPredictor)
	if !ok || !estimators.Supports(m.estimator, estimators.Proba) {
		return nil, estimators.Unsupported("Estimator", m.estimator, estimators.Proba)
	}
	out, err := p.PredictProba(x)
	if err != nil {
		return nil, err
	}
	rows, _ := x.Dims()
	if r, k := out.Dims(); r != rows || k != len(m.classes.Present) {
		return nil, fault.Shape(fmt.Sprintf("the estimator's probabilities have %d rows and", r), k, "columns", "want %d rows and %d columns", rows, len(m.classes.Present))
	}
	return out, nil
}

// PredictProba returns a row of class probabilities for each row of grid, columns
// in the order of Labels. For a grid of no rows it is the empty matrix. Errors as
// Predict's, and one that wraps errors.ErrUnsupported if the estimator gives no
// probabilities.
func (c *Classifier) PredictProba(grid base.FixedDataGrid) (*mat.Dense, error) {
	m := c.fitted
	x, err := m.matrix(grid)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return &mat.Dense{}, nil
	}
	p, err := m.proba(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", classifierName, m.encoder.explain(err))
	}
	return p, nil
}

// Labels returns the classes that the training rows held, in the order of the
// class attribute's categories ("0", "1" for a binary or a float class); nil
// before Fit.
func (c *Classifier) Labels() []string {
	if c.fitted == nil {
		return nil
	}
	return c.fitted.classes.labels()
}

// Features names the columns of the matrix that the estimator sees: an attribute's
// name, or name=category for a categorical one; nil before Fit.
func (c *Classifier) Features() []string {
	if c.fitted == nil {
		return nil
	}
	return expanded(c.fitted.encoder.Columns)
}

// Inspect reads grid as Predict would and says what it ignores and which
// categories it does not know. Errors as Predict's.
func (c *Classifier) Inspect(grid base.FixedDataGrid) (Inspection, error) {
	if c.fitted == nil {
		return Inspection{}, fault.NotFitted(classifierName)
	}
	if grid == nil {
		return Inspection{}, fault.Param(classifierName, "grid", nil, "a grid")
	}
	_, report, err := c.fitted.encoder.inspect(grid)
	if err != nil {
		return Inspection{}, fmt.Errorf("%s: %w", classifierName, err)
	}
	return report, nil
}

// Fitted returns the fitted clone of Estimator, for what it alone can tell; nil
// before Fit. It must not be fitted again.
func (c *Classifier) Fitted() estimators.Classifier {
	if c.fitted == nil {
		return nil
	}
	return c.fitted.estimator
}

// Report is the fitted estimator's report, and the zero Report before Fit or if
// it makes none.
func (c *Classifier) Report() estimators.Report {
	return reportOf(c.Fitted())
}

func reportOf(e any) estimators.Report {
	if r, ok := e.(estimators.Reporter); ok && estimators.Supports(e, estimators.Reporting) {
		return r.Report()
	}
	return estimators.Report{}
}

// Supports reports whether the method of a capability would work, which depends
// on Estimator: Proba, Cloning, Reporting, Marshalling. A grid carries no weights
// and golearn knows no decision values, so all others are false.
func (c *Classifier) Supports(capability estimators.Capability) bool {
	methods := []estimators.Capability{estimators.Proba, estimators.Cloning}
	return estimators.Wrapped{Estimators: []any{c.Estimator}, Methods: methods}.Supports(c, capability)
}

// Clone returns an unfitted, equally configured, independent copy. An Estimator
// that has no Clone method is shared, and then Fit of either will fail.
func (c *Classifier) Clone() *Classifier {
	out := &Classifier{Estimator: c.Estimator, NoOneHot: c.NoOneHot, AllowMissing: c.AllowMissing, Impute: c.Impute,
		Balanced: c.Balanced, ClassWeights: maps.Clone(c.ClassWeights), Scores: c.Scores}
	if e, err := estimators.Clone(classifierName, c.Estimator); err == nil {
		out.Estimator = e
	}
	return out
}

// String says what is wrapped and what it was fitted on.
func (c *Classifier) String() string {
	if c.fitted == nil {
		return fmt.Sprintf("golearn.Classifier(%T, not fitted)", c.Estimator)
	}
	return fmt.Sprintf("golearn.Classifier(%T, fitted on %d features, %d classes)", c.Estimator, len(c.fitted.encoder.Columns), len(c.fitted.classes.Present))
}
