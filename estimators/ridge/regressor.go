package ridge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	fitsteps "github.com/kernelearn/kernelearn/estimators/internal/progress"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

const regressorType = "ridge: Regressor"

// Regressor is linear ridge regression with an intercept. The zero value is ready
// to use: its ridge is chosen by exact leave-one-out. The targets need no scaling.
type Regressor struct {
	Ridge       float64   // λ; 0: chosen by RidgeRule
	RidgeRule   RidgeRule // how; zero: LeaveOneOut
	NoIntercept bool      // b = 0, and nothing is centred
	Workers     int       // goroutines; 0: GOMAXPROCS
	// Observe, if not nil, is called after each ridge that leave-one-out looks at.
	Observe func(estimators.Step)

	m *model
}

var (
	_ estimators.Regressor                    = (*Regressor)(nil)
	_ estimators.VariancePredictor            = (*Regressor)(nil)
	_ estimators.IntervalPredictor            = (*Regressor)(nil)
	_ estimators.LeaveOneOutPredictor         = (*Regressor)(nil)
	_ estimators.WeightedFitter[float64]      = (*Regressor)(nil)
	_ estimators.Cloner[estimators.Regressor] = (*Regressor)(nil)
	_ estimators.Reporter                     = (*Regressor)(nil)
)

// model is a fitted Regressor: ȳ + <β, x - x̄>.
type model struct {
	means        []float64 // x̄, d; zeros without an intercept
	target       float64   // ȳ; 0 without an intercept
	coefficients []float64 // β
	ridge        float64
	noise        float64    // s²
	spread       float64    // 1/Σw; 0 without an intercept
	basis        *mat.Dense // d×n where d > n: the centred rows lie in its span
	factor       *linalg.Cholesky
	loo          []float64 // nil for one row
	fromSums     bool      // which have no rows to leave out
	report       estimators.Report
	sums         *statistics // of FitStatistics; nil after Fit and in files
}

// Fit learns from x (n×d) and y (n). Cost O(nd²) with d ≤ n and O(dn²) with more
// columns than rows. Errors: ErrParam, ErrShape, ErrNotFinite (also for numbers so
// large that their squares overflow), or ctx's.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, r.Observe)
	defer end(&err)
	return r.fit(ctx, x, y, nil)
}

// FitWeighted is Fit with a weight > 0 for each row. With a given Ridge a weight of 2
// is the row given twice; leave-one-out still leaves out one row, not one unit of
// weight.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer fault.Recover(&err)
	ctx = check.Context(ctx)
	ctx, end := fitsteps.Begin(ctx, r.Observe)
	defer end(&err)
	if err := check.Weights(regressorType, weights, len(y)); err != nil {
		return err
	}
	return r.fit(ctx, x, y, weights)
}

func (r *Regressor) fit(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	if err := checkSettings(regressorType, r.Ridge, r.RidgeRule, r.Workers); err != nil {
		return err
	}
	xd, err := check.Targeted(x, y)
	if err != nil {
		return err
	}
	if weights == nil {
		weights = slices.Repeat([]float64{1}, len(y))
	}
	// The sums of columns are bound by memory, those of products are not.
	first, rest := progress.Two(ctx, 10, float64(xd.RawMatrix().Cols))
	p, err := centre(first, xd, y, weights, !r.NoIntercept)
	if err != nil {
		return err
	}
	m, err := r.solve(rest, p)
	if err != nil {
		return err
	}
	r.m = m
	return nil
}

