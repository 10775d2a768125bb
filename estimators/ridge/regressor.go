package ridge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/sparse"
)

const regressorType = "ridge: Regressor"

// Regressor is linear ridge regression with an intercept. The zero value is ready to use: its ridge is chosen by
// exact leave-one-out. The targets need no scaling.
//
// See also [lssvm.Regressor], [MultiRegressor].
type Regressor struct {
	// Ridge is the regularisation parameter λ, which multiplies the squared coefficients. If it is 0, [RidgeRule] determines it.
	Ridge float64 `zero:"the choice by RidgeRule"`

	// RidgeRule determines how the ridge is chosen if Ridge is 0. The zero value is [LeaveOneOut].
	RidgeRule RidgeRule

	// NoIntercept sets the intercept b to 0. The columns and the targets are then not centred.
	NoIntercept bool

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The rows of a group are left
	// out together, so that the ridge and the intervals are chosen for new groups. If it is nil, equal rows are left out together.
	// FitStatistics and PartialFit, which use sums of rows, return an error if Groups is set.
	Groups []int `settings:"-"`

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// If Observe is not nil, it is called after each ridge that leave-one-out evaluates.
	Observe func(estimators.Step)

	m *model
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *Regressor) SetGroups(groups []int) { r.Groups = groups }

// model is a fitted Regressor, or a model for k targets: ȳ + <β, x - x̄>.
type model struct {
	means        []float64          // x̄, d; zeros without an intercept
	target       []float64          // ȳ, k; 0 without an intercept
	coefficients *mat.Dense         // β, k×d
	ridges       []float64          // λ: one for all targets, or one for each
	noise        []float64          // s², k
	spread       float64            // 1/Σw; 0 without an intercept
	unit         float64            // 1/w̄; times s² it is the noise of a row with the mean weight w̄
	basis        *mat.Dense         // d×n if d > n; the centred rows lie in its span
	within       []float64          // variance around the means of equal rows, for each target; nil without equal rows
	factors      []*linalg.Cholesky // factors of X'X + λI, one for each ridge
	loo          *mat.Dense         // n×k; nil for one row
	sparse       sparseSolver       // solver of sparse rows, which leaves no factors
	fromSums     bool               // the model was fitted to sums, which have no rows to leave out
	report       estimators.Report
	sums         *statistics // sums given to FitStatistics; nil after Fit and in files
}

// Fit fits the model to x (n×d) and y (n). The cost is O(nd²) if d ≤ n, and O(dn²) with more columns than rows. Sparse rows cost
// less (see the package documentation). It returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite] (also if
// squares overflow), [estimators.ErrTooLarge] for sparse rows with too many columns, or the error of ctx.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row. A weight of 2 has the same effect as the row given twice. If
// Ridge is 0, only the ratios of the weights matter.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, r.Observe)(&err)
	return r.fit(ctx, x, y, check.Given(weights))
}

func (r *Regressor) fit(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	if err := settings.Check(regressorType, r); err != nil {
		return err
	}
	rows, err := anyrows.From("x", x, staysSparse(x))
	if err != nil {
		return err
	}
	n, _ := rows.Dims()
	if err := check.TargetValues(regressorType, n, y, weights); err != nil {
		return err
	}
	m, err := r.settings().fit(ctx, rows, mat.NewDense(len(y), 1, slices.Clone(y)), weights)
	if err != nil {
		return err
	}
	if err := m.finite(); err != nil {
		return err
	}
	r.m = m
	return nil
}

func (r *Regressor) settings() modelSettings {
	return modelSettings{typ: regressorType, ridge: r.Ridge, rule: r.RidgeRule, noIntercept: r.NoIntercept, groups: r.Groups,
		workers: r.Workers}
}

// modelSettings holds the configuration that Regressor and MultiRegressor share.
type modelSettings struct {
	typ         string
	ridge       float64
	rule        RidgeRule
	perTarget   bool // a ridge for each target
	noIntercept bool
	groups      []int // groups of the rows; if nil, each row is its own group
	workers     int
}

