package evidence

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/minimize"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

const (
	interceptAlpha = 1e-6 // fixed precision of the intercept's column, which has unit norm
	deadAlpha      = 1e6  // precision from which a column of unit norm is dropped
	candidates     = 5    // changes of a scan that are tried before the next scan
	reestimates    = 500  // the largest number of re-estimates of all precisions
	reestimatesTry = 10   // the same for a tried change, whose gain is visible after a few
	// directSteps is the number of steps of a re-estimate that set each precision to its best value given the others. These steps
	// get near the optimum quickly, also for dead precisions, which MacKay's rule would double forever. The remaining steps use
	// MacKay's rule, which does not overshoot.
	directSteps   = 20
	leastEvidence = 1e-6 // smallest rise of the evidence for which a change is kept
)

// Classification is a fit of labels t = 0 and 1 in Laplace's approximation. It holds members of the basis with their precisions,
// and the mode of their posterior. The column of ones is the last column of the basis and always the first member.
type Classification struct {
	b       *basis.Basis
	t       []float64
	workers int

	active   []int
	columns  [][]float64
	alpha    []float64
	w        []float64 // the mode
	y        []float64 // probabilities of the rows at the mode
	curve    []float64 // y(1-y)
	chol     *linalg.Cholesky
	sigma    *mat.SymDense
	Evidence float64
	Jitter   float64
	banned   map[int]bool
	Changes  int
}

// Classify fits the class t = 1 against the other class, and reports whether the fit converged. If refine is set, it ends with
// steps along the true gradient.
func Classify(ctx context.Context, b *basis.Basis, t []float64, refine bool, workers int,
	steps *progress.Steps) (p *Classification, done bool, err error) {
	parts := progress.Parts(ctx, 1, 6, 3)
	p = &Classification{b: b, t: t, workers: workers, banned: map[int]bool{}}
	if err := p.include(parts[0], b.M-1, interceptAlpha); err != nil {
		return nil, false, err
	}
	if done, err = p.climb(parts[1], steps); err == nil && refine {
		err = p.refine(parts[2])
	}
	return p, done, err
}

// Columns returns the columns of the model without the column of ones.
func (p *Classification) Columns() []int { return p.active[1:] }

func (p *Classification) include(ctx context.Context, j int, alpha float64) error {
	column, err := p.b.Column(ctx, j)
	if err != nil {
		return err
	}
	p.active, p.columns = append(p.active, j), append(p.columns, column)
	p.alpha, p.w = append(p.alpha, alpha), append(p.w, 0)
	return nil
}

func (p *Classification) exclude(i int) {
	p.active, p.columns = slices.Delete(p.active, i, i+1), slices.Delete(p.columns, i, i+1)
	p.alpha, p.w = slices.Delete(p.alpha, i, i+1), slices.Delete(p.w, i, i+1)
}

// latent returns f = Φw, with unweighted Φ.
func (p *Classification) latent(w []float64) []float64 {
	f := make([]float64, len(p.t))
	for i, c := range p.columns {
		linalg.Axpy(w[i], c, f)
	}
	p.b.Undo(f)
	return f
}

// energy returns E = Σ c (log(1+e^f) - tf) + w'Aw/2 for weights c.
func (p *Classification) energy(f, w []float64) float64 {
	e := 0.0
	for i, v := range f {
		of := vecmath.Softplus(v) - p.t[i]*v
		e += p.b.Root(i) * p.b.Root(i) * of
	}
	for i, a := range p.alpha {
		e += a * w[i] * w[i] / 2
	}
	return e
}

