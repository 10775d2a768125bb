package lssvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/fullsystem"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// machineSettings holds the configuration that Regressor and Classifier share.
type machineSettings struct {
	typ     string
	kernel  kernels.Kernel // nil: see orChosen
	ridge   float64
	rule    RidgeRule
	seed    uint64
	solver  Solver
	groups  []int // groups of the rows; if nil, each row is its own group
	options kernels.Options
	start   loo.Start
	// The next fields are for conjugate gradients.
	checkpoint func(*State)
	resume     *State
	// If classify is set, the leave-one-out residuals are computed at once, because the link is fitted to them. No data for a
	// variance are kept.
	classify bool
}

// machine holds a solved system for k targets that share M. Only waiting changes after Fit.
type machine struct {
	kernel  kernels.Kernel // nil after FitMatrix
	rows    mat.Matrix     // n×d distinct rows, in the form of package anyrows; nil after FitMatrix
	n       int
	alpha   *mat.Dense // n×k
	bias    []float64  // length k
	eta     []float64  // length n
	weights []float64  // nil: all 1
	groups  [][]int    // groups of the distinct rows that are left out together
	given   givenRows
	ridge   float64
	report  estimators.Report
	details Details

	posterior *fullsystem.Posterior // for the variance after conjugate gradients

	left    *leftOut         // nil if Fit did not need it
	options kernels.Options  // for computing the kernel matrix again
	matrix  []float64        // the packed matrix of FitMatrix, if Fit left no factor of it
	factor  *linalg.Cholesky // the factor of M computed by Fit, after FitMatrix
	waiting waiting
}

// fitRows solves the system of the distinct rows. targets has a row for each row of rows, and weights may be nil.
func fitRows(ctx context.Context, s machineSettings, rows mat.Matrix, targets *mat.Dense, weights []float64) (*machine, error) {
	merged, rows := s.merge(rows, weights)
	weights = merged.Weights
	n := merged.Len()
	if s.solver == ConjugateGradients && s.groups != nil {
		return nil, fault.Param(s.typ, "Solver", s.solver, "Automatic or Cholesky with Groups")
	}
	if err := cmp.Or(s.holds(n), s.resumes(s.iterates(n, s.groups != nil))); err != nil {
		return nil, err
	}
	groups, err := merged.Groups(s.groups, targets.RawMatrix().Rows)
	if err != nil {
		return nil, fault.AddName(s.typ, err)
	}
	own := newGiven(merged, targets)
	targets = merged.Mean(targets)
	choice, rest := ctx, ctx
	if s.choosesLength(n) {
		sampled := float64(min(n, mostToChoose))
		choice, rest = progress.Two(ctx, 20*10*sampled*sampled*sampled, 3*float64(n)*float64(n)*float64(n))
	}
	kernel, err := s.orChosen(choice, rows, targets, weights, groups)
	if err != nil {
		return nil, err
	}
	kept := anyrows.Copy(rows)
	if known := s.start.Solved; known != nil && weights == nil && groups == nil {
		m, err := s.fromKnown(rest, known, kernel, kept, targets, own)
		if m != nil || err != nil {
			return m, err
		}
	}
	m := &machine{n: n, weights: weights, groups: groups, given: own, details: Details{Solver: Cholesky}}
	if s.iterates(n, s.groups != nil) {
		m.kernel, m.rows, m.options = kernel, kept, s.options
		return m, m.solveIteratively(rest, s, kernel, kept, targets)
	}
	err = m.solve(rest, s, func(ctx context.Context) (*mat.SymDense, error) { return s.matrix(ctx, kernel, kept) }, targets)
	if err != nil {
		return nil, err
	}
	// The factor takes n²/2 numbers, and the methods that use it may never be called.
	m.kernel, m.rows, m.options, m.factor = kernel, kept, s.options, nil
	return m, nil
}

// rows returns the rows of a fit or a prediction. They are sparse if the configured kernel accepts sparse rows.
func (s machineSettings) rows(x mat.Matrix) (mat.Matrix, error) {
	return anyrows.From("x", x, s.kernel != nil && kernels.TakesSparseRows(s.kernel))
}