// fit fits the model to the distinct rows, so that a row is left out together with its copies. given (n×k) holds the targets, and
// weights may be nil.
func (s modelSettings) fit(ctx context.Context, rows mat.Matrix, given *mat.Dense, weights []float64) (*model, error) {
	merged, rows := anyrows.Merge(rows, weights)
	y := merged.Mean(given)
	weights = merged.Weights
	groups, err := merged.Groups(s.groups, given.RawMatrix().Rows)
	if err != nil {
		return nil, fault.AddName(s.typ, err)
	}
	var m *model
	if x, ok := rows.(*sparse.Rows); ok {
		m, err = s.fitSparse(ctx, x, y, weights, groups)
	} else {
		m, err = s.fitDense(ctx, rows.(*mat.Dense), y, weights, groups)
	}
	if err != nil || !merged.Repeated() {
		return m, err
	}
	m.within = merged.MeanSquareWithin(given, y)
	m.report.Objective += floats.Sum(m.within)
	if m.loo != nil {
		y.Sub(y, m.loo)
		m.loo = merged.Spread(y)
		m.loo.Sub(given, m.loo)
	}
	return m, nil
}

// fitDense fits the model to distinct dense rows.
func (s modelSettings) fitDense(ctx context.Context, x, y *mat.Dense, weights []float64, groups [][]int) (*model, error) {
	if weights == nil {
		weights = slices.Repeat([]float64{1}, x.RawMatrix().Rows)
	}
	// Sums of columns are limited by the speed of memory, but products of columns are not.
	first, rest := progress.Two(ctx, 10, float64(x.RawMatrix().Cols))
	p, err := centre(first, x, y, weights, !s.noIntercept)
	if err != nil {
		return nil, err
	}
	p.groups = groups
	return s.solve(rest, p)
}

// solve fits the model to a centred problem.
func (s modelSettings) solve(ctx context.Context, p *ridgeProblem) (*model, error) {
	n, d := p.z.Dims()
	m := &model{means: p.means, target: p.target, unit: float64(n) / p.weight, report: estimators.Report{Converged: true, Iterations: 1}}
	if !s.noIntercept {
		m.spread = 1 / p.weight
	}
	rows, order := float64(n), float64(min(n, d))
	choice := 0.
	if s.ridge == 0 && s.rule != Heuristic {
		choice = 6*order + 2*rows + 1500*rows/order
	}
	// The shares of progress are numbers of multiplications, divided by the square of the order. They are for R (with more columns
	// than rows), the products, the choice of the ridge, and the factor with the residuals.
	parts := progress.Parts(ctx, 4*float64(max(d-n, 0)), rows, choice, order/3+rows)
	var err error
	if m.basis, err = p.reduce(parts[0]); err != nil {
		return nil, err
	}
	n, d = p.z.Dims()
	gram := mat.NewSymDense(d, nil)
	if err := fast.SymOuterKContext(parts[1], gram, 1, p.z.T()); err != nil {
		return nil, err
	}
	if err := p.finite(s.typ, gram); err != nil {
		return nil, err
	}
	if m.ridges, err = s.choose(parts[2], p, gram, &m.report); err != nil {
		return nil, err
	}
	k := len(p.target)
	m.noise, m.coefficients = make([]float64, k), mat.NewDense(k, d, nil)
	if m.basis != nil {
		wide, _ := m.basis.Dims()
		m.coefficients = mat.NewDense(k, wide, nil)
	}
	if n > 1 {
		m.loo = mat.NewDense(n, k, nil)
	}
	solves := progress.Open(parts[3])
	for g := range m.ridges {
		if err := m.solve(solves.Step(g, len(m.ridges)), p, gram, g); err != nil {
			return nil, err
		}
	}
	m.jittered()
	return m, ctx.Err()
}