// curvature sets y, B and the factor of H = Φ'BΦ + A at f.
func (p *Classification) curvature(ctx context.Context, f []float64) error {
	n, m := len(f), len(p.active)
	p.y, p.curve = make([]float64, n), make([]float64, n)
	memory, roots := rowwise.Scratch(m*n), rowwise.Scratch(n)
	defer rowwise.Release(memory)
	defer rowwise.Release(roots)
	half := mat.NewDense(m, n, *memory)
	for i, v := range f {
		p.y[i] = 1 / (1 + math.Exp(-v))
		p.curve[i] = max(p.y[i]*(1-p.y[i]), 1e-12)
		(*roots)[i] = math.Sqrt(p.curve[i])
	}
	for k, c := range p.columns {
		row := half.RawRowView(k)
		for i, v := range *roots {
			row[i] = v * c[i]
		}
	}
	h := mat.NewSymDense(m, nil)
	if err := fast.SymOuterKContext(ctx, h, 1, half); err != nil {
		return err
	}
	for i, a := range p.alpha {
		h.SetSym(i, i, h.At(i, i)+a)
	}
	var err error
	if p.chol, err = linalg.NewCholesky(ctx, "posterior precision", h); err != nil {
		return err
	}
	p.Jitter = max(p.Jitter, p.chol.Jitter())
	return nil
}

// rest sets dst to t - y, multiplied by the roots of the weights like the columns.
func (p *Classification) rest(dst []float64) {
	for i, t := range p.t {
		dst[i] = p.b.Root(i) * (t - p.y[i])
	}
}

// mode finds the mode of the posterior and the evidence there. It uses Newton's method, which begins at the previous mode and
// halves its steps if necessary.
func (p *Classification) mode(ctx context.Context) error {
	f := p.latent(p.w)
	e := p.energy(f, p.w)
	memory := rowwise.Scratch(len(f))
	defer rowwise.Release(memory)
	for last := false; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.curvature(ctx, f); err != nil {
			return err
		}
		m := len(p.active)
		g := mat.NewDense(m, 1, nil)
		p.rest(*memory)
		for i, c := range p.columns {
			s := -p.alpha[i] * p.w[i]
			for k, v := range c {
				s += v * (*memory)[k]
			}
			g.Set(i, 0, s)
		}
		step := mat.DenseCopyOf(g)
		if err := p.chol.Solve(ctx, step); err != nil {
			return err
		}
		decrement := 0.0
		for i := range m {
			decrement += g.At(i, 0) * step.At(i, 0)
		}
		if last || !(decrement > 0) {
			break
		}
		// Close to the mode a full step doubles the number of correct digits. One more step after the stopping criterion is met
		// costs little and yields all digits.
		last = decrement < 1e-12*max(1, math.Abs(e))
		moved := false
		for s := 1.0; s > 1e-10; s /= 2 {
			w := slices.Clone(p.w)
			for i := range w {
				w[i] += s * step.At(i, 0)
			}
			fs := p.latent(w)
			if es := p.energy(fs, w); es <= e-1e-4*s*decrement || last {
				p.w, f, e, moved = w, fs, es, true
				break
			}
		}
		if !moved {
			break
		}
	}
	p.Evidence = -e - p.chol.LogDet()/2
	for _, a := range p.alpha {
		p.Evidence += math.Log(a) / 2
	}
	var err error
	p.sigma, err = p.chol.Inverse(ctx)
	return err
}

// reestimate sets each precision except the intercept's to its best value, and after directSteps steps to γ/w². It ends when no
// logarithm of a precision changes by more than tolerance, or after most steps, and drops dead members. Both rules have the same
// fixed points.
func (p *Classification) reestimate(ctx context.Context, tolerance float64, most int) error {
	for step := range most {
		if err := p.mode(ctx); err != nil {
			return err
		}
		worst := 0.0
		for i := len(p.active) - 1; i > 0; i-- {
			own := p.sigma.At(i, i)
			next := max(1-p.alpha[i]*own, 1e-300) / (p.w[i] * p.w[i])
			if step < directSteps {
				next = optimum(1/own-p.alpha[i], p.w[i]/own)
			}
			next = min(max(next, p.alpha[i]/10), p.alpha[i]*10)
			worst = max(worst, math.Abs(math.Log(next/p.alpha[i])))
			p.alpha[i] = next
		}
		for i := len(p.active) - 1; i > 0; i-- {
			if p.alpha[i] > deadAlpha {
				p.exclude(i)
			}
		}
		if worst < tolerance {
			break
		}
	}
	return p.mode(ctx)
}