// merge merges equal rows. If a search has already divided dense rows into parts without common rows, only rows of the same part
// are compared.
func (s machineSettings) merge(rows mat.Matrix, weights []float64) (*distinct.Rows, mat.Matrix) {
	if dense, ok := rows.(*mat.Dense); ok && s.start.Parts != nil {
		merged := distinct.MergeParts(dense, s.start.Parts, weights)
		return merged, merged.X
	}
	return anyrows.Merge(rows, weights)
}

// fromKnown returns the machine that a search has already solved, or nil if known is the solution of another system. To check this,
// it computes a few rows of the kernel matrix.
func (s machineSettings) fromKnown(ctx context.Context, known *loo.Solved, kernel kernels.Kernel, rows mat.Matrix, targets *mat.Dense,
	own givenRows) (*machine, error) {
	n, k := targets.Dims()
	if a, b := known.Alpha.Dims(); a != n || b != k || known.Ridge != s.ridge || !reflect.DeepEqual(known.Kernel, kernel) {
		return nil, nil
	}
	m := &machine{n: n, ridge: s.ridge, given: own, report: estimators.Report{Converged: true, Iterations: 1}, kernel: kernel, rows: rows,
		options: s.options, details: Details{Solver: Cholesky}}
	solution := *known.Solution
	solution.Bias = slices.Clone(solution.Bias)
	floats.Add(solution.Bias, known.Shift)
	var looked []int
	for i := range seen {
		looked = append(looked, i*(n-1)/(seen-1))
	}
	values, err := kernels.Cross(ctx, kernel, anyrows.Pick(rows, looked), rows, &s.options)
	if err != nil {
		return nil, err
	}
	var product mat.Dense
	fast.Mul(&product, values, solution.Alpha)
	scale := max(mat.Max(targets), -mat.Min(targets))
	for at, i := range looked {
		for j := range k {
			t := targets.At(i, j)
			if got := product.At(at, j) + s.ridge*solution.Alpha.At(i, j) + solution.Bias[j]; !(math.Abs(got-t) <= solves*scale) {
				return nil, nil
			}
		}
	}
	m.take(&solution)
	return m, m.finite(s.typ, targets)
}

const (
	seen   = 5    // rows of a known system that are checked
	solves = 1e-6 // tolerance, relative to the largest target
)

// matrix returns the kernel matrix. If the matrix is too large, the error names an estimator that needs none.
func (s machineSettings) matrix(ctx context.Context, kernel kernels.Kernel, rows mat.Matrix) (*mat.SymDense, error) {
	return kernels.Matrix(ctx, kernel, rows, &s.options)
}

// fitMatrix solves the system of the distinct rows of a kernel matrix that the caller has computed.
func fitMatrix(ctx context.Context, s machineSettings, k mat.Symmetric, targets *mat.Dense, weights []float64) (*machine, error) {
	if err := s.resumes(false); err != nil {
		return nil, err
	}
	m, targets, merged, err := newMatrixMachine(s, k, targets, weights)
	if err != nil {
		return nil, err
	}
	err = m.solve(ctx, s, func(ctx context.Context) (*mat.SymDense, error) { return merged.Kernel(k), ctx.Err() }, targets)
	switch {
	case err != nil:
		return nil, err
	case s.classify:
		m.factor = nil
	case m.factor == nil:
		m.matrix = packed(merged.Kernel(k))
	}
	return m, nil
}

// newMatrixMachine returns an unsolved machine for the distinct rows of a kernel matrix, the targets of these rows, and the rows
// themselves.
func newMatrixMachine(s machineSettings, k mat.Symmetric, targets *mat.Dense, weights []float64) (*machine, *mat.Dense, *distinct.Rows,
	error) {
	merged := distinct.MergeKernel(k, weights)
	groups, err := merged.Groups(s.groups, k.SymmetricDim())
	if err != nil {
		return nil, nil, nil, fault.AddName(s.typ, err)
	}
	m := &machine{n: merged.Len(), weights: merged.Weights, groups: groups, given: newGiven(merged, targets),
		details: Details{Solver: Cholesky}}
	m.given.first, m.given.n = merged.First, k.SymmetricDim()
	return m, merged.Mean(targets), merged, nil
}