// solve fits to a centred problem.
func (r *Regressor) solve(ctx context.Context, p *problem) (*model, error) {
	m := &model{means: p.means, target: p.target, report: estimators.Report{Converged: true, Iterations: 1}}
	if !r.NoIntercept {
		m.spread = 1 / p.weight
	}
	n, d := p.z.Dims()
	rows, order := float64(n), float64(min(n, d))
	choice := 0.
	if r.Ridge == 0 && r.RidgeRule != Heuristic {
		choice = 6*order + 2*rows + 1500*rows/order
	}
	// In multiplications over the square of the order: R of many columns, products, the choice, the factor, the residuals.
	parts := progress.Parts(ctx, 4*float64(max(d-n, 0)), rows, choice, order/3, rows)
	var err error
	if m.basis, err = p.reduce(parts[0]); err != nil {
		return nil, err
	}
	n, d = p.z.Dims()
	gram := mat.NewSymDense(d, nil)
	if err := fast.SymOuterKContext(parts[1], gram, 1, p.z.T()); err != nil {
		return nil, err
	}
	if err := p.finite(gram); err != nil {
		return nil, err
	}
	if m.ridge, err = r.choose(parts[2], p, gram, &m.report); err != nil {
		return nil, err
	}
	for j := range d {
		gram.SetSym(j, j, gram.At(j, j)+m.ridge)
	}
	if m.factor, err = linalg.NewCholesky(parts[3], "X'X + ridge", gram); err != nil {
		return nil, err
	}
	m.jittered()
	solution := mat.NewDense(d, 1, nil)
	fast.Mul(solution, p.z.T(), mat.NewDense(n, 1, p.t))
	if err := m.factor.Solve(progress.Apart(ctx), solution); err != nil {
		return nil, err
	}
	if err := m.residuals(parts[4], p, solution); err != nil {
		return nil, err
	}
	if m.basis != nil {
		var back mat.Dense
		fast.Mul(&back, m.basis, solution)
		solution = &back
	}
	m.coefficients = mat.Col(nil, 0, solution)
	if err := check.Vector("", append([]float64{m.noise, m.report.Objective}, m.coefficients...)); err != nil {
		return nil, errOverflow
	}
	return m, ctx.Err()
}

// jittered says what was added to the diagonal.
func (m *model) jittered() {
	if m.report.Jitter = m.factor.Jitter(); m.report.Jitter > 0 {
		m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("X'X was singular to rounding: %.2g was added to its diagonal", m.report.Jitter))
	}
}

// choose returns the ridge; gram is not changed.
func (r *Regressor) choose(ctx context.Context, p *problem, gram *mat.SymDense, report *estimators.Report) (float64, error) {
	n, _ := p.z.Dims()
	switch {
	case r.Ridge > 0:
		return r.Ridge, nil
	case r.RidgeRule == Heuristic || n == 1:
		return lssvm.HeuristicRidge(n), nil
	}
	own := mat.NewSymDense(gram.SymmetricDim(), nil)
	own.CopySym(gram)
	d := float64(gram.SymmetricDim())
	first, rest := progress.Two(ctx, 6*d+2*float64(n), 1500*float64(n)/d) // each ridge reads n×d numbers
	problem, err := loo.NewLinear(first, own, p.z, mat.NewDense(len(p.t), 1, p.t), p.leverage, p.weight, p.scale, r.Workers)
	if err != nil {
		return 0, err
	}
	best, err := problem.Search(rest, observed(ctx))
	if err != nil {
		return 0, err
	}
	report.Iterations = best.Evaluations
	if w := best.Warning(); w != "" {
		report.Warnings = append(report.Warnings, w)
	}
	if best.Ridge == 0 {
		return lssvm.HeuristicRidge(n), nil
	}
	return best.Ridge, nil
}

// observed is told of the ridges that leave-one-out looks at.
func observed(ctx context.Context) func(i int, ridge, objective float64) {
	steps := fitsteps.New(ctx, loo.MaxEvaluations)
	return func(_ int, ridge, objective float64) { steps.Next(objective, "ridge %.3g", ridge) }
}

// residuals sets the leave-one-out residuals, the noise and the objective. The error is ctx's.
func (m *model) residuals(ctx context.Context, p *problem, solution *mat.Dense) error {
	n, _ := p.z.Dims()
	if n == 1 {
		return nil
	}
	var fitted mat.Dense
	fast.Mul(&fitted, p.z, solution)
	leverages, err := m.factor.QuadInverse(ctx, mat.DenseCopyOf(p.z.T()))
	if err != nil {
		return err
	}
	m.loo = make([]float64, n)
	for i, h := range leverages {
		e := p.t[i] - fitted.At(i, 0)
		// 1 - h > 0 but for rounding, and e is 0 wherever it is.
		if rest := 1 - h - p.leverage[i]; rest > 0 {
			m.loo[i] = e / rest / p.root[i]
			m.noise += e * e / rest / float64(n)
			m.report.Objective += e / rest * e / rest / p.weight
		}
	}
	return nil
}

// Predict returns b + <β, x> for each row of x (m×d). Cost O(md).
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	mean, _, err := r.predict(x)
	return mean, err
}

