package ridge

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/sparse"
)

// sparseSolver is the solver that fitted a model to sparse rows.
type sparseSolver int

const (
	denseSolver    sparseSolver = iota // the rows were dense
	rowSolver                          // a factor of the inner products of the rows
	gradientSolver                     // conjugate gradients
)

const (
	// mostDense is the largest number of elements of a dense copy (64 MiB). A model fitted to a dense copy has all methods.
	mostDense = 1 << 23
	// mostFactored is the largest number of distinct rows whose system is factored. Their inner products take 128 MB.
	mostFactored = 4000
)

// staysSparse reports whether x is sparse and too large for a dense copy.
func staysSparse(x mat.Matrix) bool {
	if !sparse.Is(x) {
		return false
	}
	n, d := x.Dims()
	return float64(n)*float64(d) > mostDense
}

// errVariance returns the error for a variance after a fit to sparse rows.
func (m *model) errVariance(typ string) error {
	return fmt.Errorf("%s: a fit to sparse rows keeps no factor for a variance; lssvm.Regressor with kernels.Linear is the same machine "+
		"and has one: %w", typ, errors.ErrUnsupported)
}

// fitSparse fits the targets (n×k) of distinct sparse rows.
func (s modelSettings) fitSparse(ctx context.Context, x *sparse.Rows, y *mat.Dense, own []float64, groups [][]int) (*model, error) {
	n, d := x.Dims()
	_, k := y.Dims()
	vectors := float64(d) * float64(3*k+vectorsOfColumns)
	if err := check.Numbers(fmt.Sprintf("%s: the coefficients of %d columns", s.typ, d), vectors,
		"hash to fewer columns"); err != nil {
		return nil, err
	}
	m := &model{coefficients: mat.NewDense(k, d, nil), target: make([]float64, k), noise: make([]float64, k), unit: 1,
		report: estimators.Report{Converged: true, Iterations: 1}}
	total := 0.
	for i := range n {
		total += weights.Weight(own, i)
	}
	m.unit = float64(n) / total
	m.means = make([]float64, d)
	if !s.noIntercept {
		m.spread = 1 / total
		for i := range n {
			columns, values := x.Row(i)
			for at, j := range columns {
				m.means[j] += weights.Weight(own, i) / total * values[at]
			}
		}
	}
	if s.noIntercept || n == 1 || n > mostFactored {
		return m, s.iterate(ctx, m, x, y, own, groups)
	}
	return m, s.solveRows(ctx, m, x, y, own, groups)
}

// solveRows solves the system of the inner products of the rows, for all targets together or for each separately.
func (s modelSettings) solveRows(ctx context.Context, m *model, x *sparse.Rows, y *mat.Dense, own []float64, groups [][]int) error {
	n, k := y.Dims()
	m.sparse, m.loo = rowSolver, mat.NewDense(n, k, nil)
	together, searches := k, 1
	if s.perTarget && s.ridge == 0 && s.rule != Heuristic {
		together, searches = 1, k
	}
	parts := progress.Open(ctx)
	for g := range searches {
		part := parts.Step(g, searches)
		first, rest := progress.Two(part, 1, 10)
		gram, err := kernels.Matrix(first, kernels.Linear{}, x, &kernels.Options{Workers: s.workers})
		if err != nil {
			return err
		}
		targets := mat.DenseCopyOf(y.Slice(0, n, g*together, (g+1)*together))
		ridge, solved, err := s.solveGram(rest, m, gram, targets, own, groups)
		if err != nil {
			return err
		}
		m.ridges = append(m.ridges, ridge)
		m.takeRows(solved, g*together, x, own)
	}
	return ctx.Err()
}

