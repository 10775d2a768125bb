package conformal

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
)

const (
	classifierType = "conformal: Classifier"
	classifierKind = "conformal.Classifier"

	defaultPenalty = 0.1
	defaultFree    = 2
)

// folding is embedded in Classifier, so that a search can report that it fits a fold.
type folding = classes.Folding

// Classifier predicts a class, and a set of classes that contains the right class with a guaranteed probability. The zero value
// wraps [lssvm.Classifier] and chooses the method according to the number of rows.
//
// Full and [JackknifePlus] score a class by the decisions of a least-squares machine for each class, with the kernel and the ridge
// that Estimator chose. They solve one linear system with all rows, and a set costs O(n² + nK²). They ignore the class weights of
// Estimator. [CrossValidation] and Split score a class by its probability (see Score). They need an Estimator that supports
// [estimators.Proba].
//
// See also [Regressor], and Classifier in package calibration.
type Classifier struct {
	// Estimator is the model to wrap. Fit fits clones of it and does not change it. It receives gaps (NaN in x) unchanged. If it is
	// nil, &lssvm.Classifier{} is used.
	Estimator estimators.Classifier

	// Method selects the method. All methods except [JackknifeMinMax] are allowed.
	Method Method

	// Score selects the score of [CrossValidation] and Split.
	Score Score

	// Penalty and FreeClasses are settings of [RegularisedAdaptive]. Penalty is added for each class of a set after the first
	// FreeClasses. If Penalty is 0, 0.1 is used. If FreeClasses is 0, 2 is used.
	Penalty     float64 `zero:"0.1"`
	FreeClasses int     `zero:"2"`

	// NoRandom includes the full probability of a class in its adaptive score. The sets are then larger than necessary, but do not
	// depend on the position of a row in x.
	NoRandom bool

	// ByClass extends the guarantee to the rows of each class separately (Mondrian), by using only the scores of that class.
	ByClass bool

	// AllowEmpty permits empty sets. By default each set contains the class that Predict returns. In both cases the set for a level
	// contains the sets for lower levels.
	AllowEmpty bool

	// Held, SameRows, Folds and Groups have the same meanings as in [Regressor].
	Held     float64 `zero:"0.5" below:"1"`
	SameRows bool
	Folds    int   `zero:"10" least:"2"`
	Groups   []int `settings:"-"`

	// Seed determines the division of the rows into parts, and the random numbers of adaptive scores.
	Seed uint64

	// Workers is the number of goroutines with which sets are predicted. If it is 0, GOMAXPROCS is used.
	Workers int

	// If Observe is not nil, it is called after each fit and each solution of a linear system.
	Observe func(estimators.Step)

	folding
	m *classModel
}

// classModel is the fitted part of a Classifier. After Fit, only the linear system of all rows can still be added.
type classModel struct {
	method  Method
	rows    *mat.Dense
	classes []int
	at      []int // index of each row's label in classes
	own     []float64
	groups  []int     // group of each row; nil if each row is a group of its own, or after reading a file
	shares  []float64 // weight of each row's score, or nil if all are 1
	held    []int
	chosen  estimators.Classifier
	// scoring and noRandom are the settings of the scores, which a file contains.
	scoring  scoring
	noRandom bool
	seed     uint64
	folds    []fold[estimators.Classifier]

	mu      sync.Mutex
	machine estimators.Smoother
	squares *leastSquares
}

func (c *Classifier) estimator() estimators.Classifier {
	if c.Estimator == nil {
		return &lssvm.Classifier{}
	}
	return c.Estimator
}

func (c *Classifier) scoring() scoring {
	return scoring{of: c.Score, penalty: cmp.Or(c.Penalty, defaultPenalty), free: cmp.Or(c.FreeClasses, defaultFree)}
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

// Fit fits the model to x (n×d) and the labels y (n), which must contain at least two classes. It returns [estimators.ErrParam],
// [estimators.ErrShape], [estimators.ErrNotFinite], the errors of Estimator, or the error of ctx. ErrShape is also returned if the
// rows of one of the fits lack a class. If Estimator does not support the method, the error wraps errors.ErrUnsupported.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	progress.Counts(ctx)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row. Estimator receives the weights, as in [Regressor].
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	progress.Counts(ctx)
	return c.fit(ctx, x, y, check.Given(weights))
}

func (c *Classifier) validate() error {
	if err := settings.Check(classifierType, c); err != nil {
		return err
	}
	if c.Method == JackknifeMinMax {
		return fault.Param(classifierType, "Method", c.Method.String(), "one of the constants except JackknifeMinMax")
	}
	return checkGroups(classifierType, c.Groups, c.Method)
}

