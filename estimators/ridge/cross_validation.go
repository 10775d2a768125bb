package ridge

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

const (
	// Random signs estimate the trace of the inverse. With more rows, fewer vectors of signs are needed.
	probeNumbers            = 40_000
	leastProbes, mostProbes = 2, 16
	// probeStream is the stream "probes".
	probeStream = 0x70726f626573
	// compareEvery is the number of steps between comparisons of the errors. The steps end when the errors no longer change, or after
	// mostSteps.
	compareEvery, mostSteps = 16, 480
	settled                 = 1e-3
	// leastRelativeRidge is the smallest ridge that is compared, relative to the mean squared length of the rows.
	leastRelativeRidge = 1e-6
	// vectorsOfColumns is the number of vectors with an element for each column that a fit holds, in addition to those of each
	// target.
	vectorsOfColumns = 2*mostProbes + 4
)

// crossValidation estimates the generalised cross-validation error of the targets t as a function of the ridge λ,
//
//	(|λ(ZZ' + λI)⁻¹t|²/Σw) / (λ tr(ZZ' + λI)⁻¹/n)²
//
// (Golub, Heath and Wahba, Technometrics 21, 1979). The two terms are quadratures. They use Lanczos steps that begin with t or, for
// the trace, with vectors of random signs (Golub and von Matt, Journal of Computational and Graphical Statistics 6, 1997). The same
// steps are used for all ridges.
type crossValidation struct {
	settings      modelSettings
	targets, runs []*lanczos // runs for t, and all runs
	probes        []*lanczos
	signs         float64 // the sum of the squares of the probes
	n, free0      float64 // number of rows, and the same minus 1 for the intercept
	weight        float64
	scale         float64
}

func newCrossValidation(z *centredRows, t [][]float64, s modelSettings, m *model) *crossValidation {
	n := len(z.root)
	p := &crossValidation{settings: s, n: float64(n), free0: float64(n), weight: float64(n) / m.unit, scale: z.squares() / float64(n)}
	if !(p.scale > 0) {
		p.scale = 1
	}
	if !s.noIntercept {
		p.free0--
	}
	for _, t := range t {
		p.targets = append(p.targets, newLanczos(z, t))
	}
	random := rand.New(rand.NewPCG(0, probeStream))
	for range min(max(probeNumbers/n, leastProbes), mostProbes) {
		u := make([]float64, n)
		for i := range u {
			u[i] = 2*float64(random.IntN(2)) - 1
		}
		if !s.noIntercept { // remove √w, an eigenvector of ZZ' with eigenvalue 0
			floats.AddScaled(u, -floats.Dot(u, z.root)*m.spread, z.root)
		}
		p.signs += floats.Dot(u, u)
		p.probes = append(p.probes, newLanczos(z, u))
	}
	p.runs = append(append(p.runs, p.targets...), p.probes...)
	return p
}

// choose sets the ridges of m, and the objective in its report.
func (p *crossValidation) choose(ctx context.Context, m *model) error {
	searches := [][]*lanczos{p.targets}
	if p.settings.perTarget && p.settings.ridge == 0 && p.settings.rule != Heuristic {
		searches = nil
		for i := range p.targets {
			searches = append(searches, p.targets[i:i+1])
		}
	}
	ridges, errs := make([]float64, len(searches)), make([]float64, len(searches))
	loop, steps := progress.NewLoop(ctx), progress.NewSteps(ctx, mostSteps/compareEvery)
	defer loop.End()
	for taken := 0; taken < mostSteps; taken += compareEvery {
		err := parallel.ForEach(ctx, p.settings.workers, len(p.runs), func(i int) error { return p.runs[i].advance(ctx, compareEvery) })
		if err != nil {
			return err
		}
		loop.Report(float64(taken+compareEvery) / mostSteps)
		ended := true
		for _, r := range p.runs {
			ended = ended && r.ended
		}
		near, warnings := true, []string(nil)
		m.report.Objective = 0
		for g, targets := range searches {
			best, err := p.best(ctx, targets)
			if err != nil {
				return err
			}
			near = near && math.Abs(best.Error-errs[g]) <= settled*best.Error && math.Abs(math.Log(best.Ridge/ridges[g])) < .1
			ridges[g], errs[g] = best.Ridge, best.Error
			m.report.Objective += best.Error
			m.report.Iterations = max(best.Evaluations, 1)
			if w := best.Warning(); w != "" {
				warnings = append(warnings, w)
			}
		}
		steps.Next(m.report.Objective, "ridge %.3g", ridges[0])
		if near || ended {
			m.report.Warnings = append(m.report.Warnings, warnings...)
			break
		}
	}
	m.ridges = ridges
	return nil
}