// solveGram returns the ridge and the solution for some targets. It overwrites gram, the inner products of the rows.
func (s modelSettings) solveGram(ctx context.Context, m *model, gram *mat.SymDense, y *mat.Dense, own []float64, groups [][]int) (float64,
	*loo.Solution, error) {
	if n := gram.SymmetricDim(); mat.Trace(gram)-mat.Trace(gram) != 0 {
		return 0, nil, overflow(s.typ)
	} else if s.ridge == 0 && s.rule != Heuristic && groups == nil && n > mostReduced {
		best, solved, err := loo.SearchFew(ctx, gram, y, own, 0, s.workers, observed(ctx))
		if err == nil && solved == nil {
			err = s.errIndefinite(best.Ridge)
		}
		m.searched(best)
		return best.Ridge, solved, err
	}
	ridge := s.ridge
	if ridge == 0 && s.rule == Heuristic {
		ridge = lssvm.HeuristicRidge(gram.SymmetricDim()) / m.unit
	}
	if ridge > 0 && groups == nil {
		evaluation, err := loo.EvaluateOnce(ctx, gram, y, own, ridge)
		if err == nil && evaluation.Solved == nil {
			err = s.errIndefinite(ridge)
		}
		return ridge, evaluation.Solved, err
	}
	reduction, evaluations := progress.Two(ctx, 3, 1)
	problem, err := loo.New(reduction, gram, y, own, s.workers)
	if err != nil {
		return 0, nil, err
	}
	problem.LeaveGroupsOut(groups)
	if ridge == 0 {
		best, err := problem.Search(evaluations, observed(ctx))
		if err != nil {
			return 0, nil, err
		}
		m.searched(best)
		if ridge = best.Ridge; ridge == 0 {
			ridge = lssvm.HeuristicRidge(gram.SymmetricDim()) / m.unit
		}
	}
	solved, err := problem.Solve(ctx, ridge)
	if err == nil && solved == nil {
		err = s.errIndefinite(ridge)
	}
	return ridge, solved, err
}

// mostReduced is the largest number of rows for which all ridges are compared after one reduction of the inner products. With more
// rows, few ridges are compared, each with a factor.
const mostReduced = 1500

func (s modelSettings) errIndefinite(ridge float64) error {
	return fmt.Errorf("%s: the inner products of the rows plus the ridge %.3g are indefinite to rounding: raise Ridge: %w", s.typ, ridge,
		fault.ErrNotPSD)
}

// searched adds a search to the report.
func (m *model) searched(best loo.Minimum) {
	if len(m.ridges) == 0 {
		m.report.Iterations = 0
	}
	m.report.Iterations += best.Evaluations
	if w := best.Warning(); w != "" {
		m.report.Warnings = append(m.report.Warnings, w)
	}
}

// takeRows sets the coefficients and the leave-one-out results of some targets, which begin with target number first.
func (m *model) takeRows(solved *loo.Solution, first int, x *sparse.Rows, own []float64) {
	n, k := solved.Alpha.Dims()
	ridge := m.ridges[len(m.ridges)-1]
	total := float64(n) / m.unit
	for c := range k {
		to := m.coefficients.RawRowView(first + c)
		for i := range n {
			columns, values := x.Row(i)
			a, e := solved.Alpha.At(i, c), solved.Residuals.At(i, c)
			for at, j := range columns {
				to[j] += a * values[at]
			}
			m.loo.Set(i, first+c, e)
			m.noise[first+c] += max(0, ridge*a*e/float64(n)) // as in package lssvm, also with groups
			m.report.Objective += weights.Weight(own, i) / total * e * e
		}
		m.target[first+c] = solved.Bias[c] + floats.Dot(to, m.means)
	}
}

// predictSparse returns the predictions (m×k) for sparse rows. The cost is proportional to the number of their nonzero entries.
func (m *model) predictSparse(typ string, x mat.Matrix) (*mat.Dense, error) {
	rows, err := sparse.From("x", x)
	if err != nil {
		return nil, err
	}
	n, d := rows.Dims()
	if d != len(m.means) {
		return nil, fault.Columns("x", d, len(m.means))
	}
	out := mat.NewDense(n, len(m.target), nil)
	for t := range m.target {
		b, beta := m.intercept(t), m.coefficients.RawRowView(t)
		for i := range n {
			f := b
			columns, values := rows.Row(i)
			for at, j := range columns {
				f += values[at] * beta[j]
			}
			out.Set(i, t, f)
		}
	}
	return out, targets.CheckValues(typ+": prediction", out)
}
