package lssvm

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/fullsystem"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
)

// Solver is a method that solves the linear system with all rows.
type Solver int

// These are the solvers.
const (
	// Automatic selects Cholesky for up to 8000 distinct rows and with Groups, and [ConjugateGradients] for more rows. From 1000
	// rows on, it also selects [ConjugateGradients] if a factor does not fit into MaxKernelBytes. Automatic is the default.
	Automatic Solver = iota
	// Cholesky factors the system. It costs O(n³). The solution is exact up to rounding, and so is leave-one-out.
	Cholesky
	// ConjugateGradients solves the system iteratively, preconditioned by a partial Cholesky factor. An iteration costs O(n²). For
	// up to 1000 rows, Cholesky is used instead, because it then costs less. Groups are not supported.
	ConjugateGradients
)

// String returns the solver's name.
func (s Solver) String() string {
	return enum.Name("Solver", int(s), "Automatic", "Cholesky", "ConjugateGradients")
}

const (
	// classTolerance is the tolerance for decision values, in standard deviations of their leave-one-out values. A change within it
	// changes probabilities by less than 0.01.
	classTolerance = 0.03
	// leastToIterate is the number of rows up to which ConjugateGradients factors the system.
	leastToIterate = 1000
	// mostToFactor is the number of rows up to which Automatic factors the system. At about this number the search for the ridge
	// takes equally long with both solvers.
	mostToFactor = 8000
	// mostToIterate is the largest number of rows that Automatic accepts. If the matrix is not kept, a pass over more rows takes
	// minutes.
	mostToIterate = 200_000
)

// iterates reports whether the system of n distinct rows is solved by conjugate gradients.
func (s machineSettings) iterates(n int, grouped bool) bool {
	switch s.solver {
	case ConjugateGradients:
		return n > leastToIterate
	case Automatic:
		return !grouped && (n > mostToFactor || n > leastToIterate && s.holdsFactor(n) != nil)
	}
	return false
}

// holdsFactor returns ErrTooLarge if the kernel matrix for this number of rows exceeds the limit.
func (s machineSettings) holdsFactor(rows int) error {
	n := float64(rows)
	err := check.BytesWithin(fmt.Sprintf("a kernel matrix of %d×%d", rows, rows), 8*n*n, cmp.Or(s.options.MaxBytes, kernels.MaxKernelBytes),
		"use package falkon, which fits any number of rows on landmarks, or raise MaxKernelBytes")
	return fault.AddName(s.typ, err)
}

// holds returns ErrTooLarge if there are too many rows.
func (s machineSettings) holds(rows int) error {
	if !s.iterates(rows, s.groups != nil) {
		return s.holdsFactor(rows)
	}
	if s.solver == Automatic && rows > mostToIterate {
		return &fault.TooLargeError{What: fmt.Sprintf("%s: the system of %d rows", s.typ, rows), Bytes: 2 * int64(rows) * int64(rows),
			Limit: 2 * mostToIterate * mostToIterate,
			Hint: fmt.Sprintf("the default Solver takes up to %d rows: set Solver to ConjugateGradients, or use package falkon",
				mostToIterate)}
	}
	return s.iteration(nil).Holds(rows)
}

// resumes returns ErrParam if there is a state to resume from that cannot be used: the system is not solved by conjugate gradients,
// or the state is empty or has another ridge.
func (s machineSettings) resumes(iterates bool) error {
	switch {
	case s.resume == nil:
		return nil
	case !iterates:
		return fault.Param(s.typ, "Resume", fmt.Sprintf("a State after %d iterations", s.resume.Iteration),
			"nil for a system that is factored: see Details")
	case s.resume.at == nil || s.ridge != 0 && s.ridge != s.resume.at.Ridge:
		return fault.Param(s.typ, "Resume", fmt.Sprintf("a State of ridge %v", s.resume.Ridge),
			"one of a Fit of the same configuration and rows")
	}
	return nil
}

