package stacking

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/stack"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/average"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/validation"
)

const (
	classifierType = "stacking: Classifier"
	classifierKind = "stacking.Classifier"
)

// Classifier averages the probabilities of several classifiers. The shares of the mean minimise the log loss on rows that the
// models were not fitted to. All models must have probabilities. Fit fits each model once. Models without LeaveOneOutProba are also
// fitted once for each fold. A class that is missing from a fold's training rows has the probability 0 there.
//
// See also [Regressor].
type Classifier struct {
	// Models holds the classifiers. Fit fits clones of them, which receive gaps (NaN in x) unchanged. If it is nil, two models are
	// used: an [lssvm.Classifier] with its default kernel and one with a linear kernel.
	Models []estimators.Classifier

	// Splitter makes the folds. Rows that are in no test fold are ignored. If it is nil, [validation.StratifiedKFold] is used, or
	// [validation.StratifiedGroupKFold] if Groups is set.
	Splitter validation.Splitter

	// Groups has the same meaning as in [Regressor].
	Groups []int `settings:"-"`

	f *fitted[estimators.Classifier]
	m *average.Classifier // mean of the models that have a share
}

var _ interface {
	estimators.WeightedFitter[int]
	estimators.ProbaPredictor
	estimators.ProbaPredictorTo
	estimators.DecisionPredictor
	estimators.DecisionPredictorTo
	estimators.PredictorTo[int]
	estimators.Reporter
	estimators.Grouper
	graph.Grapher
} = (*Classifier)(nil)

// SetGroups sets Groups. It implements [estimators.Grouper].
func (c *Classifier) SetGroups(groups []int) { c.Groups = groups }

// SetCategories sets the categories of Models if each of them is an [estimators.Categorizer]. It implements
// [estimators.Categorizer].
func (c *Classifier) SetCategories(columns []int) { setCategories(c, c.Models, columns) }

// SetColumnNames sets the column names of Models if all are an [estimators.ColumnNamer]. It implements [estimators.ColumnNamer].
func (c *Classifier) SetColumnNames(names []string) { setColumnNames(c, c.Models, names) }

// ColumnNames implements [estimators.ColumnNamer].
func (c *Classifier) ColumnNames() []string { return c.f.columnNames() }

// Fit fits each model to x (n×d) and the labels y (n), and computes the shares. It returns the errors of [Regressor.Fit]. If a
// model has no probabilities, the error wraps errors.ErrUnsupported.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row. All models must support weights.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	if err := check.Weights(classifierType, weights, len(y)); err != nil {
		return err
	}
	return c.fit(ctx, x, y, weights)
}

func (c *Classifier) fit(ctx context.Context, x mat.Matrix, y []int, weights []float64) error {
	xd, err := check.DenseGaps("x", x, check.Anywhere)
	if err == nil {
		err = check.Rows("y", len(y), xd.RawMatrix().Rows)
	}
	if err == nil {
		err = classes.AtLeastTwo(classes.Distinct(y))
	}
	if err != nil {
		return err
	}
	for _, m := range c.models() {
		if !check.IsNil(m) && !estimators.Supports(m, estimators.Proba) {
			return estimators.Unsupported(classifierType, m, estimators.Proba)
		}
	}
	t := task[int, estimators.Classifier]{
		typ: classifierType, models: c.models(), splitter: c.Splitter, predict: predictClasses, shares: stack.OfClasses,
		exact: func(_ context.Context, e estimators.Classifier) ([]float64, []float64, bool, error) {
			return c.exact(e, y)
		},
	}
	if c.Splitter == nil && c.Groups != nil {
		t.splitter = validation.StratifiedGroupKFold{Groups: c.Groups}
	} else if c.Splitter == nil {
		t.splitter = validation.StratifiedKFold{}
	}
	f, err := t.fit(ctx, folds.Rows[int]{X: xd, Y: y, Weights: weights, Groups: c.Groups}, y)
	if err == nil {
		c.keep(&f)
	}
	return check.GapRefused(xd, err)
}

func (c *Classifier) models() []estimators.Classifier {
	if c.Models == nil {
		return []estimators.Classifier{&lssvm.Classifier{}, &lssvm.Classifier{Kernel: kernels.Linear{}}}
	}
	return c.Models
}

