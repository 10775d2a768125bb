package calibration

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
)

const (
	classifierType = "calibration: Classifier"
	classifierKind = "calibration.Classifier"

	defaultFolds = 5
)

// Method is a link, a function from scores to probabilities.
type Method int

// The methods.
const (
	// Automatic chooses the method with the smallest log loss on scores to which it was not fitted. It considers Isotonic only if
	// each class has at least 100 different rows.
	Automatic Method = iota
	// Temperature has one parameter, which makes probabilities more or less extreme.
	Temperature
	// Platt has a slope, and an offset for each class except the first.
	Platt
	// Isotonic has a step function for each class, or a single one for two classes, and interpolates between the steps.
	Isotonic
)

// String returns the method's name.
func (m Method) String() string {
	return enum.Name("Method", int(m), "Automatic", "Temperature", "Platt", "Isotonic")
}

// folding is embedded in Classifier, so that a search can report that it fits a fold.
type folding = classes.Folding

// Classifier calibrates the probabilities of the estimator that it wraps, so that they agree with how often the classes occur. The
// zero value wraps [lssvm.Classifier] and chooses the method.
//
// See also Classifier in package conformal.
type Classifier struct {
	// Estimator is the model to calibrate. Fit fits clones of it and does not change it. It must have PredictProba or Decision, and
	// it receives gaps (NaN in x) unchanged. If it is nil, &lssvm.Classifier{} is used.
	Estimator estimators.Classifier
	Method    Method

	// Folds is the number of folds, which are stratified by class. For each fold, Estimator is fitted to the rows of the other
	// folds. If Folds is 0, the scores are leave-one-out scores if Estimator computes these in closed form; otherwise there are 5
	// folds.
	Folds int `zero:"5, or leaving out each row" least:"2"`

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The rows of a group are in
	// the same fold. If Estimator is an [estimators.Grouper], it receives the groups of the rows to which it is fitted. If Groups
	// is nil, equal rows are left out together.
	Groups []int `settings:"-"`

	// Seed determines the division of the rows into folds.
	Seed uint64

	// If Observe is not nil, it is called after each fit.
	Observe func(estimators.Step)

	folding
	m *model
}

// model is the fitted part of a Classifier.
type model struct {
	classes []int
	chosen  estimators.Classifier
	link    link
}

func (c *Classifier) estimator() estimators.Classifier {
	if c.Estimator == nil {
		return &lssvm.Classifier{}
	}
	return c.Estimator
}

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

// Fit fits Estimator to x (n×d) and the labels y (n), which must contain at least two classes. It then fits the link. With
// leave-one-out scores, it costs one fit of Estimator and the solution of one linear system with all rows. With folds, it costs one
// fit for each fold and another for all rows.
//
// Fit returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite], the errors of Estimator, or the error of
// ctx. ErrShape is also returned if a class occurs only in the rows of one fold. If Estimator has neither PredictProba nor
// Decision, the error wraps errors.ErrUnsupported.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	progress.Counts(ctx)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, but with a weight > 0 for each row. Estimator and the fit of the link use the weights. For the link,
// only the ratios of the weights matter.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	progress.Counts(ctx)
	return c.fit(ctx, x, y, check.Given(weights))
}

func (c *Classifier) fit(ctx context.Context, x mat.Matrix, y []int, own []float64) error {
	if err := settings.Check(classifierType, c); err != nil {
		return err
	}
	xd, err := check.WrappedLabels(x, len(y))
	if err != nil {
		return err
	}
	names, at, err := classes.Weights{}.Distinguish(classifierType, y, own)
	if err != nil {
		return err
	}
	if c.Groups != nil {
		if err := groups.Check(c.Groups, len(at), 2); err != nil {
			return err
		}
	}
	t := &task{Classifier: c, x: xd, classes: names, at: at, own: own, merged: distinct.Merge(xd, own)}
	m := &model{classes: names}
	total := 1 + t.folds()
	if c.Folds == 0 && c.Groups == nil {
		total = 1
	}
	parts := progress.Parts(ctx, 1, float64(total), .1)
	if m.chosen, err = t.fitOn(parts[0], nil); err != nil {
		return check.GapRefused(xd, err)
	}
	t.tell(ctx, 1, total, "fitted to all rows")
	of, closed, err := t.leftOut(parts[1], m.chosen)
	if err == nil && !closed {
		of, err = t.byFolds(parts[1])
	}
	if err != nil {
		return err
	}
	counts := distinct.Counts(own, len(at), t.merged.Len())
	if m.link, err = of.fit(parts[2], c.Method, c.Method == Automatic && t.rarest() >= leastOfClass, at, counts, t.dealt); err != nil {
		return err
	}
	c.m = m
	return nil
}