// solve computes the coefficients of the targets that share ridge number g: all targets, or a single target if each has its own
// ridge. For the last ridge it overwrites gram.
func (m *model) solve(ctx context.Context, p *ridgeProblem, gram *mat.SymDense, g int) error {
	n, k := p.t.Dims()
	d, first, last := gram.SymmetricDim(), 0, k
	if len(m.ridges) > 1 {
		first, last = g, g+1
	}
	t := p.t.Slice(0, n, first, last).(*mat.Dense)
	if g+1 < len(m.ridges) {
		own := mat.NewSymDense(d, nil)
		own.CopySym(gram)
		gram = own
	}
	for j := range d {
		gram.SetSym(j, j, gram.At(j, j)+m.ridges[g])
	}
	left, right := progress.Two(ctx, float64(d)/3, float64(n))
	factor, err := linalg.NewCholesky(left, "X'X + ridge", gram)
	if err != nil {
		return err
	}
	m.factors = append(m.factors, factor)
	solution := mat.NewDense(d, last-first, nil)
	fast.Mul(solution, p.z.T(), t)
	if err := factor.Solve(progress.Detach(ctx), solution); err != nil {
		return err
	}
	if err := m.residuals(right, p, t, solution, factor, first); err != nil {
		return err
	}
	if m.basis != nil {
		var back mat.Dense
		fast.Mul(&back, m.basis, solution)
		solution = &back
	}
	for j := first; j < last; j++ {
		mat.Col(m.coefficients.RawRowView(j), j-first, solution)
	}
	return nil
}

// finite returns an error if squares overflowed.
func (m *model) finite() error {
	v := m.report.Objective + floats.Sum(m.ridges) + floats.Sum(m.noise) + floats.Sum(m.within) + mat.Sum(m.coefficients)
	for _, f := range m.factors {
		v += f.Jitter()
	}
	if v-v != 0 {
		return errOverflow
	}
	return nil
}

// jittered records in the report the jitter that was added to the diagonal, and warns of it.
func (m *model) jittered() {
	m.report.Jitter = 0
	for _, f := range m.factors {
		m.report.Jitter = max(m.report.Jitter, f.Jitter())
	}
	if m.report.Jitter > 0 {
		m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("X'X was singular to rounding: %.2g was added to its diagonal",
			m.report.Jitter))
	}
}

