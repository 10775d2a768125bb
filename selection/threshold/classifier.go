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

// Classifier predicts the class Positive where its probability is above a threshold, and otherwise the most probable of the other classes.
// At most one of MinRecall, MinPrecision, Beta and the costs is set; if none is, the threshold has the largest balanced accuracy of the
// class against the rest. A fit costs one of Estimator, and one for each fold if Estimator has no LeaveOneOutProba.
//
// See also Classifier in package calibration, PrecisionRecall in package metrics.
type Classifier struct {
	// Estimator is fitted as a clone and is not changed. It must have PredictProba, and gets gaps, NaN in x, as they are. If it is nil, it
	// is &lssvm.Classifier{}.
	Estimator estimators.Classifier

	// Positive is the label of the class. If it is nil, it is the last of Classes, such as 1 of 0 and 1.
	Positive *int

	// MinRecall is the least share of the rows of the class that are to be found, in (0, 1]. Of the thresholds that find as many, the one
	// with the highest precision is chosen.
	MinRecall float64 `zero:"unset" most:"1"`

	// MinPrecision is the least share of the rows predicted as the class that are to be of it, in (0, 1]. Of the thresholds that are as
	// precise, the one with the highest recall is chosen. It is an error if none is.
	MinPrecision float64 `zero:"unset" most:"1"`

	// Beta is for the largest [metrics.FBeta], in which recall counts Beta times as much as precision.
	Beta float64 `zero:"unset"`

	// FalsePositiveCost and FalseNegativeCost are for the least cost, in any unit: of a row wrongly predicted as the class, and of a row of
	// the class that is missed.
	FalsePositiveCost, FalseNegativeCost float64 `zero:"unset"`

	// Splitter makes the folds, whose test parts have no row in common. If it is nil, the rows are left out in closed form, or by
	// [validation.StratifiedKFold] of 5 folds, with Groups by [validation.StratifiedGroupKFold].
	Splitter validation.Splitter

	// Groups has the group of each row of Fit, such as the patient or the day that it belongs to. Any numbers are allowed. The rows of a
	// group are in the same fold, and Estimator gets the groups if it is an [estimators.Grouper].
	Groups []int `settings:"-"`

	classes.Folding
	m *model
}

// model is a fitted Classifier.
type model struct {
	chosen   estimators.Classifier
	classes  []int
	positive int // its place among classes
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

// SetCategories sets those of Estimator if it is an [estimators.Categorizer]. It implements [estimators.Categorizer].
func (c *Classifier) SetCategories(columns []int) { estimators.SetCategories(c.Estimator, columns) }

// SetColumnNames sets those of Estimator if it is an [estimators.ColumnNamer]. It implements [estimators.ColumnNamer].
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

// Fit fits Estimator to x (n×d) and the labels y (n), and chooses the threshold. Errors: [estimators.ErrParam], also for a Positive that is
// not among the labels and a MinPrecision that no threshold reaches; [estimators.ErrShape]; those of Estimator; an error that wraps
// errors.ErrUnsupported if Estimator has no probabilities; or the error of ctx.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row, which counts in the fit of Estimator and in the choice.
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

// position returns where Positive stands among the classes.
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

// probability returns the column of a class.
func probability(p *mat.Dense, names []int, class int) []float64 {
	n, _ := p.Dims()
	at, found := slices.BinarySearch(names, class)
	if !found { // no training row of the fold is of it
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

// Classes returns the labels that Fit saw, ascending. It returns nil before Fit.
func (c *Classifier) Classes() []int {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.classes)
}

// PredictProba returns the probabilities of the fitted Estimator (m×K), a column for each of Classes. Their largest need not be the class
// that Predict returns.
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	m, err := c.fitted()
	if err != nil {
		return nil, err
	}
	return m.chosen.(estimators.ProbaPredictor).PredictProba(x)
}

// least is subtracted from the score of Positive, so that it loses a tie at the threshold. It changes no other difference of
// probabilities.
const least = 1e-300

// Decision returns scores (m×K), a column for each of Classes, whose largest is the class that Predict returns: for Positive its
// probability less the threshold, for each other class its probability less that of the most probable of them.
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

// Choice returns the chosen threshold with its precision and recall on the rows left out. It returns the zero Choice before Fit.
func (c *Classifier) Choice() Choice {
	if c.m == nil {
		return Choice{}
	}
	return c.m.choice
}

// Chosen returns the clone of Estimator that was fitted to all rows, which must not be changed. It returns nil before Fit.
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