// task holds the data of one Fit.
type task struct {
	*Classifier
	x       *mat.Dense
	classes []int
	at      []int // index of each row's label in classes
	own     []float64
	merged  *distinct.Rows
}

func (t *task) folds() int {
	units := t.merged.Len()
	if t.Groups != nil {
		units = groups.Count(t.Groups)
	}
	return min(cmp.Or(t.Folds, defaultFolds), units)
}

// rarest returns the number of different rows in the class that has the fewest.
func (t *task) rarest() int {
	type rowOfClass struct{ row, class int }
	seen, counts := map[rowOfClass]bool{}, make([]int, len(t.classes))
	for i, class := range t.at {
		row := i
		if t.merged.Index != nil {
			row = t.merged.Index[i]
		}
		if one := (rowOfClass{row, class}); !seen[one] {
			seen[one] = true
			counts[class]++
		}
	}
	return slices.Min(counts)
}

// dealt returns the fold of each row. The rows of a group are in the same fold. Without groups, so are equal rows.
func (t *task) dealt(parts int) []int {
	if t.Groups != nil {
		parts = min(parts, groups.Count(t.Groups))
		return groups.Deal(t.Groups, t.at, slices.Repeat([]float64{1}, parts), stream(t.Seed))
	}
	if !t.merged.Repeated() {
		return dealt(t.at, len(t.classes), parts, t.Seed)
	}
	return linalg.Pick(dealt(linalg.Pick(t.at, t.merged.First), len(t.classes), parts, t.Seed), t.merged.Index)
}

func (t *task) tell(ctx context.Context, i, total int, message string) {
	progress.Tell(ctx, progress.Step{Iteration: i, Total: total, Message: message})
}

// fitOn fits a clone of Estimator to the rows with the given indices, or to all rows if rows is nil.
func (t *task) fitOn(ctx context.Context, rows []int) (estimators.Classifier, error) {
	clone := estimators.Clone(t.estimator())
	if t.IsFold() {
		classes.FitsFold(clone)
	}
	x, at, own := t.x, t.at, t.own
	if rows == nil {
		estimators.SetGroups(clone, t.Groups)
	} else {
		estimators.SetGroups(clone, linalg.Pick(t.Groups, rows))
		x, at = linalg.Rows(t.x, rows), make([]int, len(rows))
		if own != nil {
			own = make([]float64, len(rows))
		}
		for i, row := range rows {
			at[i] = t.at[row]
			if own != nil {
				own[i] = t.own[row]
			}
		}
	}
	if got := len(classes.Distinct(at)); got < len(t.classes) {
		return nil, fault.Shape("the rows outside a fold have", got, "classes", "all rows together have %d: want more rows of each class",
			len(t.classes))
	}
	y := make([]int, len(at))
	for i, k := range at {
		y[i] = t.classes[k]
	}
	if own == nil {
		return clone, clone.Fit(ctx, x, y)
	}
	weighted, ok := clone.(estimators.WeightedFitter[int])
	if !ok || !estimators.Supports(clone, estimators.Weighted) {
		return nil, estimators.Unsupported(classifierType, clone, estimators.Weighted)
	}
	return clone, weighted.FitWeighted(ctx, x, y, own)
}

// closeTo is the relative tolerance with which the decisions of a machine must agree with the outputs of its linear system.
const closeTo = 1e-6

// leftOut computes, in closed form, the decisions for each row without the row and its copies. If the estimator has no closed form,
// closed is false.
func (t *task) leftOut(ctx context.Context, chosen estimators.Classifier) (s scores, closed bool, err error) {
	linear, ok := chosen.(estimators.LinearSmoother)
	if t.Folds != 0 || t.Groups != nil || !ok || !estimators.Supports(chosen, estimators.Smoothing) || !estimators.Supports(chosen,
		estimators.Decision) {
		return s, false, nil
	}
	n, k := len(t.at), len(t.classes)
	targets := mat.NewDense(n, k, nil)
	for i, own := range t.at {
		for j := range k {
			targets.Set(i, j, -1)
		}
		targets.Set(i, own, 1)
	}
	mean := t.merged.Mean(targets)
	machine, err := linear.Smoother(ctx, t.merged.X, mean, t.merged.Weights)
	if err != nil {
		return s, false, err
	}
	a, rest := machine.Rows()
	for _, v := range rest {
		if !(v > 0) { // if there is only this row, no other can predict it
			return s, false, nil
		}
	}
	few := t.x.Slice(0, min(n, 100), 0, t.x.RawMatrix().Cols)
	decided, err := decisions(chosen, few)
	if err != nil {
		return s, false, err
	}
	outputs, err := machine.Outputs(ctx, few)
	if err != nil {
		return s, false, err
	}
	var off mat.Dense
	off.Sub(decided, outputs)
	if !(mat.Norm(&off, 2) <= closeTo*mat.Norm(outputs, 2)) { // for example because of class weights
		return s, false, nil
	}
	left := mat.DenseCopyOf(mean)
	for i, c := range rest {
		for j := range k {
			left.Set(i, j, left.At(i, j)-a.At(i, j)/c)
		}
	}
	return newScores(t.merged.Spread(left), nil), true, nil
}

