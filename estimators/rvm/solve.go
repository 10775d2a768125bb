package rvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// interceptKind is how a regression has a constant term.
type interceptKind int

const (
	flatIntercept interceptKind = iota
	ardIntercept
	noIntercept
)

// task is a regression on a design matrix, as the fields of Regressor ask for it.
type task struct {
	design
	weights.Counts
	y         []float64
	intercept interceptKind
	noise     float64 // variance; 0: estimated
	allIn     int
	starts    []start
	bytes     int64
	workers   int
	steps     *progress.Steps
	groups    [][]int // of rows that the refits leave out together; those in none are left out alone
}

// solution is a fitted model in the units of the targets and of the columns as they
// are.
type solution struct {
	indices      []int // columns; m is that of ones
	coefficients []float64
	alphas       []float64
	cov          *mat.SymDense // nil without members
	means        []float64     // of the members' columns; 0 unless the intercept has a flat prior
	intercept    float64
	noise        float64 // variance
	spread       float64 // 1/N for an intercept of flat prior, else 0: what the intercept adds, in units of noise
	evidence     float64
	report       estimators.Report
	start        start // from which the climb began
}

// start is where a climb begins: the empty model at a noise, which is given as a part of the targets'
// variance, or for 0 all columns.
type start float64

const allColumns start = 0

// make returns the state that it stands for, and for how many actions the noise is left alone.
func (s start) make(ctx context.Context, p *designProblem) (st *state, hold int, err error) {
	if s == allColumns {
		st, err = startFull(ctx, p)
		return st, 0, err
	}
	return startEmpty(p, float64(s)), noiseHold, nil
}

func (k task) solve(ctx context.Context) (*solution, error) {
	scale := scaleOf(k.y)
	if scale == 0 || constant(k.y) && k.intercept != ardIntercept || k.n == 1 && k.intercept == flatIntercept {
		return k.trivial(), ctx.Err()
	}
	if k.intercept == flatIntercept && !(k.Total > 1+1e-9) { // normalised weights sum to 1 but for rounding
		return nil, fault.Param(regressorType, "sum of the weights", k.Total, "> 1: they count rows")
	}
	m := k.m
	if k.intercept == ardIntercept {
		m++
	}
	// The basis and its products are matrix products, the climb takes about as long as they do; see Cost in the package's documentation.
	parts := progress.Parts(ctx, 1, 2, .2, 6, .2)
	b, err := newBasis(parts[0], k.raw, k.Counts, k.n, m, k.intercept == flatIntercept, k.intercept == ardIntercept, k.bytes, k.workers)
	if err != nil {
		return nil, err
	}
	if err := b.products(parts[1], k.bytes); err != nil {
		return nil, err
	}
	p, mean, err := newProblem(parts[2], b, k.y, k.intercept == flatIntercept, scale, k.noise, k.workers)
	if err != nil {
		return nil, err
	}
	best, converged, actions, err := k.search(parts[3], p)
	if err != nil {
		return nil, err
	}
	return k.unscale(parts[4], best, scale, mean, converged, actions)
}

// search climbs from every start and returns the model of the highest evidence.
func (k task) search(ctx context.Context, p *designProblem) (best *state, converged bool, actions int, err error) {
	starts := k.starts
	if p.b.m <= k.allIn {
		starts = append(slices.Clip(starts), allColumns)
	}
	states, done := make([]*state, len(starts)), make([]bool, len(starts))
	// All at once even on fewer processors, which then share them: three starts that take two
	// processors in turn would leave one idle for the last.
	workers := k.workers
	if workers <= 0 {
		workers = len(starts)
	}
	err = parallel.ForEachPart(ctx, workers, len(starts), func(ctx context.Context, i int) error {
		first, rest := progress.Two(ctx, 1, 4)
		st, hold, err := starts[i].make(first, p)
		if err != nil {
			return err
		}
		st.start, states[i] = starts[i], st
		done[i], err = st.climb(rest, hold, k.steps)
		return err
	})
	if err != nil {
		return nil, false, 0, err
	}
	at := 0
	for i, st := range states {
		actions += st.actions
		if st.lev > states[at].lev {
			at = i
		}
	}
	return states[at], done[at], actions, nil
}

// unscale takes a state to the units of the targets and of the columns.
func (k task) unscale(ctx context.Context, st *state, scale, mean float64, converged bool, actions int) (*solution, error) {
	size := len(st.active)
	out := &solution{
		indices: make([]int, size), coefficients: make([]float64, size), alphas: make([]float64, size), means: make([]float64, size),
		noise: scale * scale / st.beta, evidence: st.lev - st.dof*math.Log(scale), start: st.start,
	}
	if k.intercept == flatIntercept {
		out.intercept, out.spread = mean, 1/k.Total
	}
	order := make([]int, size) // members by column
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(st.active[a], st.active[b]) })
	var sigma *mat.SymDense
	if size > 0 {
		chol, err := linalg.NewCholesky(ctx, "posterior precision", st.hessian(st.alpha, st.beta, nil))
		if err != nil {
			return nil, err
		}
		if sigma, err = chol.Inverse(ctx); err != nil {
			return nil, err
		}
		out.cov = mat.NewSymDense(size, nil)
	}
	for i, a := range order {
		j := st.active[a]
		norm := st.b.norms[j]
		out.indices[i], out.means[i] = j, st.b.means[j]
		out.coefficients[i] = scale * st.mu[a] / norm
		out.alphas[i] = st.alpha[a] * norm / scale * norm / scale
		out.intercept -= out.coefficients[i] * out.means[i]
		for l := i; l < size; l++ {
			c := order[l]
			out.cov.SetSym(i, l, scale*scale*sigma.At(a, c)/norm/st.b.norms[st.active[c]])
		}
	}
	out.report = estimators.Report{Converged: converged, Iterations: actions, Objective: -out.evidence, Jitter: st.jitter}
	if !converged {
		out.report.Warnings = append(out.report.Warnings, fmt.Sprintf("stopped after %d actions without convergence", st.actions))
	}
	if size == 0 {
		out.report.Warnings = append(out.report.Warnings, "no relevance vectors: no column of the basis explains the targets")
	}
	if k.noise == 0 && st.beta >= st.highestBeta()*(1-1e-9) {
		out.report.Warnings = append(out.report.Warnings, "the noise is at its least, 1e-6 of the targets' variance: the targets look free of noise")
	}
	if st.jitter > 0 {
		out.report.Warnings = append(out.report.Warnings, fmt.Sprintf("a matrix was singular to rounding: %.2g was added to its diagonal", st.jitter))
	}
	return out, nil
}

// trivial is the model of targets that leave nothing to learn: the intercept, or
// nothing where there is none.
func (k task) trivial() *solution {
	out := &solution{noise: k.noise, evidence: math.Inf(1), report: estimators.Report{
		Converged: true, Objective: math.Inf(-1), Warnings: []string{"the targets are constant"},
	}}
	if k.intercept == flatIntercept {
		out.spread = 1 / k.Total
		for i, v := range k.y {
			out.intercept += k.Weight(i) / k.Total * v
		}
		return out
	}
	if k.noise == 0 {
		for i, v := range k.y {
			out.noise += k.Weight(i) / k.Total * v * v
		}
	}
	return out
}