// statistics returns S and Q of a column outside the model, at the mode.
func (p *Classification) statistics(column []float64) (s, q float64) {
	m := len(p.active)
	cross := mat.NewDense(m, 1, nil)
	for k, c := range p.columns {
		v := 0.0
		for i, a := range c {
			v += a * p.curve[i] * column[i]
		}
		cross.Set(k, 0, v)
	}
	for i, a := range column {
		s += p.curve[i] * a * a
		q += a * p.b.Root(i) * (p.t[i] - p.y[i])
	}
	quad, err := p.chol.QuadInverse(context.Background(), cross) // a solution for one column takes m² operations and need not be cancelled
	fault.Repanic(err)
	return s - quad[0], q
}

// scan returns S and Q of every column.
func (p *Classification) scan(ctx context.Context) (s, q []float64, err error) {
	m := len(p.active)
	s, q = make([]float64, p.b.M), make([]float64, p.b.M)
	weighted := mat.NewDense(m, len(p.t), nil)
	rest := make([]float64, len(p.t))
	p.rest(rest)
	for k, c := range p.columns {
		row := weighted.RawRowView(k)
		for i, v := range c {
			row[i] = p.curve[i] * v
		}
	}
	err = parallel.ForEach(ctx, p.workers, len(p.b.Kept), func(i int) error {
		block, err := p.b.Block(ctx, i)
		if err != nil {
			return err
		}
		first, width := p.b.Span(i)
		var cross mat.Dense
		fast.Mul(&cross, weighted, block.T())
		quad, err := p.chol.QuadInverse(ctx, &cross)
		if err != nil {
			return err
		}
		for j := range width {
			row := block.RawRowView(j)
			d := 0.0
			for k, v := range row {
				d += p.curve[k] * v * v
			}
			s[first+j], q[first+j] = d-quad[j], linalg.Dot(row, rest)
		}
		return nil
	})
	return s, q, err
}

// proposals returns the most promising changes, best first.
func (p *Classification) proposals(ctx context.Context) ([]action, error) {
	s, q, err := p.scan(ctx)
	if err != nil {
		return nil, err
	}
	in := make([]bool, p.b.M)
	for _, j := range p.active {
		in[j] = true
	}
	var out []action
	for j := range s {
		if in[j] || p.banned[j] || p.b.Norms[j] == 0 || s[j] < leastFree {
			continue
		}
		if a := optimum(s[j], q[j]); !math.IsInf(a, 1) {
			if g := contribution(a, s[j], q[j]); g > leastGain {
				out = append(out, action{add, j, a, g})
			}
		}
	}
	for i := 1; i < len(p.active); i++ {
		if p.banned[p.active[i]] {
			continue
		}
		si, qi := 1/p.sigma.At(i, i)-p.alpha[i], p.w[i]/p.sigma.At(i, i)
		if g := -contribution(p.alpha[i], si, qi); g > -leastGain {
			out = append(out, action{remove, p.active[i], math.Inf(1), g})
		}
	}
	slices.SortStableFunc(out, func(a, b action) int { return cmp.Compare(b.gain, a.gain) })
	return out[:min(candidates, len(out))], nil
}

// climb changes the model as long as the evidence rises.
func (p *Classification) climb(ctx context.Context, steps *progress.Steps) (bool, error) {
	if err := p.reestimate(ctx, 1e-3, reestimates); err != nil {
		return false, err
	}
	limit := 10*p.b.M + 1000
	loop, highest := progress.NewLoop(ctx), 0.
	defer loop.End()
	for tried := 0; tried < limit; {
		list, err := p.proposals(ctx)
		if err != nil {
			return false, err
		}
		if len(list) == 0 {
			return true, p.reestimate(ctx, 1e-9, reestimates)
		}
		changed := false
		for _, a := range list {
			tried++
			highest = max(highest, a.gain)
			loop.Report(climbShare * progress.Towards(highest, a.gain, leastGain))
			if err := ctx.Err(); err != nil {
				return false, err
			}
			kept, err := p.try(ctx, a)
			if err != nil {
				return false, err
			}
			if kept {
				changed = true
				steps.Next(-p.Evidence, "%d relevance vectors", len(p.active)-1)
			}
		}
		if changed {
			if err := p.settle(ctx); err != nil {
				return false, err
			}
		}
	}
	return false, p.reestimate(ctx, 1e-9, reestimates)
}

