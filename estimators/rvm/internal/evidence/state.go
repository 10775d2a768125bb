package evidence

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// state holds a model, with the statistics from which the gain of each change follows. They are S and Q for each column of the
// basis, and α, the coefficient μ and the variance Σjj for each member.
type state struct {
	*regressionProblem
	active  []int
	members []*member
	table   memberTable // of the members' products
	gram    gram        // of the members
	alpha   []float64
	mu      []float64
	diag    []float64
	beta    float64
	factor  *linalg.Factor // factor of H = βG + A, in the order of active
	s, q    []float64
	ee      float64 // e'e for e = t - Φμ
	lev     float64
	jitter  float64 // the largest jitter of a factorisation

	banned    map[int]bool // columns that are not changed until the next accepted action
	duplicate map[int]bool // columns that resemble a member, until a member is removed
	start     Start        // the start of the climb
	actions   int
	rejected  int
	damping   float64  // damping of the last Newton step, with which the next polish begins
	spare     snapshot // memory for the next snapshot
}

func newState(p *regressionProblem, beta float64) *state {
	return &state{
		regressionProblem: p, beta: beta, damping: 1e-6, table: memberTable{width: p.b.M, of: map[int]int{}}, banned: map[int]bool{},
		duplicate: map[int]bool{},
	}
}

// reorder rebuilds the table and the gram matrix from active and members.
func (st *state) reorder() {
	for k := len(st.table.columns) - 1; k >= 0; k-- {
		if j := st.table.columns[k]; !slices.Contains(st.active, j) {
			st.table.remove(j)
		}
	}
	st.gram.n = 0
	for i, m := range st.members {
		st.table.put(st.active[i], m.products)
		st.gram.push(st.active[:i+1], m)
	}
}

// hessian returns βG + A. It uses the given memory of m² numbers.
func (st *state) hessian(alpha []float64, beta float64, memory []float64) *mat.SymDense {
	m := len(st.active)
	h := mat.NewSymDense(m, memory)
	raw := h.RawSymmetric()
	for i := range m {
		row := raw.Data[i*raw.Stride+i : i*raw.Stride+m]
		for j, v := range st.gram.row(i)[i:] {
			row[j] = beta * v
		}
		row[0] += alpha[i]
	}
	return h
}

// recompute computes all other fields from active, alpha and beta, exactly.
func (st *state) recompute(ctx context.Context) error {
	if err := st.solve(ctx); err != nil {
		return err
	}
	return st.scan(ctx)
}

// solve computes all other fields except S and Q from active, alpha and beta, exactly.
func (st *state) solve(ctx context.Context) error {
	var chol *linalg.Cholesky
	if len(st.active) > 0 {
		var err error
		memory := rowwise.Scratch(len(st.active) * len(st.active))
		defer rowwise.Release(memory)
		if chol, err = linalg.NewCholesky(ctx, "posterior precision", st.hessian(st.alpha, st.beta, *memory)); err != nil {
			return err
		}
		st.jitter = max(st.jitter, chol.Jitter())
	}
	st.factor = linalg.NewFactor(chol)
	var err error
	if st.diag, err = st.factor.DiagInverse(ctx); err != nil {
		return err
	}
	st.mu = make([]float64, len(st.active))
	st.refresh()
	return nil
}

// scan computes S and Q from the posterior, exactly.
func (st *state) scan(ctx context.Context) error {
	m := len(st.active)
	if st.s == nil {
		st.s, st.q = make([]float64, st.b.M), make([]float64, st.b.M)
	}
	// Φ'e is Φ't minus the members' products, without a pass over the basis.
	clear(st.q)
	st.table.addTo(st.q, st.mu, st.active)
	for i, v := range st.q {
		st.q[i] = st.beta * (st.bt[i] - v)
		st.s[i] = st.beta
	}
	if m == 0 {
		return nil
	}
	const chunk = 256
	return parallel.ForEach(ctx, st.workers, (st.b.M+chunk-1)/chunk, func(c int) error {
		first := c * chunk
		width := min(chunk, st.b.M-first)
		memory := rowwise.Scratch(m * width)
		defer rowwise.Release(memory)
		part := mat.NewDense(m, width, *memory)
		for i, j := range st.active {
			copy(part.RawRowView(i), st.table.row(st.table.of[j])[first:first+width])
		}
		quad, err := st.factor.QuadInverse(ctx, part)
		if err != nil {
			return err
		}
		for i, v := range quad {
			st.s[first+i] -= st.beta * st.beta * v
		}
		return nil
	})
}

// refresh computes μ, e'e and the evidence from the factor, exactly.
func (st *state) refresh() {
	for i, j := range st.active {
		st.mu[i] = st.beta * st.bt[j]
	}
	st.factor.Solve(st.mu)
	st.ee = st.squares(st.mu, fineEnough/st.beta)
	st.lev = st.evidence(st.alpha, st.mu, st.beta, st.ee, st.factor.LogDet())
}

// fineEnough is the largest rounding error of βe'e that is allowed when an action is judged, a tenth of leastRise. The error is
// estimated as four times the rounding unit times the sum of the magnitudes of all terms. On Friedman's function this estimate was
// usually ten to a few hundred times the true error.
const (
	fineEnough = 1e-6
	rounding   = 0x1p-51
)

// squares returns e'e for e = t - Φμ, with a rounding error of at most error. It uses the products with Φ, at a cost of O(m²). If
// their terms cancel too much, it uses the columns, at a cost of O(nm).
func (st *state) squares(mu []float64, error float64) float64 {
	ee, linear, sum := st.tt, 0.0, 0.0
	for i, g := range st.gram.times(mu) {
		v, bt := mu[i], st.bt[st.active[i]]
		ee += v * (g - 2*bt)
		linear += math.Abs(v * bt)
		sum += math.Abs(v)
	}
	// Columns of unit norm have products of at most 1, so this bound needs no second loop.
	if (st.tt+2*linear+sum*sum)*rounding < error {
		return ee
	}
	size := 0.0
	for i, v := range mu {
		a := 0.0
		for j, g := range st.gram.row(i) {
			a += math.Abs(mu[j] * g)
		}
		size += math.Abs(v) * a
	}
	if (st.tt+2*linear+size)*rounding < error {
		return ee
	}
	return st.residual(mu)
}

// residual returns e'e, computed from the columns.
func (st *state) residual(mu []float64) float64 {
	e := slices.Clone(st.t)
	for i, v := range mu {
		linalg.Axpy(-v, st.members[i].column, e)
	}
	return linalg.Dot(e, e)
}

// gradient returns Φ'e for the members.
func (st *state) gradient(mu []float64) []float64 {
	out := st.gram.times(mu)
	for i, k := range st.active {
		out[i] = st.bt[k] - out[i]
	}
	return out
}

// evidence returns the log marginal likelihood. If the intercept has a flat prior, it is restricted to N-1 degrees of freedom.
func (st *state) evidence(alpha, mu []float64, beta, ee, logDet float64) float64 {
	l := st.dof*(math.Log(beta)-math.Log(2*math.Pi)) - logDet - beta*ee
	for i, a := range alpha {
		l += math.Log(a) - a*mu[i]*mu[i]
	}
	return l / 2
}

// gamma returns the sum of 1 - αΣ over the members, the number of well-determined parameters.
func (st *state) gamma() float64 {
	sum := 0.0
	for i, a := range st.alpha {
		sum += 1 - a*st.diag[i]
	}
	return sum
}