func (c *Classifier) fit(ctx context.Context, x mat.Matrix, y []int, own []float64) error {
	if err := c.validate(); err != nil {
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
	rows, own, err := originals(xd, at, own, c.Groups)
	if err != nil {
		return err
	}
	m := &classModel{
		method: c.methodFor(len(rows)), rows: linalg.Rows(xd, rows), classes: names, at: linalg.Pick(at, rows), own: own,
		groups: linalg.Pick(c.Groups, rows), scoring: c.scoring(), noRandom: c.NoRandom, seed: c.Seed,
	}
	if m.groups != nil {
		m.shares = groups.Shares(m.groups)
	}
	if m.method.smooths() {
		err = m.learn(ctx, c)
	} else {
		err = m.learnFolds(ctx, c)
	}
	if err != nil {
		return check.GapRefused(xd, err)
	}
	c.m = m
	return nil
}

func (c *Classifier) methodFor(n int) Method {
	switch smooths := estimators.Supports(c.estimator(), estimators.Smoothing); {
	case c.Method != Automatic:
		return c.Method
	case smooths && n > fewRows && c.Groups == nil:
		return Full
	case !smooths && n > manyRows:
		return Split
	}
	return CrossValidation
}

// fitOn fits a clone of Estimator to the rows with the given indices, which must contain all classes.
func (m *classModel) fitOn(ctx context.Context, c *Classifier, rows []int) (estimators.Classifier, error) {
	clone := estimators.Clone(c.estimator())
	if c.IsFold() {
		classes.FitsFold(clone)
	}
	y := make([]int, len(rows))
	for i, row := range rows {
		y[i] = m.classes[m.at[row]]
	}
	if got := len(classes.Distinct(y)); got < len(m.classes) {
		return nil, fault.Shape("the training rows of an estimator have", got, "classes",
			"all rows together have %d: want more rows of each class",
			len(m.classes))
	}
	estimators.SetGroups(clone, linalg.Pick(m.groups, rows))
	x := linalg.Rows(m.rows, rows)
	if m.own == nil {
		return clone, clone.Fit(ctx, x, y)
	}
	weighted, ok := clone.(estimators.WeightedFitter[int])
	if !ok || !estimators.Supports(clone, estimators.Weighted) {
		return nil, estimators.Unsupported(classifierType, clone, estimators.Weighted)
	}
	return clone, weighted.FitWeighted(ctx, x, y, linalg.Pick(m.own, rows))
}

func (m *classModel) learn(ctx context.Context, c *Classifier) error {
	n := len(m.at)
	choose := rowsUpTo(n)
	m.held = choose
	if !c.SameRows {
		p, err := m.deal(c, 1-cmp.Or(c.Held, defaultHeld))
		if err != nil {
			return err
		}
		choose, m.held = p[0], p[1]
	}
	if err := holdsSystem(classifierType, c.estimator(), len(choose), n); err != nil {
		return err
	}
	first, rest := progress.Two(ctx, 1, 2) // one fit to half of the rows, and one to all
	var err error
	if m.chosen, err = m.fitOn(first, c, choose); err != nil {
		return err
	}
	tell(ctx, 1, 2, "settings chosen")
	if _, _, err := m.smoother(rest); err != nil {
		return err
	}
	tell(ctx, 2, 2, "the system of all rows")
	return nil
}

// deal divides the rows into two parts, so that the first contains about the given share of each class.
func (m *classModel) deal(c *Classifier, share float64) ([2][]int, error) {
	var out [2][]int
	n := len(m.at)
	if n < 4 {
		return out, fault.Shape("x has", n, "different rows", "method %v needs at least 4", m.method)
	}
	if m.groups != nil {
		fitted := min(max(int(share*float64(n)+.5), 1), n-1)
		p, err := parts(m.groups, m.at, c.Seed, fitted, n-fitted)
		if err != nil {
			return out, err
		}
		return [2][]int{p[0], p[1]}, nil
	}
	taken, seen := make([]float64, len(m.classes)), make([]bool, len(m.classes))
	for _, i := range order(n, c.Seed) {
		k := m.at[i]
		// The first row of a class goes to the part for the fit, which needs one row of each class.
		if taken[k] += share; taken[k] >= 1-1e-9 || !seen[k] {
			seen[k] = true
			out[0] = append(out[0], i)
			taken[k]--
		} else {
			out[1] = append(out[1], i)
		}
	}
	slices.Sort(out[0])
	slices.Sort(out[1])
	if len(out[1]) == 0 {
		return out, fault.Shape("the rows with scores are", 0, "rows", "want at least one")
	}
	return out, nil
}

// smoother returns the linear system of all rows with the chosen settings. It computes the system only once.
func (m *classModel) smoother(ctx context.Context) (estimators.Smoother, *leastSquares, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.machine != nil {
		return m.machine, m.squares, nil
	}
	linear, ok := m.chosen.(estimators.LinearSmoother)
	if !ok || !estimators.Supports(m.chosen, estimators.Smoothing) {
		return nil, nil, estimators.Unsupported(classifierType, m.chosen, estimators.Smoothing)
	}
	machine, err := linear.Smoother(ctx, m.rows, targets(m.at, len(m.classes)), m.own)
	if err != nil {
		return nil, nil, err
	}
	a, d := machine.Rows()
	m.machine, m.squares = machine, newLeastSquares(rowsOf(a), d, m.at)
	return m.machine, m.squares, nil
}

// Classes returns the labels of the last Fit in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.classes)
}