// predict also returns the rows of x less the means.
func (r *Regressor) predict(x mat.Matrix) ([]float64, *mat.Dense, error) {
	if r.m == nil {
		return nil, nil, fault.NotFitted(regressorType)
	}
	xd, err := check.Wide("x", x, len(r.m.means))
	if err != nil {
		return nil, nil, err
	}
	n, d := xd.Dims()
	centred, out := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		row := centred.RawRowView(i)
		out[i] = r.m.target
		for j, v := range xd.RawRowView(i) {
			row[j] = v - r.m.means[j]
			out[i] += r.m.coefficients[j] * row[j]
		}
		if v := out[i]; v-v != 0 {
			return nil, nil, &fault.NotFiniteError{Name: regressorType + ": prediction", Row: i, Col: -1, Value: v}
		}
	}
	return out, centred, nil
}

// PredictVariance returns the mean and the variance of a new observation at each
// row of x (m×d), the noise included. Cost O(md²), or O(mdn) with more columns than
// rows.
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	mean, centred, err := r.predict(x)
	if err != nil {
		return nil, nil, err
	}
	m := r.m
	within := centred
	if m.basis != nil {
		within = &mat.Dense{}
		fast.Mul(within, centred, m.basis)
	}
	// PredictVariance has no context that could end.
	if variance, err = m.factor.QuadInverse(context.Background(), mat.DenseCopyOf(within.T())); err != nil {
		return nil, nil, err
	}
	for i, v := range variance {
		if m.basis != nil {
			// What lies outside the span of the training rows, nothing is known of.
			whole, part := centred.RawRowView(i), within.RawRowView(i)
			v += max(0, linalg.Dot(whole, whole)-linalg.Dot(part, part)) / m.ridge
		}
		variance[i] = m.noise * (1 + m.spread + v)
		if s := variance[i]; s-s != 0 {
			return nil, nil, &fault.NotFiniteError{Name: regressorType + ": variance", Row: i, Col: -1, Value: s}
		}
	}
	return mean, variance, nil
}

// PredictInterval returns the ends of the central interval that a new observation at each
// row of x (m×d) lies in with probability level, in (0, 1), under the normal distribution
// that PredictVariance gives.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	return interval.Normal(level)(r.PredictVariance(x))
}

// PriorVariance returns s²/λ, the variance that the model gave β before it saw the rows,
// whose inverse is the penalty; 0 before Fit. PredictVariance goes back to it, times
// |x - x̄|², where nothing was learned.
func (r *Regressor) PriorVariance() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.noise / r.m.ridge
}

// Coefficients returns β, one for each column; nil before Fit.
func (r *Regressor) Coefficients() []float64 {
	if r.m == nil {
		return nil
	}
	return slices.Clone(r.m.coefficients)
}

// Intercept returns b, 0 before Fit.
func (r *Regressor) Intercept() float64 {
	if r.m == nil {
		return 0
	}
	b := r.m.target
	for j, c := range r.m.coefficients {
		b -= c * r.m.means[j]
	}
	return b
}

// ChosenRidge returns the ridge λ that Fit used, 0 before Fit.
func (r *Regressor) ChosenRidge() float64 {
	if r.m == nil {
		return 0
	}
	return r.m.ridge
}

// LeaveOneOutResiduals returns y[i] less its prediction by the model fitted to all other
// rows with the same ridge, exactly; nil for one row. Fit has computed them. Errors: ErrNotFitted, and
// one that wraps errors.ErrUnsupported after FitStatistics and PartialFit, which know no single rows.
func (r *Regressor) LeaveOneOutResiduals(context.Context) (_ []float64, err error) {
	defer fault.Recover(&err)
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	if r.m.fromSums {
		return nil, fmt.Errorf("%s: the model was learnt from sums, which have no rows to leave out: %w", regressorType, errors.ErrUnsupported)
	}
	return slices.Clone(r.m.loo), nil
}

// Report says how the last Fit went. Objective is the weighted mean squared
// leave-one-out residual, Iterations the number of ridges looked at.
func (r *Regressor) Report() estimators.Report {
	if r.m == nil {
		return estimators.Report{}
	}
	return r.m.report.Clone()
}

// Clone returns an unfitted Regressor of the same configuration.
func (r *Regressor) Clone() estimators.Regressor {
	c := *r
	c.m = nil
	return &c
}

// PredictTo is Predict into dst, which has an entry for each row of x. Up to sixteen rows
// of a dense matrix are predicted one by one without allocating.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	width := 0
	if r.m != nil {
		width = len(r.m.means)
	}
	return rowwise.Numbers(regressorType, dst, x, width, r.Predict, r.m.row)
}

// row computes the prediction of one row.
func (m *model) row(out, x []float64) {
	out[0] = m.target
	for j, v := range x {
		out[0] += m.coefficients[j] * (v - m.means[j])
	}
}