// choose returns the ridge, or a ridge for each target. It does not change gram.
func (s modelSettings) choose(ctx context.Context, p *ridgeProblem, gram *mat.SymDense, report *estimators.Report) ([]float64, error) {
	n, _ := p.z.Dims()
	switch {
	case s.ridge > 0:
		return []float64{s.ridge}, nil
	case s.rule == Heuristic || n == 1:
		return []float64{p.heuristicRidge()}, nil
	}
	own := mat.NewSymDense(gram.SymmetricDim(), nil)
	own.CopySym(gram)
	d := float64(gram.SymmetricDim())
	left, right := progress.Two(ctx, 6*d+2*float64(n), 1500*float64(n)/d) // the evaluation of a ridge reads n×d numbers
	problem, err := loo.NewLinear(left, own, p.z, p.t, p.leverage, p.weight, p.scale, s.workers)
	if err != nil {
		return nil, err
	}
	problem.LeaveGroupsOut(p.groups)
	if !s.perTarget {
		steps := progress.NewSteps(ctx, loo.MaxEvaluations)
		ridge, err := s.search(right, problem, p, 0, steps, "", report)
		return []float64{ridge}, err
	}
	out := make([]float64, len(p.target))
	searches, steps := progress.Open(right), progress.NewSteps(ctx, len(out)*loo.MaxEvaluations)
	for j := range out {
		if out[j], err = s.search(searches.Step(j, len(out)), problem.Target(j), p, j, steps, fmt.Sprintf("target %d: ", j),
			report); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// search returns the ridge with the smallest leave-one-out error. at is the number of the search, counted from 0.
func (s modelSettings) search(ctx context.Context, problem *loo.Linear, p *ridgeProblem, at int, steps *progress.Steps, name string,
	report *estimators.Report) (float64, error) {
	best, err := problem.Search(ctx, func(_ int, ridge, objective float64) { steps.Next(objective, "%sridge %.3g", name, ridge) })
	if err != nil {
		return 0, err
	}
	if at == 0 {
		report.Iterations = 0
	}
	report.Iterations += best.Evaluations
	if w := best.Warning(); w != "" {
		report.Warnings = append(report.Warnings, name+w)
	}
	if best.Ridge == 0 {
		return p.heuristicRidge(), nil
	}
	return best.Ridge, nil
}

// observed returns a function that reports the ridges evaluated by leave-one-out.
func observed(ctx context.Context) func(i int, ridge, objective float64) {
	steps := progress.NewSteps(ctx, loo.MaxEvaluations)
	return func(_ int, ridge, objective float64) { steps.Next(objective, "ridge %.3g", ridge) }
}

// residuals sets the leave-one-out residuals, the noise and the objective for the targets t, which begin with target number first.
// It computes them from the solution and a factor, and returns the error of ctx.
func (m *model) residuals(ctx context.Context, p *ridgeProblem, t, solution *mat.Dense, factor *linalg.Cholesky, first int) error {
	n, _ := p.z.Dims()
	if n == 1 {
		return nil
	}
	left := new(mat.Dense)
	fast.Mul(left, p.z, solution)
	left.Sub(t, left)
	turned := mat.DenseCopyOf(p.z.T())
	leverages, err := factor.QuadInverse(ctx, turned)
	if err != nil {
		return err
	}
	shares, err := loo.LeftOutOfFeatures(ctx, left, leverages, p.leverage, p.groups, turned)
	if err != nil {
		return err
	}
	for i := range n {
		for j, e := range left.RawRowView(i) {
			m.loo.Set(i, first+j, e/p.root[i])
			m.noise[first+j] += e * e * shares[i] / float64(n)
			m.report.Objective += e * e / p.weight
		}
	}
	return nil
}

// Predict returns b + <β, x> for each row of x (m×d). The cost is O(md).
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	return targets.First(r.m.predict(regressorType, x))
}

// predict returns the predictions (m×k).
func (m *model) predict(typ string, x mat.Matrix) (*mat.Dense, error) {
	if m != nil && sparse.Is(x) {
		return m.predictSparse(typ, x)
	}
	mean, _, err := m.predictCentred(typ, x)
	return mean, err
}

// predictCentred returns the predictions (m×k), and the rows of x minus the means.
func (m *model) predictCentred(typ string, x mat.Matrix) (mean, centred *mat.Dense, err error) {
	if m == nil {
		return nil, nil, fault.NotFitted(typ)
	}
	xd, err := check.Wide("x", x, len(m.means))
	if err != nil {
		return nil, nil, err
	}
	n, _ := xd.Dims()
	centred, mean = m.centred(xd), mat.NewDense(n, len(m.target), nil)
	fast.Mul(mean, centred, m.coefficients.T())
	for i := range n {
		floats.Add(mean.RawRowView(i), m.target)
	}
	return mean, centred, targets.CheckValues(typ+": prediction", mean)
}

// PredictVariance returns the mean and the variance of a new observation at each row of x (m×d). The variance includes the noise.
// The cost is O(md²), or O(mdn) with more columns than rows. After a fit to sparse rows the error wraps errors.ErrUnsupported (see
// the package documentation).
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	return targets.FirstPair(r.m.predictVariance(regressorType, x))
}

// predictVariance returns means and variances (m×k).
func (m *model) predictVariance(typ string, x mat.Matrix) (mean, variance *mat.Dense, err error) {
	if m != nil && m.sparse != denseSolver {
		return nil, nil, m.errVariance(typ)
	}
	mean, centred, err := m.predictCentred(typ, x)
	if err != nil {
		return nil, nil, err
	}
	n, k := mean.Dims()
	variance = mat.NewDense(n, k, nil)
	for g := range m.ridges {
		u, err := m.uncertain(centred, g)
		if err != nil {
			return nil, nil, err
		}
		for j := range m.noise {
			if m.groupOf(j) != g {
				continue
			}
			for i, v := range u {
				variance.Set(i, j, m.variance(j, v))
			}
		}
	}
	return mean, variance, targets.CheckValues(typ+": variance", variance)
}

// groupOf returns the index of the ridge for a target.
func (m *model) groupOf(target int) int { return min(target, len(m.ridges)-1) }

// variance returns the variance of a new observation of a target. uncertain is this variance in units of s², without the variance
// within equal rows.
func (m *model) variance(target int, uncertain float64) float64 {
	out := m.noise[target] * uncertain
	if m.within != nil {
		out += m.within[target]
	}
	return out
}