// Decision returns scores (n×K). For Full and [JackknifePlus] they are the outputs of the linear system with all rows. For the
// other methods they are probabilities.
func (c *Classifier) Decision(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	switch {
	case c.m == nil:
		return nil, fault.NotFitted(classifierType)
	case !c.m.method.smooths():
		return probabilities(c.m.chosen, x)
	}
	machine, _, err := c.m.smoother(context.Background())
	if err != nil {
		return nil, err
	}
	f, err := machine.Outputs(context.Background(), x)
	if err != nil {
		return nil, err
	}
	_, err = check.Dense(classifierType+": decision", f)
	return f, err
}

// Predict returns the class with the largest Decision for each row of x.
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	scores, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(c.m.classes, scores), nil
}

// PredictProba returns the probabilities of Chosen. For Full and [JackknifePlus] these come from the fit to a part of the rows.
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	return probabilities(c.m.chosen, x)
}

func probabilities(e estimators.Classifier, x mat.Matrix) (*mat.Dense, error) {
	p, ok := e.(estimators.ProbaPredictor)
	if !ok || !estimators.Supports(e, estimators.Proba) {
		return nil, estimators.Unsupported(classifierType, e, estimators.Proba)
	}
	return p.PredictProba(x)
}

// Chosen returns the fitted clone of Estimator, as in [Regressor]. It returns nil before Fit.
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
	return c.m.method
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
		Estimators: []any{c.estimator()}, Own: []estimators.Capability{estimators.Sets, estimators.Decision, estimators.Grouping},
	}.Supports(c, capability)
}

// PredictSet returns a set of classes for each row of x (m×d), in ascending order. Each set contains the right class with
// probability at least level, in (0, 1), with the guarantee of the method. If there are too few scores for the level, the set
// contains all classes.
func (c *Classifier) PredictSet(x mat.Matrix, level float64) (_ [][]int, err error) {
	defer fault.Recover(&err)
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	if err := interval.Level(classifierType, level); err != nil {
		return nil, err
	}
	_, d := c.m.rows.Dims()
	xd, err := check.WrappedRows(x, d)
	if err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	out := make([][]int, n)
	if c.m.method.smooths() {
		err = c.smoothed(xd, level, out)
	} else {
		err = c.folded(xd, level, out)
	}
	return out, check.GapRefused(xd, err)
}

// heldOf returns a function that returns the rows whose scores count for a class.
func (c *Classifier) heldOf() func(class int) []int {
	if !c.ByClass {
		return func(int) []int { return c.m.held }
	}
	by := make([][]int, len(c.m.classes))
	for k := range by {
		by[k] = counted(c.m.held, c.m.at, k)
	}
	return func(class int) []int { return by[class] }
}

// take returns the set of the classes that p keeps, together with the class with the largest of values, which Predict returns.
// Adding this class can only raise the coverage. It is in the sets for all levels, so the sets still grow with the level.
func (c *Classifier) take(p func(class int) (value, rows float64), values []float64, level float64) []int {
	var set []int
	predicted := classes.Largest(values)
	for k, label := range c.m.classes {
		if v, rows := p(k); keeps(v, level, rows) || k == predicted && !c.AllowEmpty {
			set = append(set, label)
		}
	}
	return set
}

// smoothed computes the sets of the rows of x from the linear system of all rows.
func (c *Classifier) smoothed(x *mat.Dense, level float64, out [][]int) error {
	ctx := context.Background()
	machine, squares, err := c.m.smoother(ctx)
	if err != nil {
		return err
	}
	held := c.heldOf()
	n, d := x.Dims()
	step := min(max(blockNumbers/len(c.m.at), 1), 512)
	for from := 0; from < n; from += step {
		to := min(from+step, n)
		f, b, s, err := machine.Influence(ctx, x.Slice(from, to, 0, d))
		if err != nil {
			return fault.FromRow(err, from)
		}
		err = parallel.ForEach(ctx, c.Workers, to-from, func(i int) error {
			out[from+i] = c.take(func(class int) (p, count float64) {
				rows := held(class)
				if c.m.method == Full {
					return squares.fullP(rows, f.RawRowView(i), b.RawRowView(i), s[i], class), float64(len(rows))
				}
				return squares.jackknifeP(rows, f.RawRowView(i), b.RawRowView(i), class), float64(len(rows))
			}, f.RawRowView(i), level)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
