package svm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
)

// The defaults of Classifier and Regressor.
const (
	// defaultTolerance is the largest m - M of a solution, in the units of the targets (which are ±1 for classes).
	defaultTolerance = 1e-3
	// defaultMaxIterations is the largest number of steps of each machine.
	defaultMaxIterations = 10_000_000
	// defaultCacheBytes is the memory for kernel values. With up to 8192 rows, the complete matrix fits into 512 MiB.
	defaultCacheBytes = 512 << 20
)

// machineSettings holds the configuration that Classifier and Regressor share.
type machineSettings struct {
	typ           string
	config        any            // the Regressor, Classifier or OneClass with these settings
	kernel        kernels.Kernel // nil for MedianRBF of the training rows
	c, epsilon    float64        // 0 until they are chosen
	nu            float64        // 0 for none
	tolerance     float64
	tolerated     bool // tolerance is the default
	maxIterations int
	noShrinking   bool
	seed          uint64
	workers       int
	cacheBytes    int64
	warnings      []string
}

// withDefaults checks the settings, and replaces zeros by the defaults that do not depend on the data.
func (s machineSettings) withDefaults() (machineSettings, error) {
	if err := settings.Check(s.typ, s.config); err != nil {
		return s, err
	}
	s.tolerated = s.tolerance == 0
	s.tolerance = cmp.Or(s.tolerance, defaultTolerance)
	s.maxIterations = cmp.Or(s.maxIterations, defaultMaxIterations)
	s.cacheBytes = cmp.Or(s.cacheBytes, defaultCacheBytes)
	return s, nil
}

// bound returns C times the weight of a row, limited to positive finite numbers.
func (s machineSettings) bound(weight float64) float64 {
	return min(max(s.c*weight, math.SmallestNonzeroFloat64), math.MaxFloat64)
}

// sourceOf returns the kernel and a source of kernel values for the rows of x. If the complete kernel matrix fits into the cache,
// the source holds it.
func (s machineSettings) sourceOf(ctx context.Context, x *mat.Dense) (kernels.Kernel, smo.Source, error) {
	kernel, err := kernels.OrMedianRBF(ctx, s.kernel, x, s.seed)
	if err != nil {
		return nil, nil, err
	}
	n, _ := x.Dims()
	if 8*float64(n)*float64(n) > float64(s.cacheBytes) {
		return kernel, smo.EvaluateKernel(kernel, x, s.workers), ctx.Err()
	}
	k, err := kernels.Matrix(ctx, kernel, x, &kernels.Options{Workers: s.workers, MaxBytes: s.cacheBytes})
	if err != nil {
		return nil, nil, err
	}
	return kernel, smo.TakeMatrix(k), nil
}

// task is a problem, with a function that receives its solution.
type task struct {
	problem smo.Problem
	done    func(ctx context.Context, s smo.Solution) error
}

// solveAll solves independent problems in parallel.
func (s machineSettings) solveAll(ctx context.Context, src smo.Source, tasks []task) error {
	workers := max(1, min(parallel.Workers(s.workers), len(tasks)))
	var mu sync.Mutex
	iterations := make([]int, len(tasks))
	objectives := make([]float64, len(tasks))
	var sum progress.Step
	watched := progress.Watched(ctx)
	progress.Counts(ctx)
	return parallel.ForEachPart(ctx, s.workers, len(tasks), func(ctx context.Context, t int) error {
		c := smo.Control{
			Tolerance: s.tolerance, MaxIterations: s.maxIterations, Shrinking: !s.noShrinking,
			CacheBytes: (s.cacheBytes - src.Bytes()) / int64(workers),
		}
		if watched {
			c.Observe = func(iteration int, objective float64) {
				mu.Lock()
				defer mu.Unlock()
				sum.Iteration += iteration - iterations[t]
				sum.Objective += objective - objectives[t]
				iterations[t], objectives[t] = iteration, objective
				sum.Message = fmt.Sprintf("machine %d of %d", t+1, len(tasks))
				progress.Tell(ctx, sum)
			}
		}
		out, err := smo.Solve(ctx, src, tasks[t].problem, c)
		if err != nil {
			return err
		}
		return tasks[t].done(ctx, out)
	})
}

// solveSingle solves a single problem.
func (s machineSettings) solveSingle(ctx context.Context, src smo.Source, p smo.Problem) (found smo.Solution, err error) {
	err = s.solveAll(ctx, src, []task{{p, func(_ context.Context, sol smo.Solution) error { found = sol; return nil }}})
	return found, err
}

// machine holds one or more fitted machines with common support vectors.
type machine struct {
	kernel     kernels.Kernel // nil after FitMatrix
	width      int            // number of columns of x, or of the kernel matrix
	indices    []int          // the training rows of the support vectors, ascending
	vectors    *mat.Dense     // s×d; nil after FitMatrix and if s is 0
	coef       *coefficients  // for p machines; nil if s is 0
	c, epsilon float64        // of all machines
	intercepts []float64      // p
	report     estimators.Report
}

