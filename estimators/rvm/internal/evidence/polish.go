package evidence

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// point holds precisions of the members, and the posterior and the evidence for them.
type point struct {
	alpha []float64
	beta  float64
	// factor uses memory. sigma is computed from factor, but only if derivatives are needed and not for every tried point.
	memory *[]float64
	factor *linalg.Cholesky
	sigma  *mat.SymDense
	mu     []float64
	ee     float64
	lev    float64
}

// evaluate evaluates the model at other precisions. If exact is set, e'e is exact up to rounding. ok is false if the evaluation is
// numerically impossible, or if ctx has ended.
func (st *state) evaluate(ctx context.Context, alpha []float64, beta float64, exact bool) (p *point, ok bool) {
	m := len(st.active)
	p = &point{alpha: alpha, beta: beta, mu: make([]float64, m), memory: rowwise.Scratch(m * m)}
	chol, err := linalg.NewCholesky(ctx, "posterior precision", st.hessian(alpha, beta, *p.memory))
	if err != nil {
		p.release()
		return nil, false
	}
	for i, j := range st.active {
		p.mu[i] = beta * st.bt[j]
	}
	chol.SolveVec(p.mu)
	if exact {
		p.ee = st.residual(p.mu)
	} else {
		p.ee = st.squares(p.mu, fineEnough/beta)
	}
	p.lev = st.evidence(alpha, p.mu, beta, p.ee, chol.LogDet())
	if !check.IsFinite(p.lev) {
		p.release()
		return nil, false
	}
	p.factor = chol
	return p, true
}

// release releases the memory of the factor.
func (p *point) release() { rowwise.Release(p.memory) }

// derivatives returns the gradient and the negative Hessian of the evidence in (log α, log β), without log β if the noise is fixed.
func (st *state) derivatives(ctx context.Context, p *point, withBeta bool) (g []float64, h *mat.SymDense, err error) {
	m := len(p.alpha)
	if p.sigma == nil {
		if p.sigma, err = p.factor.Inverse(ctx); err != nil {
			return nil, nil, err
		}
	}
	size := m
	if withBeta {
		size++
	}
	g, h = make([]float64, size), mat.NewSymDense(size, nil)
	gamma := 0.0
	sigma, raw := p.sigma.RawSymmetric(), h.RawSymmetric()
	for i, a := range p.alpha {
		of, to := sigma.Data[i*sigma.Stride+i:i*sigma.Stride+m], raw.Data[i*raw.Stride+i:i*raw.Stride+m] // the upper triangles
		second := a * (of[0] + p.mu[i]*p.mu[i])
		g[i] = (1 - second) / 2
		gamma += 1 - a*of[0]
		mu := 2 * p.mu[i]
		for j, s := range of {
			to[j] = -a * p.alpha[i+j] * (s*s + mu*p.mu[i+j]*s) / 2
		}
		to[0] += second / 2
	}
	if !withBeta {
		return g, h, nil
	}
	g[m] = (st.dof - p.beta*p.ee - gamma) / 2
	// The computation uses r = Φ'e, and ΣGΣ = (Σ - ΣAΣ)/β.
	r, sr := st.gradient(p.mu), mat.NewVecDense(m, nil)
	fast.MulVec(sr, p.sigma, mat.NewVecDense(m, r))
	trace2 := float64(m) // tr(ΣGΣG)·β²
	sums := make([]float64, m)
	for i, a := range p.alpha {
		of := sigma.Data[i*sigma.Stride+i : i*sigma.Stride+m]
		sums[i] += of[0] * of[0] * a
		for j := 1; j < len(of); j++ {
			square := of[j] * of[j]
			sums[i] += square * p.alpha[i+j]
			sums[i+j] += square * a
		}
	}
	for i, a := range p.alpha {
		sas := sums[i]
		trace2 += a*sas - 2*a*p.sigma.At(i, i)
		sgs := (p.sigma.At(i, i) - sas) / p.beta
		h.SetSym(i, m, -a*p.beta*(sgs-2*p.mu[i]*sr.AtVec(i))/2)
	}
	rsr := mat.Dot(mat.NewVecDense(m, r), sr)
	h.SetSym(m, m, -(-p.beta*p.ee+2*p.beta*p.beta*rsr-gamma+trace2)/2)
	return g, h, nil
}

// usualPolish is the usual number of Newton steps in a polish, or slightly more.
const usualPolish = 8