// gram computes a kernel matrix.
type gram func(ctx context.Context) (*mat.SymDense, error)

// solve chooses the ridge and solves the system. gram computes the kernel matrix, which solve may overwrite.
func (m *machine) solve(ctx context.Context, s machineSettings, gram gram, targets *mat.Dense) error {
	n := m.n
	m.ridge, m.report = givenRidge(s.ridge, s.rule, n), estimators.Report{Converged: true, Iterations: 1}
	if s.ridge == 0 {
		m.ridge *= m.meanWeight()
	}
	if m.ridge == 0 {
		solved, err := m.choose(ctx, s, gram, targets)
		if err != nil {
			return err
		}
		if solved != nil {
			m.take(solved)
			return m.finite(s.typ, targets)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	last := 0.
	if s.classify || n == 1 {
		last = 1
	}
	parts := progress.Parts(ctx, .4, 1, .1, last)
	k, err := gram(parts[0])
	if err != nil {
		return err
	}
	if m.factor, err = m.factorise(parts[1], k); err != nil {
		return err
	}
	if m.report.Jitter = m.factor.Jitter(); m.report.Jitter > 0 {
		m.report.Warnings = append(m.report.Warnings,
			fmt.Sprintf("the kernel matrix was singular to rounding: %.2g was added to its diagonal",
				m.report.Jitter))
	}
	if err := m.solveBy(parts[2], m.factor, targets); err != nil {
		return err
	}
	if s.classify || n == 1 {
		if m.left, err = m.leaveOut(parts[3], m.factor); err != nil {
			return err
		}
		m.report.Objective = m.left.press
	} else {
		for i, t := range targets.RawMatrix().Data {
			m.report.Objective += t * m.alpha.RawMatrix().Data[i] / 2
		}
	}
	return m.finite(s.typ, targets)
}

// choose sets the ridge to the one with the smallest leave-one-out error, and returns its machine. It returns nil if the machine
// needs a factor with jitter.
func (m *machine) choose(ctx context.Context, s machineSettings, gram gram, targets *mat.Dense) (*loo.Solution, error) {
	first, rest := progress.Two(ctx, 1, 10)
	k, err := gram(first)
	if err != nil {
		return nil, err
	}
	steps := progress.NewSteps(ctx, m.mostEvaluations())
	best, solved, err := m.search(rest, k, targets, s.start.Near, s.options.Workers, func(_ int, ridge, objective float64) {
		steps.Next(objective, "ridge %.3g", ridge)
	})
	if err != nil {
		return nil, err
	}
	m.ridge, m.report.Iterations, m.details.Ridges = best.Ridge, best.Evaluations, best.Evaluations
	if w := best.Warning(); w != "" {
		m.report.Warnings = append(m.report.Warnings, w)
	}
	if best.Ridge == 0 {
		m.ridge = HeuristicRidge(m.n) * m.meanWeight()
		return nil, nil
	}
	return solved, nil
}

// allRidgesUpTo is the number of rows up to which all ridges are evaluated, with one reduction of the kernel matrix. With more
// rows, few ridges are evaluated, each with a factor. With simdblas on two cores, few ridges took .65 of the processor time of all
// ridges at 1000 and 1500 rows, .6 at 2000 and .27 at 3000. Below 1500 rows they save less than a quarter of a second, and the
// sample that begins the search locates the minima less reliably. It is a variable for tests.
var allRidgesUpTo = 1500

// fewEvaluations reports whether only few ridges are evaluated. With groups all ridges are evaluated, because each group needs a part of
// M⁻¹.
func (m *machine) fewEvaluations() bool { return m.n > allRidgesUpTo && m.groups == nil }

// mostEvaluations returns the largest number of ridges that a search evaluates.
func (m *machine) mostEvaluations() int {
	if m.fewEvaluations() {
		return loo.MaxFewEvaluations
	}
	return loo.MaxEvaluations
}

// search returns the ridge with the smallest leave-one-out error, and its machine if it was computed. It overwrites k.
func (m *machine) search(
	ctx context.Context, k *mat.SymDense, targets *mat.Dense, near float64, workers int, observe func(int, float64, float64),
) (loo.Minimum, *loo.Solution, error) {
	if m.fewEvaluations() {
		return loo.SearchFew(ctx, k, targets, m.weights, near, workers, observe)
	}
	reduction, evaluations := progress.Two(ctx, 3, 1)
	problem, err := loo.New(reduction, k, targets, m.weights, workers)
	if err != nil {
		return loo.Minimum{}, nil, err
	}
	problem.LeaveGroupsOut(m.groups)
	best, err := problem.Search(evaluations, observe)
	if err != nil || best.Ridge == 0 {
		return best, nil, err
	}
	solved, err := problem.Solve(ctx, best.Ridge)
	return best, solved, err
}

// take sets the solution and the leave-one-out results of the machine from a solution that the search computed.
func (m *machine) take(solved *loo.Solution) {
	m.alpha, m.bias, m.eta = solved.Alpha, solved.Bias, solved.Eta
	m.left = m.leftOut(solved)
	m.report.Objective = m.left.press
}

// solveBy solves the system with a factor of M. It returns the error of ctx.
func (m *machine) solveBy(ctx context.Context, chol *linalg.Cholesky, targets *mat.Dense) error {
	n, k := targets.Dims()
	b := mat.NewDense(n, 1+k, nil) // first [1 | t], then [η | ν]
	for i := range n {
		row := b.RawRowView(i)
		row[0] = 1
		copy(row[1:], targets.RawRowView(i))
	}
	if err := chol.Solve(ctx, b); err != nil {
		return err
	}
	m.eta = mat.Col(nil, 0, b)
	etaSum := vecmath.Sum(m.eta)
	m.bias, m.alpha = make([]float64, k), mat.NewDense(n, k, nil)
	for j := range k {
		nu := mat.Col(nil, j+1, b)
		m.bias[j] = vecmath.Sum(nu) / etaSum
		floats.AddScaled(nu, -m.bias[j], m.eta)
		m.alpha.SetCol(j, nu)
	}
	return ctx.Err()
}

// factorise returns the factor of M for the kernel matrix k, and overwrites k.
func (m *machine) factorise(ctx context.Context, k *mat.SymDense) (*linalg.Cholesky, error) {
	for i := range m.n {
		k.SetSym(i, i, k.At(i, i)+m.ridge/weights.Weight(m.weights, i))
	}
	return linalg.NewCholesky(ctx, "K + ridge", k)
}

// finite returns an error if the input numbers are so large that the solution is not finite, or that squares computed from the
// residuals are not finite.
func (m *machine) finite(typ string, targets *mat.Dense) error {
	total := m.report.Objective + vecmath.Sum(m.bias) + vecmath.Sum(m.eta) + sumOfSquares(targets) + sumOfSquares(m.alpha)
	if m.left != nil && m.left.residuals != nil {
		total += vecmath.Sum(m.left.scales) + mat.Sum(m.left.residuals)
	}
	if total-total != 0 {
		return fmt.Errorf("%s: the targets or the kernel's values are too large, their squares overflow: %w", typ, fault.ErrNotFinite)
	}
	return nil
}

func sumOfSquares(m *mat.Dense) (s float64) {
	for _, v := range m.RawMatrix().Data {
		s += v * v
	}
	return s
}

func (m *machine) chosenKernel() kernels.Kernel {
	if m == nil {
		return nil
	}
	return m.kernel
}

func (m *machine) chosenRidge() float64 {
	if m == nil {
		return 0
	}
	return m.ridge
}

// copiedDetails returns the Details of the last fit, or the zero Details before any fit.
func (m *machine) copiedDetails() Details {
	if m == nil {
		return Details{}
	}
	return m.details
}

// copiedReport returns the Report of the last fit, or the zero Report before any fit.
func (m *machine) copiedReport() estimators.Report {
	if m == nil {
		return estimators.Report{}
	}
	return m.report.Clone()
}