// iteration returns the settings for conjugate gradients.
func (s machineSettings) iteration(steps *progress.Steps) fullsystem.Settings {
	out := fullsystem.Settings{Type: s.typ, Seed: s.seed, Workers: s.options.Workers, MaxBytes: s.options.MaxBytes, Steps: steps}
	if s.classify {
		out.Tolerance = classTolerance
	}
	return out
}

// Details describes how the linear system was solved, in more detail than Report.
type Details struct {
	// Solver is [Cholesky] or [ConjugateGradients].
	Solver Solver

	// Rank is the rank of the preconditioner of conjugate gradients.
	Rank int

	// Ridges is the number of ridges that leave-one-out compared. With more than 16 000 rows they are compared on 8000 rows. It is
	// 0 if the ridge is set.
	Ridges int

	// Error estimates the change of the leave-one-out residuals that further iterations would cause, relative to their norm.
	Error float64

	// Storage is the precision of the stored kernel matrix: "float32", "float32 with float64 refinement" or "float64". If the
	// matrix did not fit into memory, Storage includes the stored share, as in "float32, 20% of it kept", and the remainder was
	// computed in each pass. After Cholesky, Storage is empty.
	Storage string
}

// solveIteratively solves the system by conjugate gradients, and chooses the ridge if it is not set.
func (m *machine) solveIteratively(ctx context.Context, s machineSettings, kernel kernels.Kernel, rows mat.Matrix,
	targets *mat.Dense) error {
	steps := progress.NewSteps(ctx, 0)
	first, second, last := threeParts(ctx)
	m.ridge = givenRidge(s.ridge, s.rule, m.n)
	if s.ridge == 0 {
		m.ridge *= m.meanWeight()
	}
	if s.resume != nil {
		m.ridge, m.details.Ridges = s.resume.at.Ridge, s.resume.ridges
	}
	observe := func(ridge, objective float64) {
		m.details.Ridges++
		steps.Next(objective, "ridge %.3g", ridge)
	}
	start, sketched := m.ridge, targets
	if start == 0 {
		sketched = sketch(targets, s.seed)
		choosing, preparing := progress.Two(first, 9, 1)
		var err error
		if start, err = m.startRidge(choosing, s, kernel, rows, sketched, steps, observe); err != nil {
			return err
		}
		if first = preparing; m.n > searchedFrom {
			m.ridge = start
		}
	}
	own := s.iteration(steps)
	if s.resume != nil {
		own.Resume = s.resume.at
	}
	if s.checkpoint != nil && m.ridge != 0 { // the preconditioner of a search differs from that of a fit with a fixed ridge
		own.Checkpoint = func(at *fullsystem.State) { s.checkpoint(newState(at, m.details.Ridges)) }
	}
	problem, err := fullsystem.NewProblem(first, own, kernel, rows, sketched, m.weights)
	if err != nil {
		return err
	}
	var solved *fullsystem.Solution
	var report fullsystem.Report
	if m.ridge == 0 {
		solving := second
		if sketched != targets {
			solving, second = progress.Two(second, 2, 1)
		}
		if solved, report, err = problem.Search(solving, start, observe); err != nil {
			return err
		}
		m.ridge = solved.Ridge
	}
	if solved == nil || sketched != targets {
		problem.SetTargets(targets)
		var all []*fullsystem.Solution
		if all, report, err = problem.Solve(second, []float64{m.ridge}); err == nil {
			solved = all[0]
		}
	}
	if err != nil {
		return err
	}
	given := m.details.Ridges == 0
	m.ridge = solved.Ridge
	m.details = Details{Solver: ConjugateGradients, Rank: report.Rank, Ridges: m.details.Ridges, Error: solved.Error,
		Storage: report.Entries()}
	m.report = estimators.Report{Converged: solved.Converged, Iterations: report.Iterations, Warnings: report.Warnings}
	m.take(&solved.Solution)
	if !s.classify {
		if m.posterior, err = problem.Posterior(last, solved); err != nil {
			return err
		}
		m.waiting.completed = true
	}
	m.left.press = solved.Score + vecmath.Sum(m.given.within)
	if m.report.Objective = m.left.press; given && !s.classify {
		m.report.Objective = 0
		for i, t := range targets.RawMatrix().Data {
			m.report.Objective += t * m.alpha.RawMatrix().Data[i] / 2
		}
	}
	return m.finite(s.typ, targets)
}

