package lssvm

import (
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
)

// settings is the configuration that Regressor and Classifier share, validated.
type settings struct {
	typ     string
	kernel  kernels.Kernel // nil: MedianRBF of the training rows
	ridge   float64
	rule    RidgeRule
	seed    uint64
	options kernels.Options
	observe func(estimators.Step)
	// residuals asks for the leave-one-out residuals at once; otherwise they are
	// computed when something reads them, if the ridge did not come from them.
	residuals bool
}

func (s settings) validate() error {
	if err := s.rule.Validate(s.typ, s.ridge); err != nil {
		return err
	}
	if s.options.MaxBytes < 0 {
		return fault.Param(s.typ, "MaxKernelBytes", s.options.MaxBytes, ">= 0")
	}
	if s.kernel != nil {
		return kernels.Validate(s.kernel)
	}
	return nil
}

// machine is a solved system for k targets that share M.
type machine struct {
	kernel  kernels.Kernel // nil after FitMatrix
	rows    *mat.Dense     // n×d, nil after FitMatrix
	n       int
	alpha   *mat.Dense // n×k
	bias    []float64  // k
	eta     []float64  // n
	weights []float64  // nil: all 1
	ridge   float64
	report  estimators.Report
	// gram makes the kernel matrix anew; nil where only factor can.
	gram func() (*mat.SymDense, error)
	// factor gives the factorisation of M, which only the variance needs: it is
	// computed at the first call, so that neither a model in memory nor one in a
	// file carries n²/2 numbers for a method that may never be called.
	factor func() (*linalg.Cholesky, error)

	// What leaving one row out says. A fit with a given ridge does not need it and
	// it costs as much as the factorisation, so it waits for its first reader;
	// leaveOneOut comes before any use.
	once  sync.Once
	scale float64    // s², the mean over the targets
	loo   *mat.Dense // n×k residuals; nil for one row
	err   error
}

// fitRows solves on rows; targets is n×k and weights may be nil.
func fitRows(ctx context.Context, s settings, rows, targets *mat.Dense, weights []float64) (*machine, error) {
	kernel, err := kernels.OrMedianRBF(ctx, s.kernel, rows, s.seed)
	if err != nil {
		return nil, err
	}
	kept := mat.DenseCopyOf(rows)
	m, err := solve(ctx, s, func() (*mat.SymDense, error) { return kernels.Matrix(ctx, kernel, kept, &s.options) }, targets, weights)
	if err != nil {
		return nil, err
	}
	m.kernel, m.rows = kernel, kept
	m.later(s.options)
	return m, nil
}

// fitMatrix solves on a kernel matrix of the caller's.
func fitMatrix(ctx context.Context, s settings, k mat.Symmetric, targets *mat.Dense, weights []float64) (*machine, error) {
	return solve(ctx, s, func() (*mat.SymDense, error) { return copyOf(k), nil }, targets, weights)
}

func copyOf(k mat.Symmetric) *mat.SymDense {
	own := mat.NewSymDense(k.SymmetricDim(), nil)
	own.CopySym(k)
	return own
}

