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

// Classifier is the mean of the probabilities of classifiers, with the shares of the least log loss of what each says of rows that
// it has not seen. All models have to give probabilities. Fit costs a fit of each model, and one for each fold of those
// that have no LeaveOneOutProba. A class that a fold's training rows lack has the probability 0 there.
//
// See also [Regressor].
type Classifier struct {
	// Models are fitted as clones, and get gaps, NaN in x, as they are. If it is nil, they are two machines, an
	// [lssvm.Classifier] and one of a linear kernel.
	Models []estimators.Classifier

	// Splitter makes the folds. Rows that are in no test part do not count. If it is nil, it is
	// [validation.StratifiedKFold], or with Groups [validation.StratifiedGroupKFold] of these.
	Splitter validation.Splitter

	// Groups is as in [Regressor].
	Groups []int `settings:"-"`

	f *fitted[estimators.Classifier]
	m *average.Classifier // of those that have a share
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

// SetCategories sets those of Models if all are an [estimators.Categorizer]. It implements [estimators.Categorizer].
func (c *Classifier) SetCategories(columns []int) { setCategories(c, c.Models, columns) }

// SetColumnNames sets those of Models if all are an [estimators.ColumnNamer]. It implements [estimators.ColumnNamer].
func (c *Classifier) SetColumnNames(names []string) { setColumnNames(c, c.Models, names) }

// ColumnNames implements [estimators.ColumnNamer].
func (c *Classifier) ColumnNames() []string { return c.f.columnNames() }

// Fit fits each model to x (n×d) and the labels y (n), and finds the shares. Errors are as for [Regressor.Fit], and one that wraps
// errors.ErrUnsupported for a model without probabilities.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row, which each model has to take.
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

// exact returns the probabilities that a machine gives the classes of rows in closed form.
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

// own are the probabilities of the classes that rows have, 0 of those that are unknown.
func own(p *mat.Dense, names, y []int) []float64 {
	out := make([]float64, len(y))
	for i, label := range y {
		if at, ok := slices.BinarySearch(names, label); ok {
			out[i] = p.At(i, at)
		}
	}
	return out
}

// predictClasses sets probabilities of rows that a model was not fitted to.
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

// keep takes over what was fitted.
func (c *Classifier) keep(f *fitted[estimators.Classifier]) {
	c.f, c.m = f, average.NewClassifier(classifierType, f.parts)
}

// Shares returns the fitted models that have a share of the mean, the largest first. It returns nil before Fit.
func (c *Classifier) Shares() []Share[estimators.Classifier] { return c.f.shares() }

// Classes returns the distinct labels that Fit saw, ascending. It returns nil before Fit.
func (c *Classifier) Classes() []int {
	if c.f == nil {
		return nil
	}
	return c.m.Classes()
}

// Predict returns the class of the largest mean probability of each row.
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

// PredictProba returns the mean of the probabilities of the models (m×K), a column for each of Classes.
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	xd, err := c.f.rows(classifierType, x)
	if err != nil {
		return nil, err
	}
	return c.m.PredictProba(xd)
}

// PredictProbaTo is PredictProba into dst, a row for each of x and a column for each of Classes.
func (c *Classifier) PredictProbaTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	xd, err := c.f.rows(classifierType, x)
	if err != nil {
		return err
	}
	return c.m.PredictProbaTo(dst, xd)
}

// Decision returns the probabilities, whose largest is what is predicted.
func (c *Classifier) Decision(x mat.Matrix) (*mat.Dense, error) { return c.PredictProba(x) }

// DecisionTo is PredictProbaTo.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) error { return c.PredictProbaTo(dst, x) }

// Report returns the report of the model with the largest share. Before Fit it is empty.
func (c *Classifier) Report() estimators.Report {
	if c.f == nil {
		return estimators.Report{}
	}
	return c.m.Report()
}

// Graph implements [graph.Grapher] if all models that have a share do.
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	if c.f == nil {
		return graph.Outputs{}, fault.NotFitted(classifierType)
	}
	return c.m.Graph(x)
}

// Supports reports whether all models can do a.
func (c *Classifier) Supports(a estimators.Capability) bool {
	if a == estimators.Decision || a == estimators.DecisionTo { // which are the probabilities
		a = estimators.Proba
	}
	return c.f.supports(c, c.models(), a)
}

// MarshalBinary writes the models that have a share, and the shares.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	return c.f.marshal(classifierKind, classifierType)
}

// UnmarshalBinary reads what MarshalBinary wrote into a Classifier of the same Models. Errors are [estimators.ErrBadModel] and
// leave c as it was.
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
