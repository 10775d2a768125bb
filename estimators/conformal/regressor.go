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
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
)

const (
	regressorType = "conformal: Regressor"
	regressorKind = "conformal.Regressor"

	defaultFolds = 10
	defaultHeld  = 0.5
	// With fewRows rows or fewer, half of the rows are not enough to choose the settings. With more than manyRows rows, the fits of
	// the folds take too long for an estimator without smoothing.
	fewRows, manyRows = 200, 2000
)

// Regressor adds prediction intervals to a regressor. Their coverage is guaranteed for any distribution of the targets. The zero
// value wraps [lssvm.Regressor] and chooses the method according to the number of rows.
//
// Fit first fits Estimator to the rows that choose its settings. For Full and the jackknife methods it then solves one linear
// system with all rows (O(n³) time, n² numbers), and an interval costs O(n²). For [CrossValidation] it fits Estimator again for
// each of Folds folds, and an interval costs a prediction and a variance for each fold.
//
// See also [Classifier].
type Regressor struct {
	// Estimator is the model to wrap. Fit fits clones of it and does not change it. It receives gaps (NaN in x) unchanged. If it is
	// nil, &lssvm.Regressor{} is used.
	Estimator estimators.Regressor
	Method    Method

	// Held is the share of the rows whose scores count. The other rows choose the settings. It applies to Full and the jackknife
	// methods, whose final system contains all rows, and to Split, which fits only to the other rows. If it is 0, 0.5 is used.
	Held float64 `zero:"0.5" below:"1"`

	// SameRows makes Full and the jackknife methods use all rows to choose the settings, and all scores count. The guarantee is
	// then exact only if there is nothing to choose, for example because the kernel and the ridge are set. Otherwise intervals are
	// too short if there are few rows (see the package documentation).
	SameRows bool

	// Folds is the number of folds of [CrossValidation]. If it is 0, there are 10 folds, or as many as rows if there are fewer
	// rows.
	Folds int `zero:"10" least:"2"`

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The guarantee then holds for
	// a row of a new group: the rows of a group are left out together, and their scores count as one. Method must be
	// [CrossValidation] or Split, and Automatic chooses between them. If Estimator is an [estimators.Grouper], it receives the
	// groups of the rows to which it is fitted. Group, in contrast, divides the rows to be predicted.
	Groups []int `settings:"-"`

	// NoScaling makes [CrossValidation] and Split use plain residuals. By default, if Estimator supports [estimators.Variance],
	// residuals are divided by the standard deviations of the predictions.
	NoScaling bool

	// If Spread is not nil, it estimates the size of the errors of Estimator, so that intervals are narrow where the noise is small
	// and wide where it is large. A clone g of Spread is fitted, and the scores are residuals divided by exp(g(x)) and by the
	// standard deviation (see NoScaling). The clone is fitted to the same rows as Estimator and not to rows whose scores count, so
	// all guarantees hold. Its targets are the logarithms of the leave-one-out residuals of these rows. The residuals have a closed
	// form if Estimator supports [estimators.LeaveOneOut]. Otherwise they cost five more fits. Method must be [CrossValidation] or
	// Split, and Automatic chooses between them. An example is &lssvm.Regressor{}.
	Spread estimators.Regressor

	// If Group is not nil, it returns the group of a row of x. Intervals then have the guarantee in each group separately
	// (Mondrian), because they use only the scores of that group. Group is not stored in a model file.
	Group func(row []float64) int

	// If LikelihoodRatio is not nil, it returns the density of a row among the rows to be predicted, divided by its density among
	// the training rows, up to a constant factor. With Full and Split, intervals keep their guarantee under this shift.
	// LikelihoodRatio is not stored in a model file.
	LikelihoodRatio func(row []float64) float64

	// Seed determines the division of the rows into parts.
	Seed uint64

	// Workers is the number of goroutines with which intervals are predicted. If it is 0, GOMAXPROCS is used.
	Workers int

	// If Observe is not nil, it is called after each fit and each solution of a linear system.
	Observe func(estimators.Step)

	m *model
}

// model is the fitted part of a Regressor. After Fit, only the linear system of all rows can still be added.
type model struct {
	method Method
	rows   *mat.Dense // the training rows, n×d
	y      []float64
	own    []float64 // weights, or nil if all are 1
	groups []int     // group of each row; nil if each row is a group of its own, or after reading a file
	shares []float64 // weight of each row's score, or nil if all are 1
	held   []int     // rows whose scores count, ascending
	chosen estimators.Regressor
	folds  []fold[estimators.Regressor] // used by CrossValidation and Split

	mu      sync.Mutex
	machine estimators.Smoother
}

func (r *Regressor) estimator() estimators.Regressor {
	if r.Estimator == nil {
		return &lssvm.Regressor{}
	}
	return r.Estimator
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *Regressor) SetGroups(groups []int) { r.Groups = groups }