func solve(ctx context.Context, s settings, gram func() (*mat.SymDense, error), targets *mat.Dense, weights []float64) (*machine, error) {
	n, k := targets.Dims()
	m := &machine{n: n, weights: weights, report: estimators.Report{Converged: true, Iterations: 1}}
	switch s.rule {
	case Fixed:
		m.ridge = s.ridge
	case Heuristic:
		m.ridge = HeuristicRidge(n)
	case LeaveOneOut:
		if n == 1 {
			m.ridge = HeuristicRidge(n)
			break
		}
		g, err := gram()
		if err != nil {
			return nil, err
		}
		var observe func(int, float64, float64)
		if s.observe != nil {
			observe = func(i int, ridge, objective float64) {
				s.observe(estimators.Step{Iteration: i, Total: loo.MaxEvaluations, Objective: objective, Message: fmt.Sprintf("ridge %.3g", ridge)})
			}
		}
		problem := loo.New(g, targets, weights, s.options.Workers)
		best, err := problem.Search(ctx, observe)
		if err != nil {
			return nil, err
		}
		m.ridge, m.report.Iterations = best.Ridge, best.Evaluations
		if w := best.Warning(); w != "" {
			m.report.Warnings = append(m.report.Warnings, w)
		}
		if best.Ridge == 0 {
			m.ridge = HeuristicRidge(n)
			break
		}
		solved, err := problem.Solve(ctx, best.Ridge)
		if err != nil {
			return nil, err
		}
		if solved != nil { // the search has seen that it is not
			m.take(solved)
			return m, m.finite(s.typ, targets)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	chol, err := m.factorise(gram)
	if err != nil {
		return nil, err
	}
	m.factor = func() (*linalg.Cholesky, error) { return chol, nil }
	if m.report.Jitter = chol.Jitter(); m.report.Jitter > 0 {
		m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("the kernel matrix was singular to rounding: %.2g was added to its diagonal", m.report.Jitter))
	}

	b := mat.NewDense(n, 1+k, nil)
	for i := range n {
		b.Set(i, 0, 1)
		for j := range k {
			b.Set(i, j+1, targets.At(i, j))
		}
	}
	chol.Solve(b)
	m.eta = mat.Col(nil, 0, b)
	etaSum := floats.Sum(m.eta)
	m.bias = make([]float64, k)
	m.alpha = mat.NewDense(n, k, nil)
	for j := range k {
		nu := mat.Col(nil, j+1, b)
		m.bias[j] = floats.Sum(nu) / etaSum
		for i, v := range nu {
			m.alpha.Set(i, j, v-m.eta[i]*m.bias[j])
		}
	}
	if s.residuals {
		if err := m.leaveOneOut(chol); err != nil {
			return nil, err
		}
	}
	return m, m.finite(s.typ, targets)
}

// take fills the machine from the reduction that leave-one-out works on.
func (m *machine) take(solved *loo.Solution) {
	m.alpha, m.bias, m.eta, m.loo = solved.Alpha, solved.Bias, solved.Eta, solved.Residuals
	n, k := m.loo.Dims()
	for i, inverse := range solved.Inverse {
		for _, e := range m.loo.RawRowView(i) {
			m.scale += e * e * inverse / float64(n*k)
		}
	}
	m.report.Objective = m.weightedPress()
	m.once.Do(func() {})
}

// leaveOneOut computes the residuals, the scale and the report's objective where they
// are not there yet, from the factor of M or for nil from one of its own. Cost n³/3,
// and as much again and a kernel matrix where there is no factor. What was factorised
// once is factorised again, so the error is of memory alone.
func (m *machine) leaveOneOut(chol *linalg.Cholesky) error {
	m.once.Do(func() {
		if m.loo != nil || m.n == 1 {
			return
		}
		switch {
		case chol != nil:
		case m.gram != nil:
			chol, m.err = m.factorise(m.gram) // for this once: it is not kept
		default:
			chol, m.err = m.factor()
		}
		if m.err == nil {
			m.leaveOut(chol)
		}
	})
	return m.err
}

func (m *machine) leaveOut(chol *linalg.Cholesky) {
	n, k := m.alpha.Dims()
	etaSum := floats.Sum(m.eta)
	m.loo = mat.NewDense(n, k, nil)
	for i, inv := range chol.DiagInverse() {
		pii := inv - m.eta[i]*m.eta[i]/etaSum
		for j := range k {
			a := m.alpha.At(i, j)
			// P[i,i] > 0 but for rounding, and α[i] is 0 wherever it is.
			if pii > 0 {
				m.loo.Set(i, j, a/pii)
				m.scale += a * a / pii / float64(n*k)
			}
		}
	}
	m.report.Objective = m.weightedPress()
}

// finite returns an error if the numbers of the input were so large that those
// of the solution, or the squares that a reader of the residuals needs, are not finite.
func (m *machine) finite(typ string, targets *mat.Dense) error {
	squares := 0.0
	for i := range m.n {
		for _, t := range targets.RawRowView(i) {
			squares += t * t
		}
		for _, a := range m.alpha.RawRowView(i) {
			squares += a * a
		}
	}
	total := squares + m.scale + m.report.Objective + floats.Sum(m.bias) + floats.Sum(m.eta)
	if m.loo != nil {
		total += mat.Sum(m.loo)
	}
	if total-total != 0 {
		return fmt.Errorf("%s: the targets or the kernel's values are too large, their squares overflow: %w", typ, fault.ErrNotFinite)
	}
	return nil
}

// weightedPress is the mean weighted squared leave-one-out residual.
func (m *machine) weightedPress() float64 {
	total, weight := 0.0, 0.0
	for i := range m.n {
		w := 1.0
		if m.weights != nil {
			w = m.weights[i]
		}
		for _, e := range m.loo.RawRowView(i) {
			total += w * e * e
		}
		weight += w
	}
	return total / weight
}

func (m *machine) factorise(gram func() (*mat.SymDense, error)) (*linalg.Cholesky, error) {
	g, err := gram()
	if err != nil {
		return nil, err
	}
	for i := range m.n {
		r := m.ridge
		if m.weights != nil {
			r /= m.weights[i]
		}
		g.SetSym(i, i, g.At(i, i)+r)
	}
	return linalg.NewCholesky("K + ridge", g)
}

// later makes what Fit did not keep from the kernel and the rows.
func (m *machine) later(opt kernels.Options) {
	m.gram = func() (*mat.SymDense, error) { return kernels.Matrix(context.Background(), m.kernel, m.rows, &opt) }
	m.factor = sync.OnceValues(func() (*linalg.Cholesky, error) { return m.factorise(m.gram) })
}

// keep holds on to a copy of the caller's matrix for a factor that Fit did not need.
func (m *machine) keep(k mat.Symmetric) {
	if m.factor != nil {
		return
	}
	own := copyOf(k)
	m.factor = sync.OnceValues(func() (*linalg.Cholesky, error) {
		return m.factorise(func() (*mat.SymDense, error) { return own, nil })
	})
}

// predictChunk rows at a time bound the memory of a prediction to
// predictChunk × n, whatever is asked for.
const predictChunk = 512

// eachChunk calls f with the kernel between successive rows of x and the
// training rows, which the next call overwrites.
func (m *machine) eachChunk(typ string, x mat.Matrix, opt kernels.Options, f func(start int, rows, k *mat.Dense) error) error {
	if m == nil {
		return fault.NotFitted(typ)
	}
	if m.rows == nil {
		return &fault.NotFittedError{Type: typ + ": fitted on a matrix: use the methods that end in Matrix"}
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	_, d := m.rows.Dims()
	if err := check.Columns("x", xd, d); err != nil {
		return err
	}
	prepared, err := kernels.Prepare(context.Background(), m.kernel, m.rows, &opt)
	if err != nil {
		return err
	}
	k := &mat.Dense{}
	n, _ := xd.Dims()
	for i := 0; i < n; i += predictChunk {
		part := xd.Slice(i, min(i+predictChunk, n), 0, d).(*mat.Dense)
		if r, _ := part.Dims(); r < predictChunk {
			k.Reset() // the last block
		}
		if err := prepared.CrossTo(context.Background(), k, part); err != nil {
			return err
		}
		if err := f(i, part, k); err != nil {
			return err
		}
	}
	return nil
}

// checkCross validates a kernel matrix between new rows and training rows.
func (m *machine) checkCross(typ string, k mat.Matrix) (*mat.Dense, error) {
	if m == nil {
		return nil, fault.NotFitted(typ)
	}
	kd, err := check.Dense("K", k)
	if err != nil {
		return nil, err
	}
	return kd, check.Columns("K", kd, m.n)
}

// outputs returns k·α + b, r×k.
func (m *machine) outputs(k *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Mul(k, m.alpha)
	r, _ := k.Dims()
	for i := range r {
		for j, b := range m.bias {
			out.Set(i, j, out.At(i, j)+b)
		}
	}
	return &out
}

// decide returns the outputs for the rows of x.
func (m *machine) decide(typ string, x mat.Matrix, opt kernels.Options) (*mat.Dense, error) {
	var out *mat.Dense
	err := m.eachChunk(typ, x, opt, func(start int, rows, k *mat.Dense) error {
		if out == nil {
			n, _ := x.Dims()
			out = mat.NewDense(n, len(m.bias), nil)
		}
		r, _ := rows.Dims()
		out.Slice(start, start+r, 0, len(m.bias)).(*mat.Dense).Copy(m.outputs(k))
		return nil
	})
	return out, err
}

// variance returns the predictive variance of a new observation for each row
// of k (r×n) with prior variances diag.
func (m *machine) variance(k *mat.Dense, diag []float64) ([]float64, error) {
	chol, err := m.factor()
	if err != nil {
		return nil, err
	}
	if err := m.leaveOneOut(chol); err != nil {
		return nil, err
	}
	quad := chol.QuadInverse(mat.DenseCopyOf(k.T()))
	etaSum := floats.Sum(m.eta)
	out := make([]float64, len(diag))
	for i := range out {
		bias := 1.0
		for j, v := range k.RawRowView(i) {
			bias -= v * m.eta[j]
		}
		// The difference is ≥ 0 but for rounding.
		out[i] = m.scale * (max(0, diag[i]-quad[i]) + bias*bias/etaSum + m.ridge)
	}
	return out, nil
}

// row computes the outputs of one row.
func (m *machine) row(out, x []float64) {
	p := rowwise.Scratch(m.n)
	defer rowwise.Release(p)
	kernels.Row(*p, m.kernel, x, m.rows)
	copy(out, m.bias)
	for i, v := range *p {
		for j, a := range m.alpha.RawRowView(i) {
			out[j] += v * a
		}
	}
}

// rowWidth is the number of columns that row wants; 0 without rows.
func (m *machine) rowWidth() int {
	if m == nil || m.rows == nil {
		return 0
	}
	_, d := m.rows.Dims()
	return d
}