// try makes a change and keeps it if the evidence rises. Otherwise the column is banned until another change is kept.
func (p *Classification) try(ctx context.Context, a action) (bool, error) {
	old := p.copied()
	at := slices.Index(p.active, a.index)
	switch {
	case a.kind == remove && at > 0:
		p.exclude(at)
	case a.kind == add && at < 0:
		// Changes earlier in the list may have reduced the gain of this one.
		column, err := p.b.Column(ctx, a.index)
		if err != nil {
			return false, err
		}
		s, q := p.statistics(column)
		alpha := optimum(s, q)
		if math.IsInf(alpha, 1) || s < leastFree {
			p.banned[a.index] = true
			return false, nil
		}
		p.active, p.columns = append(p.active, a.index), append(p.columns, column)
		p.alpha, p.w = append(p.alpha, alpha), append(p.w, 0)
	default:
		return false, nil
	}
	if err := p.reestimate(ctx, 1e-3, reestimatesTry); err != nil {
		return false, err
	}
	if p.Evidence > old.Evidence+leastEvidence {
		p.Changes++
		clear(p.banned)
		return true, nil
	}
	p.restore(old)
	p.banned[a.index] = true
	return false, nil
}

// copied returns a copy of the model that later changes do not affect.
func (p *Classification) copied() Classification {
	old := *p
	old.active, old.columns = slices.Clone(p.active), slices.Clone(p.columns)
	old.alpha, old.w = slices.Clone(p.alpha), slices.Clone(p.w)
	return old
}

func (p *Classification) restore(old Classification) {
	old.Jitter = max(old.Jitter, p.Jitter)
	*p = old
}

// settle re-estimates all precisions until they are stationary. If this lowers the evidence, it restores them.
func (p *Classification) settle(ctx context.Context) error {
	old := p.copied()
	if err := p.reestimate(ctx, 1e-3, reestimates); err != nil {
		return err
	}
	if p.Evidence < old.Evidence {
		p.restore(old)
	}
	return nil
}

// gradient returns the derivative of the evidence with respect to log α, including the movement of the mode.
func (p *Classification) gradient() []float64 {
	n, m := len(p.t), len(p.active)
	// The loop computes ΦΣ, n×m, and v = diag(ΦΣΦ').
	phi := mat.NewDense(n, m, nil)
	for k, c := range p.columns {
		for i, v := range c {
			phi.Set(i, k, v)
		}
	}
	var ps mat.Dense
	fast.Mul(&ps, phi, p.sigma)
	g := make([]float64, m)
	for k := range m {
		sum := 0.0
		for i := range n {
			v := linalg.Dot(ps.RawRowView(i), phi.RawRowView(i))
			sum += v * p.curve[i] * (1 - 2*p.y[i]) * ps.At(i, k) / p.b.Root(i)
		}
		g[k] = (1-p.alpha[k]*(p.sigma.At(k, k)+p.w[k]*p.w[k]))/2 + p.alpha[k]*p.w[k]*sum/2
	}
	return g
}

// refine climbs the evidence along its true gradient. The re-estimates γ/w² are not stationary points of the evidence, because they
// keep the curvature at the mode fixed.
func (p *Classification) refine(ctx context.Context) error {
	m := len(p.active) - 1
	if m == 0 {
		return nil
	}
	var failed error
	at := func(u []float64) {
		for i, v := range u {
			p.alpha[i+1] = math.Exp(min(max(v, -300), 300))
		}
		if failed == nil {
			failed = p.mode(ctx)
		}
	}
	start := make([]float64, m)
	for i := range start {
		start[i] = math.Log(p.alpha[i+1])
	}
	at(start)
	before := p.Evidence
	result, err := minimize.Run(func(u []float64) float64 {
		if at(u); failed != nil {
			return math.Inf(1)
		}
		return -p.Evidence
	}, func(g, u []float64) {
		at(u)
		for i, v := range p.gradient()[1:] {
			g[i] = -v
		}
	}, func() error { return failed }, start, &optimize.Settings{GradientThreshold: 1e-8, MajorIterations: 100}, &optimize.BFGS{})
	if failed == nil {
		failed = err
	}
	if failed == nil && result != nil && -result.F > before {
		start = result.X
	}
	if failed != nil {
		return failed
	}
	at(start)
	return failed
}