// SetCategories sets the categories of Estimator and Spread, if they implement [estimators.Categorizer]. It implements
// [estimators.Categorizer].
func (r *Regressor) SetCategories(columns []int) {
	estimators.SetCategories(r.Estimator, columns)
	estimators.SetCategories(r.Spread, columns)
}

// SetColumnNames sets the column names of Estimator and Spread, if they implement [estimators.ColumnNamer]. It implements
// [estimators.ColumnNamer].
func (r *Regressor) SetColumnNames(names []string) {
	estimators.SetColumnNames(r.Estimator, names)
	estimators.SetColumnNames(r.Spread, names)
}

// ColumnNames implements [estimators.ColumnNamer].
func (r *Regressor) ColumnNames() []string {
	if r.m == nil {
		return nil
	}
	return estimators.ColumnNames(r.m.chosen)
}

// Fit fits the model to x (n×d) and y (n). It returns [estimators.ErrParam], [estimators.ErrNotFinite], the errors of Estimator, or
// the error of ctx. It returns [estimators.ErrShape] for fewer rows than the method needs. If the method needs
// [estimators.Smoothing] and Estimator does not support it, the error wraps errors.ErrUnsupported.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	progress.Counts(ctx)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, but with a weight > 0 for each row. Estimator and the linear system with all rows use the weights.
// Copies of a row get the mean of their weights. Full also studentises a residual by its weight; the other methods use unweighted
// residuals. The guarantee holds for a new row of weight 1 if the rows are exchangeable together with their weights.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	progress.Counts(ctx)
	return r.fit(ctx, x, y, check.Given(weights))
}

func (r *Regressor) validate() error {
	if err := settings.Check(regressorType, r); err != nil {
		return err
	}
	if r.LikelihoodRatio != nil && r.Method != Automatic && r.Method != Full && r.Method != Split {
		return fault.Param(regressorType, "LikelihoodRatio", "a function", "nil, or Method Full or Split")
	}
	if r.LikelihoodRatio != nil && r.Groups != nil {
		return fault.Param(regressorType, "LikelihoodRatio", "a function", "nil with Groups")
	}
	return cmp.Or(checkGroups(regressorType, r.Groups, r.Method), r.checkSpread())
}

func (r *Regressor) fit(ctx context.Context, x mat.Matrix, y, own []float64) error {
	if err := r.validate(); err != nil {
		return err
	}
	xd, err := check.WrappedTargets(regressorType, x, y, own)
	if err != nil {
		return err
	}
	m := &model{}
	rows, own, err := originals(xd, y, own, r.Groups)
	if err != nil {
		return err
	}
	m.rows, m.y, m.own, m.groups = linalg.Rows(xd, rows), linalg.Pick(y, rows), own, linalg.Pick(r.Groups, rows)
	if m.groups != nil {
		m.shares = groups.Shares(m.groups)
	}
	m.method = r.methodFor(len(rows))
	if m.method.smooths() {
		err = m.learn(ctx, r)
	} else {
		err = m.learnFolds(ctx, r)
	}
	if err != nil {
		return check.GapRefused(xd, err)
	}
	r.m = m
	return nil
}

// methodFor returns the method that Automatic chooses for n rows.
func (r *Regressor) methodFor(n int) Method {
	switch smooths := estimators.Supports(r.estimator(), estimators.Smoothing) && r.Spread == nil; {
	case r.Method != Automatic:
		return r.Method
	case smooths && n > fewRows && r.Groups == nil:
		return Full
	case r.LikelihoodRatio != nil || !smooths && n > manyRows:
		return Split
	}
	return CrossValidation
}

// halves returns the rows that choose the settings and the rows whose scores count.
func (m *model) halves(r *Regressor) (choose, held []int, err error) {
	n := len(m.y)
	if n < 2 {
		return nil, nil, fault.Shape("x has", n, "different rows", "method %v needs at least 2", m.method)
	}
	share := cmp.Or(r.Held, defaultHeld)
	count := min(max(int(share*float64(n)+.5), 1), n-1)
	p, err := parts(m.groups, nil, r.Seed, n-count, count)
	if err != nil {
		return nil, nil, err
	}
	return p[0], p[1], nil
}

// fitOn fits a clone of Estimator to the rows with the given indices.
func (m *model) fitOn(ctx context.Context, r *Regressor, rows []int) (estimators.Regressor, error) {
	clone := estimators.Clone(r.estimator())
	estimators.SetGroups(clone, linalg.Pick(m.groups, rows))
	x, y := linalg.Rows(m.rows, rows), linalg.Pick(m.y, rows)
	if m.own == nil {
		return clone, clone.Fit(ctx, x, y)
	}
	weighted, ok := clone.(estimators.WeightedFitter[float64])
	if !ok || !estimators.Supports(clone, estimators.Weighted) {
		return nil, estimators.Unsupported(regressorType, clone, estimators.Weighted)
	}
	return clone, weighted.FitWeighted(ctx, x, y, linalg.Pick(m.own, rows))
}

