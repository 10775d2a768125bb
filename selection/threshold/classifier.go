package threshold

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/validation"
)

const (
	classifierType = "threshold: Classifier"
	classifierKind = "threshold.Classifier"
)

// Classifier predicts the class Positive where its probability is above a threshold, and otherwise the most probable of the other
// classes. At most one of MinRecall, MinPrecision, Beta and the costs may be set. If none is set, the threshold maximises the
// balanced accuracy of the class against all others. Fit fits Estimator once, and once more for each fold if Estimator has no
// LeaveOneOutProba.
//
// See also Classifier in package calibration, PrecisionRecall in package metrics.
type Classifier struct {
	// Estimator predicts the probabilities. Fit fits a clone of it and does not change Estimator itself. It must have PredictProba,
	// and it receives gaps (NaN in x) unchanged. If it is nil, &lssvm.Classifier{} is used.
	Estimator estimators.Classifier

	// Positive is the label of the class. If it is nil, the last of Classes is used, for example 1 of the labels 0 and 1.
	Positive *int

	// MinRecall is the smallest allowed share of rows of the class that are predicted as the class, in (0, 1]. Among the thresholds
	// that reach this share, the one with the highest precision is chosen.
	MinRecall float64 `zero:"unset" most:"1"`

	// MinPrecision is the smallest allowed share of correct rows among those predicted as the class, in (0, 1]. Among the
	// thresholds that reach this share, the one with the highest recall is chosen. If no threshold reaches it, Fit returns an
	// error.
	MinPrecision float64 `zero:"unset" most:"1"`

	// Beta selects the threshold with the largest [metrics.FBeta], in which recall counts Beta times as much as precision.
	Beta float64 `zero:"unset"`

	// FalsePositiveCost and FalseNegativeCost select the threshold with the lowest cost. They are the costs, in any unit, of a row
	// that is wrongly predicted as the class and of a row of the class that is missed.
	FalsePositiveCost, FalseNegativeCost float64 `zero:"unset"`

	// Splitter makes the folds, whose test folds must have no row in common. If it is nil, the leave-one-out probabilities are used
	// if Estimator has them. Otherwise [validation.StratifiedKFold] with 5 folds is used, or [validation.StratifiedGroupKFold] if
	// Groups is set.
	Splitter validation.Splitter

	// Groups holds the group of each training row, such as a patient or a day. Any numbers are allowed. The rows of a group are in
	// the same fold. Estimator receives the groups if it is an [estimators.Grouper].
	Groups []int `settings:"-"`

	classes.Folding
	m *model
}

// model is the fitted part of a Classifier.
type model struct {
	chosen   estimators.Classifier
	classes  []int
	positive int // index of Positive in classes
	choice   Choice
}

var _ interface {
	estimators.WeightedFitter[int]
	estimators.ProbaPredictor
	estimators.DecisionPredictor
	estimators.Reporter
	estimators.Grouper
	estimators.Categorizer
	estimators.Forwarder
} = (*Classifier)(nil)

// SetGroups sets Groups. It implements [estimators.Grouper].
func (c *Classifier) SetGroups(groups []int) { c.Groups = groups }

// SetCategories sets the categories of Estimator if it is an [estimators.Categorizer]. It implements [estimators.Categorizer].
func (c *Classifier) SetCategories(columns []int) { estimators.SetCategories(c.Estimator, columns) }

// SetColumnNames sets the column names of Estimator if it is an [estimators.ColumnNamer]. It implements [estimators.ColumnNamer].
func (c *Classifier) SetColumnNames(names []string) { estimators.SetColumnNames(c.Estimator, names) }

// ColumnNames implements [estimators.ColumnNamer].
func (c *Classifier) ColumnNames() []string {
	if c.m == nil {
		return nil
	}
	return estimators.ColumnNames(c.m.chosen)
}

func (c *Classifier) estimator() estimators.Classifier {
	if c.Estimator == nil {
		return &lssvm.Classifier{}
	}
	return c.Estimator
}

// Fit fits Estimator to x (n×d) and the labels y (n), and chooses the threshold. It returns [estimators.ErrShape], the errors of
// Estimator and of ctx, and [estimators.ErrParam], also if Positive is not among the labels or no threshold reaches MinPrecision.
// If Estimator has no probabilities, the error wraps errors.ErrUnsupported.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row, which is used in the fit of Estimator and in the choice.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	if err := check.Weights(classifierType, weights, len(y)); err != nil {
		return err
	}
	return c.fit(ctx, x, y, weights)
}

