package evidence

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Intercept is the form of the constant term of a regression.
type Intercept int

// These are the forms.
const (
	FlatIntercept Intercept = iota // integrated out: targets and columns are centred
	ARDIntercept                   // the coefficient of a column of ones, the last of the basis
	NoIntercept
)

// Regression is a regression on a design matrix.
type Regression struct {
	basis.Design
	Type string // name of the estimator for errors
	weights.Counts
	Targets   []float64
	Intercept Intercept
	Noise     float64 // variance, or 0 if it is estimated
	AllIn     int     // the largest basis for which a climb also starts from all columns
	Starts    []Start // noise levels of the empty models from which climbs start
	Bytes     int64   // memory for columns and their products
	Workers   int
	Steps     *progress.Steps
}

// Solution holds a fitted model in the units of the targets and of the unscaled columns.
type Solution struct {
	Indices      []int // columns; index m is the column of ones
	Coefficients []float64
	Alphas       []float64
	Covariance   *mat.SymDense // nil without members
	Means        []float64     // means of the members' columns; 0 unless the intercept has a flat prior
	Intercept    float64
	Noise        float64 // variance
	Spread       float64 // part of the variance that the intercept adds, in units of the noise: 1/N with a flat prior, else 0
	Evidence     float64
	Report       estimators.Report
	Start        Start // the start of the best climb
}

// Start denotes an initial model for a climb. A Start of c > 0 is the empty model with the noise precision c/(variance of the
// targets). A Start of 0 is the model with all columns.
type Start float64

const allColumns Start = 0

// make returns the initial state, and the number of actions for which the noise stays unchanged.
func (s Start) make(ctx context.Context, p *regressionProblem) (st *state, hold int, err error) {
	if s == allColumns {
		st, err = startFull(ctx, p)
		return st, 0, err
	}
	return startEmpty(p, float64(s)), noiseHold, nil
}

// Solve returns the model with the highest evidence.
func (k Regression) Solve(ctx context.Context) (*Solution, error) {
	scale := scaleOf(k.Targets)
	if scale == 0 || constant(k.Targets) && k.Intercept != ARDIntercept || k.N == 1 && k.Intercept == FlatIntercept {
		return k.trivial(), ctx.Err()
	}
	if k.Intercept == FlatIntercept && !(k.Total > 1+1e-9) { // weights that sum to 1 may exceed it by rounding
		return nil, fault.Param(k.Type, "sum of the weights", k.Total, "> 1: they count rows")
	}
	m := k.M
	if k.Intercept == ARDIntercept {
		m++
	}
	// The basis and its products are computed by matrix products, and the climb takes about as long as these (see Cost in the
	// documentation of package rvm).
	parts := progress.Parts(ctx, 1, 2, .2, 6, .2)
	b, err := basis.New(parts[0], k.Raw, k.Counts, k.N, m, k.Intercept == FlatIntercept, k.Intercept == ARDIntercept, k.Bytes, k.Workers)
	if err != nil {
		return nil, err
	}
	if err := b.KeepProducts(parts[1], k.Bytes); err != nil {
		return nil, err
	}
	p, mean, err := newRegressionProblem(parts[2], b, k.Targets, k.Intercept == FlatIntercept, scale, k.Noise, k.Workers)
	if err != nil {
		return nil, err
	}
	best, converged, actions, err := k.search(parts[3], p)
	if err != nil {
		return nil, err
	}
	return k.unscale(parts[4], best, scale, mean, converged, actions)
}

// search climbs from every start and returns the model with the highest evidence.
func (k Regression) search(ctx context.Context, p *regressionProblem) (best *state, converged bool, actions int, err error) {
	starts := k.Starts
	if p.b.M <= k.AllIn {
		starts = append(slices.Clip(starts), allColumns)
	}
	states, done := make([]*state, len(starts)), make([]bool, len(starts))
	// All starts run at once, and share the processors if there are fewer. If three starts ran one after the other on two
	// processors, one processor would be idle during the last start.
	workers := k.Workers
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
		done[i], err = st.climb(rest, hold, k.Steps)
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

// unscale converts a state to the units of the targets and of the unscaled columns.
func (k Regression) unscale(ctx context.Context, st *state, scale, mean float64, converged bool, actions int) (*Solution, error) {
	size := len(st.active)
	out := &Solution{
		Indices: make([]int, size), Coefficients: make([]float64, size), Alphas: make([]float64, size), Means: make([]float64, size),
		Noise: scale * scale / st.beta, Evidence: st.lev - st.dof*math.Log(scale), Start: st.start,
	}
	if k.Intercept == FlatIntercept {
		out.Intercept, out.Spread = mean, 1/k.Total
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
		out.Covariance = mat.NewSymDense(size, nil)
	}
	for i, a := range order {
		j := st.active[a]
		norm := st.b.Norms[j]
		out.Indices[i], out.Means[i] = j, st.b.Means[j]
		out.Coefficients[i] = scale * st.mu[a] / norm
		out.Alphas[i] = st.alpha[a] * norm / scale * norm / scale
		out.Intercept -= out.Coefficients[i] * out.Means[i]
		for l := i; l < size; l++ {
			c := order[l]
			out.Covariance.SetSym(i, l, scale*scale*sigma.At(a, c)/norm/st.b.Norms[st.active[c]])
		}
	}
	out.Report = estimators.Report{Converged: converged, Iterations: actions, Objective: -out.Evidence, Jitter: st.jitter}
	if !converged {
		out.Report.Warnings = append(out.Report.Warnings, fmt.Sprintf("stopped after %d actions without convergence", st.actions))
	}
	if size == 0 {
		out.Report.Warnings = append(out.Report.Warnings, "no relevance vectors: no column of the basis explains the targets")
	}
	if k.Noise == 0 && st.beta >= st.highestBeta()*(1-1e-9) {
		out.Report.Warnings = append(out.Report.Warnings,
			"the noise is at its minimum, 1e-6 of the targets' variance: the targets seem to have no noise")
	}
	if st.jitter > 0 {
		out.Report.Warnings = append(out.Report.Warnings, fmt.Sprintf("a matrix was singular to rounding: %.2g was added to its diagonal",
			st.jitter))
	}
	return out, nil
}

// trivial returns the model for targets with nothing to fit: only the intercept, or nothing if there is none.
func (k Regression) trivial() *Solution {
	out := &Solution{Noise: k.Noise, Evidence: math.Inf(1), Report: estimators.Report{
		Converged: true, Objective: math.Inf(-1), Warnings: []string{"the targets are constant"},
	}}
	if k.Intercept == FlatIntercept {
		out.Spread = 1 / k.Total
		for i, v := range k.Targets {
			out.Intercept += k.Weight(i) / k.Total * v
		}
		return out
	}
	if k.Noise == 0 {
		for i, v := range k.Targets {
			out.Noise += k.Weight(i) / k.Total * v * v
		}
	}
	return out
}