// byFolds computes the scores of each fold with an estimator that was fitted to the other folds.
func (t *task) byFolds(ctx context.Context) (scores, error) {
	n, k, parts := len(t.at), len(t.classes), t.folds()
	if parts < 2 {
		return scores{}, fault.Shape("x has", parts, "different rows", "want at least 2")
	}
	part := t.dealt(parts)
	var all scores
	group := progress.Open(ctx)
	for f := range parts {
		var in, out []int
		for i, p := range part {
			if p == f {
				out = append(out, i)
			} else {
				in = append(in, i)
			}
		}
		fitted, err := t.fitOn(group.Step(f, parts), in)
		if err != nil {
			return scores{}, err
		}
		got, err := scoresOf(fitted, linalg.Rows(t.x, out))
		if err != nil {
			return scores{}, err
		}
		all.put(got, out, n, k)
		t.tell(ctx, f+2, parts+1, "fitted without a fold")
	}
	return all, nil
}

func decisions(e estimators.Classifier, x mat.Matrix) (*mat.Dense, error) {
	return e.(estimators.DecisionPredictor).Decision(x)
}

// scoresOf returns the scores that an estimator computes for the rows of x.
func scoresOf(e estimators.Classifier, x mat.Matrix) (scores, error) {
	var decided, proba *mat.Dense
	var err error
	if estimators.Supports(e, estimators.Decision) {
		if decided, err = decisions(e, x); err != nil {
			return scores{}, err
		}
	}
	if estimators.Supports(e, estimators.Proba) {
		if proba, err = e.(estimators.ProbaPredictor).PredictProba(x); err != nil {
			return scores{}, err
		}
	}
	if decided == nil && proba == nil {
		return scores{}, estimators.Unsupported(classifierType, e, estimators.Proba)
	}
	return newScores(decided, proba), nil
}

// Classes returns the labels of the last Fit in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.classes)
}

// PredictProba returns probabilities (n×K) in the order of Classes.
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	of, err := scoresOf(c.m.chosen, x)
	if err != nil {
		return nil, err
	}
	p := c.m.link.apply(of)
	return p, check.Vector("probability", p.RawMatrix().Data)
}

// Predict returns the most probable class for each row of x.
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	p, err := c.PredictProba(x)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(c.m.classes, p), nil
}

// Chosen returns the clone of Estimator that was fitted to all rows, or nil before Fit. The caller must not change it.
func (c *Classifier) Chosen() estimators.Classifier {
	if c.m == nil {
		return nil
	}
	return c.m.chosen
}

// ChosenMethod returns the method of the last Fit. It returns Automatic before Fit.
func (c *Classifier) ChosenMethod() Method {
	if c.m == nil {
		return Automatic
	}
	return c.m.link.method
}

// Slope returns the parameter a of [Temperature] and [Platt], which is 1 over the temperature. It returns NaN before Fit and for
// [Isotonic].
func (c *Classifier) Slope() float64 {
	if c.m == nil || c.m.link.method == Isotonic {
		return math.NaN()
	}
	return c.m.link.smooth.Slope
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
	if c.m == nil {
		return fault.NotFitted(classifierType)
	}
	if f == nil {
		return fault.Param(classifierType, "f", nil, "a function")
	}
	return f(c.m.chosen, x)
}

// Supports implements [estimators.Wrapper].
func (c *Classifier) Supports(capability estimators.Capability) bool {
	return estimators.Wrapped{
		Estimators: []any{c.estimator()}, Own: []estimators.Capability{estimators.Proba, estimators.Grouping},
	}.Supports(c, capability)
}