func (c *Classifier) fit(ctx context.Context, x mat.Matrix, y []int, weights []float64) error {
	if err := settings.Check(classifierType, c); err != nil {
		return err
	}
	xd, err := check.WrappedLabels(x, len(y))
	if err != nil {
		return err
	}
	m := &model{classes: classes.Distinct(y)}
	if err := classes.AtLeastTwo(m.classes); err != nil {
		return err
	}
	aim, err := c.aim()
	if err != nil {
		return err
	}
	if m.positive, err = c.position(m.classes); err != nil {
		return err
	}
	if !estimators.Supports(c.estimator(), estimators.Proba) {
		return estimators.Unsupported(classifierType, c.estimator(), estimators.Proba)
	}
	if c.Groups != nil {
		if err := groups.Check(c.Groups, len(y), 2); err != nil {
			return fmt.Errorf("%s: %w", classifierType, err)
		}
	}
	first, rest := progress.Two(ctx, 1, 4)
	rows := folds.Rows[int]{X: xd, Y: y, Weights: weights, Groups: c.Groups}
	m.chosen = c.clone()
	if err := folds.Fit(first, classifierType, m.chosen, rows); err != nil {
		return check.GapRefused(xd, err)
	}
	p, tested, err := c.leaveOut(rest, m.chosen, rows, m.classes[m.positive])
	if err != nil {
		return err
	}
	if m.choice, err = choose(aim, rows.Pick(tested), m.classes[m.positive], p); err != nil {
		return err
	}
	c.m = m
	return nil
}

func (c *Classifier) clone() estimators.Classifier {
	clone := estimators.Clone(c.estimator())
	if c.IsFold() {
		classes.FitsFold(clone)
	}
	return clone
}

// position returns the index of Positive among the classes.
func (c *Classifier) position(names []int) (int, error) {
	if c.Positive == nil {
		return len(names) - 1, nil
	}
	at, found := slices.BinarySearch(names, *c.Positive)
	if !found {
		return 0, fault.Param(classifierType, "Positive", *c.Positive, fmt.Sprintf("one of the labels %d", names))
	}
	return at, nil
}

// probability returns the column of a class, or zeros if the class is unknown.
func probability(p *mat.Dense, names []int, class int) []float64 {
	n, _ := p.Dims()
	at, found := slices.BinarySearch(names, class)
	if !found { // no training row of the fold has this class
		return make([]float64, n)
	}
	return mat.Col(nil, at, p)
}

// fitted returns the model, or an error before Fit.
func (c *Classifier) fitted() (*model, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	return c.m, nil
}

// Classes returns the distinct labels of the training rows in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.classes)
}

// PredictProba returns the probabilities of the fitted Estimator (m×K), with a column for each of Classes. Predict may return a
// class other than the one with the largest probability.
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	m, err := c.fitted()
	if err != nil {
		return nil, err
	}
	return m.chosen.(estimators.ProbaPredictor).PredictProba(x)
}

// least is subtracted from the score of Positive, so that Positive is not predicted if its probability equals the threshold. It is
// too small to change any other comparison of probabilities.
const least = 1e-300

// Decision returns scores (m×K), with a column for each of Classes. Predict returns the class with the largest score. The score of
// Positive is its probability minus the threshold. The score of another class is its probability minus that of the most probable of
// the other classes.
func (c *Classifier) Decision(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	p, err := c.PredictProba(x)
	if err != nil {
		return nil, err
	}
	n, k := p.Dims()
	for i := range n {
		row, most := p.RawRowView(i), math.Inf(-1)
		for j := range k {
			if j != c.m.positive {
				most = max(most, row[j])
			}
		}
		for j := range k {
			if j == c.m.positive {
				row[j] -= c.m.choice.Threshold
				row[j] -= least
			} else {
				row[j] -= most
			}
		}
	}
	return p, nil
}

// Predict returns one of Classes for each row of x.
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	scores, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(c.m.classes, scores), nil
}

// Choice returns the threshold with its precision and recall on the rows that were left out. It returns the zero Choice before Fit.
func (c *Classifier) Choice() Choice {
	if c.m == nil {
		return Choice{}
	}
	return c.m.choice
}

// Chosen returns the clone of Estimator that was fitted to all rows, or nil before Fit. The caller must not change it.
func (c *Classifier) Chosen() estimators.Classifier {
	if c.m == nil {
		return nil
	}
	return c.m.chosen
}

// Report returns the Report of Chosen, or the zero Report if Chosen has none.
func (c *Classifier) Report() estimators.Report {
	if c.m == nil || !estimators.Supports(c.m.chosen, estimators.Reporting) {
		return estimators.Report{}
	}
	return c.m.chosen.(estimators.Reporter).Report()
}

// Forward implements [estimators.Forwarder] with Chosen.
func (c *Classifier) Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error {
	m, err := c.fitted()
	if err != nil {
		return err
	}
	if f == nil {
		return fault.Param(classifierType, "f", nil, "a function")
	}
	return f(m.chosen, x)
}

// Supports implements [estimators.Wrapper].
func (c *Classifier) Supports(capability estimators.Capability) bool {
	own := []estimators.Capability{estimators.Grouping}
	if estimators.Supports(c.estimator(), estimators.Proba) {
		own = append(own, estimators.Decision)
	}
	return estimators.Wrapped{Estimators: []any{c.estimator()}, Own: own}.Supports(c, capability)
}