// best returns the ridge with the smallest error for some targets. If the ridge is set, it returns that ridge with its error.
func (p *crossValidation) best(ctx context.Context, targets []*lanczos) (loo.Minimum, error) {
	ridge := p.settings.ridge
	if ridge == 0 && (p.settings.rule == Heuristic || p.n < 2) {
		ridge = lssvm.HeuristicRidge(int(p.n)) * p.weight / p.n
	}
	if ridge > 0 {
		return loo.Minimum{Ridge: ridge, Error: p.errorOf(targets, ridge)}, ctx.Err()
	}
	best, err := loo.SearchRidges(ctx, p.scale, leastRelativeRidge*p.scale, func(_ context.Context, ridge float64) (float64, error) {
		return p.errorOf(targets, ridge), ctx.Err()
	})
	if best.Ridge == 0 {
		best.Ridge = lssvm.HeuristicRidge(int(p.n)) * p.weight / p.n
	}
	return best, err
}

// errorOf returns the generalised cross-validation error, summed over some targets.
func (p *crossValidation) errorOf(targets []*lanczos, ridge float64) float64 {
	squares := 0.
	for _, t := range targets {
		_, second := t.quadratures(ridge)
		squares += ridge * ridge * second
	}
	share := p.free(ridge) / p.n
	if squares == 0 {
		return 0
	}
	return squares / p.weight / (share * share)
}

// free returns the remaining degrees of freedom for a ridge, n - tr(H) for the hat matrix H.
func (p *crossValidation) free(ridge float64) float64 {
	sum := 0.
	for _, u := range p.probes {
		first, _ := u.quadratures(ridge)
		sum += first
	}
	if p.signs == 0 {
		return 0
	}
	return ridge * p.free0 * sum / p.signs
}

// lanczos reduces ZZ' to tridiagonal form from a starting vector, by the bidiagonalisation of Golub and Kahan.
type lanczos struct {
	z              *centredRows
	u, v           []float64
	uNext, vNext   []float64
	size           float64 // the squared length of the starting vector
	beta           float64 // of the next step
	diagonal, next []float64
	ended          bool
}

// newLanczos starts from a vector, which it copies.
func newLanczos(z *centredRows, start []float64) *lanczos {
	_, d := z.x.Dims()
	l := &lanczos{z: z, u: append([]float64(nil), start...), uNext: make([]float64, len(start)), v: make([]float64, d),
		vNext: make([]float64, d), size: floats.Dot(start, start)}
	if l.size == 0 {
		l.ended = true
		return l
	}
	floats.Scale(1/math.Sqrt(l.size), l.u)
	return l
}

// advance does a number of steps.
func (l *lanczos) advance(ctx context.Context, steps int) error {
	for range steps {
		if l.ended {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		// α v = Z'u - β v, then β u = Zv - α u
		l.z.transposed(l.vNext, l.u)
		floats.AddScaled(l.vNext, -l.beta, l.v)
		alpha := floats.Norm(l.vNext, 2)
		if len(l.next) > 0 { // the product of the α of the previous step and the β of this one
			l.next[len(l.next)-1] *= l.beta
		}
		l.diagonal = append(l.diagonal, alpha*alpha+l.beta*l.beta)
		if alpha*alpha <= l.negligible() {
			l.ended = true
			return nil
		}
		floats.Scale(1/alpha, l.vNext)
		l.v, l.vNext = l.vNext, l.v
		l.z.times(l.uNext, l.v)
		floats.AddScaled(l.uNext, -alpha, l.u)
		l.beta = floats.Norm(l.uNext, 2)
		if l.beta*l.beta <= l.negligible() {
			l.ended = true
			return nil
		}
		l.next = append(l.next, alpha)
		floats.Scale(1/l.beta, l.uNext)
		l.u, l.uNext = l.uNext, l.u
	}
	return nil
}

// negligible returns the value below which the square of an element is treated as a rounding error.
func (l *lanczos) negligible() float64 { return 1e-28 * l.diagonal[0] }

// quadratures returns t'(ZZ' + λI)⁻¹t and |(ZZ' + λI)⁻¹t|² for the starting vector t.
func (l *lanczos) quadratures(ridge float64) (first, second float64) {
	k := len(l.diagonal)
	if k == 0 {
		return 0, 0
	}
	// T + λI = L D L', starting with the last element of D, so that the solution of e₁ is obtained by forward substitution.
	pivots := make([]float64, k)
	for i := k - 1; i >= 0; i-- {
		pivots[i] = l.diagonal[i] + ridge
		if i < k-1 {
			pivots[i] -= l.next[i] * l.next[i] / pivots[i+1]
		}
	}
	w := 1 / pivots[0]
	first = l.size * w
	for i := range k {
		if i > 0 {
			w *= -l.next[i-1] / pivots[i]
		}
		second += l.size * w * w
	}
	return first, second
}