// uncertain returns the variance of a new observation at each of some centred rows, in units of s², for ridge number g.
func (m *model) uncertain(centred *mat.Dense, g int) ([]float64, error) {
	within := centred
	if m.basis != nil {
		within = &mat.Dense{}
		fast.Mul(within, centred, m.basis)
	}
	// PredictVariance has no context, so the computation cannot be cancelled.
	out, err := m.factors[g].QuadInverse(context.Background(), mat.DenseCopyOf(within.T()))
	if err != nil {
		return nil, err
	}
	for i, v := range out {
		if m.basis != nil {
			// The part outside the span of the training rows has its prior variance.
			whole, part := centred.RawRowView(i), within.RawRowView(i)
			v += max(0, linalg.Dot(whole, whole)-linalg.Dot(part, part)) / m.ridges[g]
		}
		out[i] = m.unit + m.spread + v
	}
	return out, nil
}

// PredictInterval returns the bounds of a central interval for each row of x (m×d). The interval contains a new observation with
// probability level, in (0, 1), if the distribution is normal with the mean and variance of PredictVariance.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	return interval.Normal(level)(r.PredictVariance(x))
}

// PriorVariance returns s²/λ, the prior variance of each coefficient in β. It returns 0 before Fit. Outside the span of the centred
// training rows, it is the variance of the prediction for each unit of squared distance.
func (r *Regressor) PriorVariance() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.noise[0] / r.m.ridges[0]
}

// Coefficients returns β, one for each column. It returns nil before Fit.
func (r *Regressor) Coefficients() []float64 {
	if r.m == nil {
		return nil
	}
	return mat.Row(nil, 0, r.m.coefficients)
}

// Intercept returns b. It returns 0 before Fit.
func (r *Regressor) Intercept() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.intercept(0)
}

// intercept returns b for a target.
func (m *model) intercept(target int) float64 {
	b := m.target[target]
	for j, c := range m.coefficients.RawRowView(target) {
		b -= c * m.means[j]
	}
	return b
}

// ChosenRidge returns the ridge λ that Fit used. It returns 0 before Fit.
func (r *Regressor) ChosenRidge() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.ridges[0]
}

// LeaveOneOutResiduals returns y[i] minus its prediction by a model with the same ridge. The model is fitted to all rows that
// differ from row i, or with Groups to all rows of other groups. The residuals are exact, and are computed by Fit. If there is only
// one distinct row, it returns nil.
//
// It returns [estimators.ErrNotFitted] before Fit. After FitStatistics and PartialFit, which do not keep single rows, and after
// conjugate gradients on sparse rows, the error wraps errors.ErrUnsupported.
func (r *Regressor) LeaveOneOutResiduals(context.Context) (_ []float64, err error) {
	defer fault.Recover(&err)
	return targets.First(r.m.leaveOneOutResiduals(regressorType))
}

// leaveOneOutResiduals returns a copy of the residuals (n×k), or nil if there is only one distinct row.
func (m *model) leaveOneOutResiduals(typ string) (*mat.Dense, error) {
	switch {
	case m == nil:
		return nil, fault.NotFitted(typ)
	case m.fromSums:
		return nil, fmt.Errorf("%s: the model was fitted to sums, which have no rows to leave out: %w", typ, errors.ErrUnsupported)
	case m.sparse == gradientSolver:
		return nil, fmt.Errorf("%s: conjugate gradients on sparse rows leave out no rows: %w", typ, errors.ErrUnsupported)
	case m.loo == nil:
		return nil, nil
	}
	return mat.DenseCopyOf(m.loo), nil
}

// Report describes the last Fit. Objective is the weighted mean squared leave-one-out residual. Iterations is the number of
// evaluated ridges.
func (r *Regressor) Report() estimators.Report { return r.m.copiedReport() }

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Numbers(regressorType, dst, x, r.m.rowWidth(), r.Predict, r.m.row)
}

// row sets out to the predictions for the row x.
func (m *model) row(out, x []float64) {
	for t := range out {
		f := m.target[t]
		for j, c := range m.coefficients.RawRowView(t) {
			f += c * (x[j] - m.means[j])
		}
		out[t] = f
	}
}

// copiedReport returns the Report of the last fit, or the zero Report before any fit.
func (m *model) copiedReport() estimators.Report {
	if m == nil {
		return estimators.Report{}
	}
	return m.report.Clone()
}

// rowWidth returns the number of columns that row expects, or 0 before Fit.
func (m *model) rowWidth() int {
	if m == nil {
		return 0
	}
	return len(m.means)
}