// exact returns the leave-one-out probabilities that a machine computes in closed form.
func (c *Classifier) exact(e estimators.Classifier, y []int) (left, none []float64, ok bool, err error) {
	l, ok := e.(interface{ LeaveOneOutProba() (*mat.Dense, error) })
	if !ok || c.Groups != nil {
		return nil, nil, false, nil
	}
	p, err := l.LeaveOneOutProba()
	if err != nil {
		return nil, nil, false, err
	}
	return own(p, e.Classes(), y), nil, true, nil
}

// own returns the probability of each row's own class. It is 0 for a class that is not in names.
func own(p *mat.Dense, names, y []int) []float64 {
	out := make([]float64, len(y))
	for i, label := range y {
		if at, ok := slices.BinarySearch(names, label); ok {
			out[i] = p.At(i, at)
		}
	}
	return out
}

// predictClasses stores the probabilities that a model predicts for rows it was not fitted to.
func predictClasses(e estimators.Classifier, test folds.Rows[int], at []int, out *seen[estimators.Classifier]) error {
	out.variances = nil
	p, err := e.(estimators.ProbaPredictor).PredictProba(test.X)
	if err != nil {
		return err
	}
	for k, v := range own(p, e.Classes(), test.Y) {
		out.left[at[k]] = v
	}
	return nil
}

// keep replaces the model with the newly fitted one.
func (c *Classifier) keep(f *fitted[estimators.Classifier]) {
	c.f, c.m = f, average.NewClassifier(classifierType, f.parts)
}

// Shares returns the fitted models that have a share of the mean, the largest share first. It returns nil before Fit.
func (c *Classifier) Shares() []Share[estimators.Classifier] { return c.f.shares() }

// Classes returns the distinct labels of the training rows in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int {
	if c.f == nil {
		return nil
	}
	return c.m.Classes()
}

// Predict returns the class with the largest mean probability for each row.
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	xd, err := c.f.rows(classifierType, x)
	if err != nil {
		return nil, err
	}
	return c.m.Predict(xd)
}

// PredictTo is like Predict but writes the classes to dst, which has one entry for each row of x.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	xd, err := c.f.rows(classifierType, x)
	if err != nil {
		return err
	}
	return c.m.PredictTo(dst, xd)
}

// PredictProba returns the weighted mean of the models' probabilities (m×K), with a column for each of Classes.
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	xd, err := c.f.rows(classifierType, x)
	if err != nil {
		return nil, err
	}
	return c.m.PredictProba(xd)
}

// PredictProbaTo is like PredictProba but writes to dst, which has a row for each row of x and a column for each of Classes.
func (c *Classifier) PredictProbaTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	xd, err := c.f.rows(classifierType, x)
	if err != nil {
		return err
	}
	return c.m.PredictProbaTo(dst, xd)
}

// Decision returns the probabilities. Predict returns the class with the largest one.
func (c *Classifier) Decision(x mat.Matrix) (*mat.Dense, error) { return c.PredictProba(x) }

// DecisionTo is the same as PredictProbaTo.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) error { return c.PredictProbaTo(dst, x) }

// Report returns the report of the model with the largest share. Before Fit it is empty.
func (c *Classifier) Report() estimators.Report {
	if c.f == nil {
		return estimators.Report{}
	}
	return c.m.Report()
}

// Graph implements [graph.Grapher] if all models that have a share implement it.
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	if c.f == nil {
		return graph.Outputs{}, fault.NotFitted(classifierType)
	}
	return c.m.Graph(x)
}

// Supports reports whether all models support the capability a.
func (c *Classifier) Supports(a estimators.Capability) bool {
	if a == estimators.Decision || a == estimators.DecisionTo { // these return the probabilities
		a = estimators.Proba
	}
	return c.f.supports(c, c.models(), a)
}

// MarshalBinary encodes the shares and the models that have a share.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	return c.f.marshal(classifierKind, classifierType)
}

// UnmarshalBinary decodes the output of MarshalBinary into a Classifier with the same Models. Errors wrap [estimators.ErrBadModel]
// and leave c unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	f, err := unmarshal(classifierKind, classifierType, data, c.models())
	if err == nil {
		for _, p := range f.parts[1:] {
			if own, first := p.Model.Classes(), f.parts[0].Model.Classes(); !slices.Equal(own, first) {
				return fault.BadModel(classifierKind, "models of classes %v and %v, want the same", first, own)
			}
		}
		c.keep(f)
	}
	return err
}