// newMachine returns the machine with the given solutions of problems for some of the rows. For a kernel matrix, rows.x is nil.
func newMachine(
	s machineSettings, kernel kernels.Kernel, rows *fitRows, problems []smo.Problem, solutions []smo.Solution,
) (*machine, error) {
	n := rows.given
	if rows.first != nil {
		n = len(rows.first)
	}
	m := &machine{kernel: kernel, width: rows.given, c: s.c, epsilon: s.epsilon,
		report: estimators.Report{Converged: true, Warnings: s.warnings}}
	used := make([]bool, n)
	for p, sol := range solutions {
		for k, b := range sol.Beta {
			used[problems[p].Rows[k]] = used[problems[p].Rows[k]] || b != 0
		}
	}
	position := make([]int, n)
	for i, u := range used {
		if u {
			position[i] = len(m.indices)
			m.indices = append(m.indices, i)
		}
	}
	var entries coefficients
	entries.starts = append(entries.starts, 0)
	total, failed, gap := 0.0, 0, 0.0
	for p, sol := range solutions {
		m.intercepts = append(m.intercepts, sol.Intercept)
		m.report.Iterations += sol.Iterations
		m.report.Objective += sol.Objective
		total += sol.Intercept
		if !sol.Converged {
			failed++
			gap = max(gap, sol.Gap)
		}
		for k, b := range sol.Beta {
			if b != 0 { // the rows of a problem are ascending
				entries.at, entries.values = append(entries.at, position[problems[p].Rows[k]]), append(entries.values, b)
				total += b
			}
		}
		entries.starts = append(entries.starts, len(entries.at))
	}
	if len(m.indices) > 0 {
		entries.ready(len(m.indices))
		m.coef = &entries
	}
	if total += m.report.Objective; total-total != 0 {
		return nil, fmt.Errorf("%s: the targets, C or the kernel's values are too large, their products overflow: %w", s.typ,
			fault.ErrNotFinite)
	}
	if failed > 0 {
		m.report.Converged = false
		m.report.Warnings = append(m.report.Warnings, fmt.Sprintf(
			"%d of %d machines ended %.2g from optimality, Tolerance is %.2g: a lower C or features of comparable scale would help, or "+
				"more of "+
				"MaxIterations", failed, len(solutions), gap, s.tolerance))
	}
	if rows.x != nil {
		_, m.width = rows.x.Dims()
		if len(m.indices) > 0 {
			m.vectors = linalg.Rows(rows.x, m.indices)
		}
	}
	if rows.first != nil {
		for i, at := range m.indices {
			m.indices[i] = rows.first[at]
		}
	}
	return m, nil
}

const (
	// predictChunk is the number of rows that are predicted at a time. With s support vectors, it limits the memory of a prediction
	// to predictChunk × s.
	predictChunk = 512
	// mostDecisions is the largest number of decision values that are computed at a time, if only values for classes are computed
	// from them.
	mostDecisions = 1 << 22
)

// visit is a function that receives the decision values f (r×p) of some of n rows. The first of these rows is row first. f is
// overwritten after the call.
type visit func(n, first int, f *mat.Dense) error

// visited is a function that calls v with the decision values of all its rows, block by block.
type visited func(v visit) error

// ofRows returns a function that visits the decision values of the rows of x.
func (m *machine) ofRows(typ string, x mat.Matrix, workers int) visited {
	return func(v visit) error { return m.decide(typ, x, workers, v) }
}

// ofValues returns a function that visits the decision values of rows with the kernel values k.
func (m *machine) ofValues(typ string, k mat.Matrix) visited {
	return func(v visit) error { return m.decideMatrix(typ, k, v) }
}

// single returns the decision values of the only machine.
func (m *machine) single(typ string, values visited) ([]float64, error) {
	f, err := m.decisions(typ, values)
	if err != nil {
		return nil, err
	}
	return mat.Col(nil, 0, f), nil
}