// polish takes Newton steps for all precisions and the noise at once, and calls solve at the end.
func (st *state) polish(ctx context.Context, steps int) error {
	if len(st.active) == 0 {
		if st.noise == 0 && st.ee > 0 {
			st.beta = min(st.dof/st.ee, st.highestBeta())
		}
		return st.solve(ctx)
	}
	exact := steps > polishSteps // the last polish compares differences near the rounding error
	p, ok := st.evaluate(ctx, st.alpha, st.beta, exact)
	if !ok {
		return st.solve(ctx)
	}
	parts := progress.NewSeries(ctx, usualPolish)
	for range steps {
		ctx := parts.Next()
		if err := ctx.Err(); err != nil {
			return err
		}
		withBeta := st.noise == 0
		g, h, err := st.derivatives(ctx, p, withBeta)
		if err == nil && withBeta && p.beta >= st.highestBeta()*(1-1e-12) && g[len(g)-1] > 0 {
			g, h, err = st.derivatives(ctx, p, false)
		}
		if err != nil {
			return err
		}
		if largest(g) < 1e-9 {
			break
		}
		next, damping := st.step(ctx, p, g, h, st.damping, exact)
		if next == nil {
			break
		}
		st.damping = damping
		p.release()
		done := next.lev-p.lev < 1e-12*math.Abs(p.lev) && largest(g) < 1e-7
		p = next
		if done {
			break
		}
	}
	p.release()
	st.alpha, st.beta = p.alpha, p.beta
	return st.solve(ctx)
}

func largest(v []float64) float64 {
	out := 0.0
	for _, a := range v {
		out = max(out, math.Abs(a))
	}
	return out
}

// step tries Newton steps with increasing damping until one does not lower the evidence. It returns nil if none of 30 steps
// qualifies.
func (st *state) step(ctx context.Context, p *point, g []float64, h *mat.SymDense, damping float64, exact bool) (*point, float64) {
	for range 30 {
		if ctx.Err() != nil {
			break // polish returns it
		}
		if d := newton(ctx, g, h, damping); d != nil {
			if l := largest(d); l > 3 {
				for i := range d {
					d[i] *= 3 / l
				}
			}
			alpha, beta := slices.Clone(p.alpha), p.beta
			for i := range alpha {
				alpha[i] *= math.Exp(d[i])
			}
			if len(d) > len(alpha) {
				beta = min(beta*math.Exp(d[len(alpha)]), st.highestBeta())
			}
			if next, ok := st.evaluate(ctx, alpha, beta, exact); ok {
				if next.lev >= p.lev {
					return next, max(damping/10, 1e-12)
				}
				next.release()
			}
		}
		damping *= 10
	}
	return nil, damping
}

// newton solves (h + damping I) d = g. It returns nil if the matrix is not positive definite.
func newton(ctx context.Context, g []float64, h *mat.SymDense, damping float64) []float64 {
	n := len(g)
	memory := rowwise.Scratch(n * n)
	defer rowwise.Release(memory)
	damped := mat.NewSymDense(n, *memory)
	damped.CopySym(h)
	raw := damped.RawSymmetric()
	for i := range n {
		raw.Data[i*raw.Stride+i] += damping
	}
	// mat.Cholesky would take longer, because it estimates the condition number.
	factor, ok, err := linalg.Potrf(ctx, raw)
	if err != nil || !ok {
		return nil
	}
	d := slices.Clone(g)
	fast.Trsv(blas.Trans, factor, linalg.Vector(d))
	fast.Trsv(blas.NoTrans, factor, linalg.Vector(d))
	for _, v := range d {
		if !check.IsFinite(v) {
			return nil
		}
	}
	return d
}

// macKay takes one step of MacKay's re-estimation of all precisions and the noise, and drops members whose precision is too large.
func (st *state) macKay(ctx context.Context) error {
	if err := st.solve(ctx); err != nil {
		return err
	}
	sum := 0.0
	var active []int
	var members []*member
	var alpha []float64
	for i, a := range st.alpha {
		g := max(1-a*st.diag[i], 0)
		sum += g
		mu := st.mu[i]
		if next := g / (mu * mu); next <= largestRatio*st.beta && next > 0 {
			active, members, alpha = append(active, st.active[i]), append(members, st.members[i]), append(alpha, next)
		}
	}
	pruned := len(active) < len(st.active)
	st.active, st.members, st.alpha = active, members, alpha
	if pruned {
		st.reorder()
	}
	if st.noise == 0 && st.dof > sum && st.ee > 0 {
		st.beta = min((st.dof-sum)/st.ee, st.highestBeta())
	}
	return nil
}