// learn fits Estimator to the rows that choose the settings, and computes the linear system of all rows.
func (m *model) learn(ctx context.Context, r *Regressor) error {
	choose := rowsUpTo(len(m.y))
	m.held = choose
	if !r.SameRows {
		var err error
		if choose, m.held, err = m.halves(r); err != nil {
			return err
		}
	}
	if err := holdsSystem(regressorType, r.estimator(), len(choose), len(m.y)); err != nil {
		return err
	}
	first, rest := progress.Two(ctx, 1, 2) // one fit to half of the rows, and one to all
	var err error
	if m.chosen, err = m.fitOn(first, r, choose); err != nil {
		return err
	}
	tell(ctx, 1, 2, "settings chosen")
	if _, err := m.smoother(rest); err != nil {
		return err
	}
	tell(ctx, 2, 2, "the system of all rows")
	return nil
}

// smoother returns the linear system of all rows with the chosen settings. It computes the system only once.
func (m *model) smoother(ctx context.Context) (estimators.Smoother, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.machine != nil {
		return m.machine, nil
	}
	linear, ok := m.chosen.(estimators.LinearSmoother)
	if !ok || !estimators.Supports(m.chosen, estimators.Smoothing) {
		return nil, estimators.Unsupported(regressorType, m.chosen, estimators.Smoothing)
	}
	machine, err := linear.Smoother(ctx, m.rows, mat.NewDense(len(m.y), 1, slices.Clone(m.y)), m.own)
	if err == nil {
		m.machine = machine
	}
	return machine, err
}

// Predict returns a prediction for each row of x (m×d). It comes from the linear system with all rows, from the clone fitted to all
// rows ([CrossValidation]), or from the clone fitted to a part of the rows (Split).
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	if !r.m.method.smooths() {
		return r.m.chosen.Predict(x)
	}
	machine, err := r.m.smoother(context.Background())
	if err != nil {
		return nil, err
	}
	f, err := machine.Outputs(context.Background(), x)
	if err != nil {
		return nil, err
	}
	out := mat.Col(nil, 0, f)
	return out, check.Vector(regressorType+": prediction", out)
}

// PredictInterval returns the bounds of an interval for each row of x (m×d). The interval contains the target with probability at
// least level, in (0, 1), with the guarantee of the method. A bound is infinite if there are fewer than level/(1-level) scores.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if r.m == nil {
		return nil, nil, fault.NotFitted(regressorType)
	}
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	_, d := r.m.rows.Dims()
	xd, err := check.WrappedRows(x, d)
	if err != nil {
		return nil, nil, err
	}
	n, _ := xd.Dims()
	low, high = make([]float64, n), make([]float64, n)
	of, err := r.scores(xd)
	if err != nil {
		return nil, nil, err
	}
	if r.m.method.smooths() {
		err = r.smoothed(xd, of, level, low, high)
	} else {
		err = r.folded(xd, of, level, low, high)
	}
	if err != nil {
		return nil, nil, check.GapRefused(xd, err)
	}
	for i := range low {
		if low[i] != low[i] || high[i] != high[i] {
			return nil, nil, &fault.NotFiniteError{Name: regressorType + ": interval", Row: i, Col: -1, Value: low[i] + high[i]}
		}
	}
	return low, high, nil
}

// Chosen returns the fitted clone of Estimator that chose the settings or that predicts. It returns nil before Fit. The caller must
// not fit it again.
func (r *Regressor) Chosen() estimators.Regressor {
	if r.m == nil {
		return nil
	}
	return r.m.chosen
}

// ChosenMethod returns the method of the last Fit. It returns Automatic before Fit.
func (r *Regressor) ChosenMethod() Method {
	if r.m == nil {
		return Automatic
	}
	return r.m.method
}

// Report returns the Report of Chosen, or the zero Report if Chosen has none.
func (r *Regressor) Report() estimators.Report {
	if r.m == nil || !estimators.Supports(r.m.chosen, estimators.Reporting) {
		return estimators.Report{}
	}
	return r.m.chosen.(estimators.Reporter).Report()
}

// Forward implements [estimators.Forwarder] with Chosen.
func (r *Regressor) Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error {
	if r.m == nil {
		return fault.NotFitted(regressorType)
	}
	if f == nil {
		return fault.Param(regressorType, "f", nil, "a function")
	}
	return f(r.m.chosen, x)
}

// Supports implements [estimators.Wrapper].
func (r *Regressor) Supports(c estimators.Capability) bool {
	switch c {
	case estimators.Weighted, estimators.Marshalling, estimators.Categorizing: // Spread needs these capabilities too
		if r.Spread != nil && !estimators.Supports(r.Spread, c) {
			return false
		}
	}
	return estimators.Wrapped{Estimators: []any{r.estimator()},
		Own: []estimators.Capability{estimators.Interval, estimators.Grouping}}.Supports(r, c)
}