// threeParts returns the contexts for the choice of the first ridge, the solution, and the variance.
func threeParts(ctx context.Context) (first, second, third context.Context) {
	parts := progress.Parts(ctx, 1, 10, 1)
	return parts[0], parts[1], parts[2]
}

const (
	// mostToStart is the number of rows in the sample for the first ridge of a search.
	mostToStart = 1000
	// With more than searchedFrom rows, the search uses searchedRows of them. The best ridge hardly changes with more rows.
	searchedFrom, searchedRows = 16_000, 8000
	// startStream and sketchStream are the streams "start" and "sketch".
	startStream, sketchStream = 0x7374617274, 0x736b65746368
)

// mostSearched is the largest number of targets in a search for the ridge.
const mostSearched = 4

// sketch returns a few sums of the targets with random signs, or the targets themselves if there are few. The expected squared
// error of such a sum is the sum of the squared errors of all targets.
func sketch(targets *mat.Dense, seed uint64) *mat.Dense {
	n, k := targets.Dims()
	if k <= mostSearched {
		return targets
	}
	random := rand.New(rand.NewPCG(seed, sketchStream))
	signs := mat.NewDense(k, mostSearched, nil)
	for j := range k {
		for c := range mostSearched {
			signs.Set(j, c, 2*float64(random.IntN(2))-1)
		}
	}
	out := mat.NewDense(n, mostSearched, nil)
	out.Mul(targets, signs)
	return out
}

// startRidge returns the ridge with the smallest leave-one-out error. If the later search uses all rows, the error is computed on a
// sample. Otherwise startRidge searches on the searchedRows itself.
func (m *machine) startRidge(ctx context.Context, s machineSettings, kernel kernels.Kernel, rows mat.Matrix, targets *mat.Dense,
	steps *progress.Steps, observe func(ridge, objective float64)) (float64, error) {
	first, second := progress.Two(ctx, 1, 9)
	order := rand.New(rand.NewPCG(s.seed, startStream)).Perm(m.n)
	start := s.start.Near
	if start == 0 {
		drawn := slices.Sorted(slices.Values(order[:min(m.n, mostToStart)]))
		k, err := s.matrix(progress.Silent(first), kernel, anyrows.Pick(rows, drawn))
		if err != nil {
			return 0, err
		}
		sample, err := loo.New(first, k, linalg.Rows(targets, drawn), linalg.Pick(m.weights, drawn), s.options.Workers)
		if err != nil {
			return 0, err
		}
		best, err := sample.Search(first, func(int, float64, float64) {})
		if err != nil {
			return 0, err
		}
		start = cmp.Or(best.Ridge, HeuristicRidge(m.n)*m.meanWeight())
	}
	if m.n <= searchedFrom {
		return start, nil
	}
	drawn := slices.Sorted(slices.Values(order[:searchedRows]))
	problem, err := fullsystem.NewProblem(second, s.iteration(steps), kernel, anyrows.Pick(rows, drawn), linalg.Rows(targets, drawn),
		linalg.Pick(m.weights, drawn))
	if err != nil {
		return 0, err
	}
	solved, _, err := problem.Search(second, start, observe)
	if err != nil {
		return 0, err
	}
	return solved.Ridge, nil
}

// posteriorVariance returns the variances of the function without those of b, in units of s².
func (m *machine) posteriorVariance(ctx context.Context, k *mat.Dense, diag []float64) ([]float64, error) {
	m.waiting.mu.Lock()
	if !m.waiting.completed {
		if err := m.posterior.Complete(ctx, m.kernel, m.rows, m.weights, m.ridge, m.options.Workers); err != nil {
			m.waiting.mu.Unlock()
			return nil, err
		}
		m.waiting.completed = true
	}
	m.waiting.mu.Unlock()
	return m.posterior.Variances(ctx, k, diag)
}