// decisions returns all decision values that the function values visits.
func (m *machine) decisions(typ string, values visited) (*mat.Dense, error) {
	var out *mat.Dense
	err := values(func(n, first int, f *mat.Dense) error {
		r, p := f.Dims()
		if out == nil {
			if err := check.Numbers(fmt.Sprintf("%s: decision values of %d rows for %d pairs of classes", typ, n, p), float64(n)*float64(p),
				"take fewer rows at a time"); err != nil {
				return err
			}
			out = mat.NewDense(n, p, nil)
		}
		out.Slice(first, first+r, 0, p).(*mat.Dense).Copy(f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// decide visits the decision values of all machines for the rows of x.
func (m *machine) decide(typ string, x mat.Matrix, workers int, v visit) error {
	if m == nil {
		return fault.NotFitted(typ)
	}
	if m.kernel == nil {
		return &fault.NotFittedError{Type: typ + ": fitted on a matrix: use the methods that end in Matrix"}
	}
	xd, err := check.Wide("x", x, m.width)
	if err != nil {
		return err
	}
	if m.coef == nil {
		return m.chunks(xd, nil, v)
	}
	prepared, err := kernels.Prepare(context.Background(), m.kernel, m.vectors, &kernels.Options{Workers: workers})
	if err != nil {
		return err
	}
	k := &mat.Dense{}
	return m.chunks(xd, func(part *mat.Dense) (*mat.Dense, error) {
		if r, _ := part.Dims(); r < predictChunk {
			k.Reset() // the last block
		}
		return k, prepared.CrossTo(context.Background(), k, part)
	}, v)
}

// decideMatrix is like decide, for kernel values between new rows and training rows.
func (m *machine) decideMatrix(typ string, k mat.Matrix, v visit) error {
	if m == nil {
		return fault.NotFitted(typ)
	}
	if m.kernel != nil {
		return &fault.NotFittedError{Type: typ + ": fitted on rows: use the methods that do not end in Matrix, or FitMatrix"}
	}
	kd, err := check.Wide("K", k, m.width)
	if err != nil {
		return err
	}
	return m.chunks(kd, func(part *mat.Dense) (*mat.Dense, error) {
		r, _ := part.Dims()
		out := mat.NewDense(r, len(m.indices), nil)
		for i := range r {
			to, from := out.RawRowView(i), part.RawRowView(i)
			for j, v := range m.indices {
				to[j] = from[v]
			}
		}
		return out, nil
	}, v)
}

// chunks calls v with the decision values of the rows of x, block by block. The function values returns the kernel values of rows
// with the support vectors. It is not called if there are no support vectors.
func (m *machine) chunks(x *mat.Dense, values func(part *mat.Dense) (*mat.Dense, error), v visit) error {
	n, d := x.Dims()
	p := len(m.intercepts)
	most := min(n, predictChunk, max(1, mostDecisions/p))
	memory := mat.NewDense(most, p, nil)
	for i := 0; i < n; i += predictChunk {
		r := min(predictChunk, n-i)
		var k *mat.Dense
		if m.coef != nil {
			var err error
			if k, err = values(x.Slice(i, i+r, 0, d).(*mat.Dense)); err != nil {
				return err
			}
		}
		for from := 0; from < r; from += most {
			rows := min(most, r-from)
			f := memory.Slice(0, rows, 0, p).(*mat.Dense)
			if m.coef == nil {
				f.Zero()
			} else {
				m.coef.product(f, k.Slice(from, from+rows, 0, len(m.indices)).(*mat.Dense))
			}
			for row := range rows {
				to := f.RawRowView(row)
				for j, b := range m.intercepts {
					to[j] += b
				}
			}
			if err := v(n, i+from, f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *machine) supportIndices() []int {
	if m == nil {
		return nil
	}
	return slices.Clone(m.indices)
}

func (m *machine) supportVectors() *mat.Dense {
	if m == nil || m.vectors == nil {
		return nil
	}
	return mat.DenseCopyOf(m.vectors)
}

// coefficients returns the coefficients of machine p, and the numbers of their support vectors.
func (m *machine) coefficients(p int) (at []int, values []float64) {
	if m == nil || m.coef == nil {
		return nil, nil
	}
	at, values = m.coef.machine(p)
	return slices.Clone(at), slices.Clone(values)
}

// intercept returns the intercept of the only machine.
func (m *machine) intercept() float64 {
	if m == nil {
		return 0
	}
	return m.intercepts[0]
}

func (m *machine) chosenC() float64 {
	if m == nil {
		return 0
	}
	return m.c
}

func (m *machine) chosenKernel() kernels.Kernel {
	if m == nil {
		return nil
	}
	return m.kernel
}

func (m *machine) copiedReport() estimators.Report {
	if m == nil {
		return estimators.Report{}
	}
	return m.report.Clone()
}

// row sets out to the decision values for the row x.
func (m *machine) row(out, x []float64) {
	copy(out, m.intercepts)
	if m.coef == nil {
		return
	}
	p := rowwise.Scratch(len(m.indices))
	defer rowwise.Release(p)
	kernels.Row(*p, m.kernel, x, m.vectors)
	m.coef.add(out, *p)
}

// rowWidth returns the number of columns that row expects, or 0 if there is no kernel.
func (m *machine) rowWidth() int {
	if m == nil || m.kernel == nil {
		return 0
	}
	return m.width
}
