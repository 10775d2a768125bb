package evidence

import (
	"context"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/progress"
)

const (
	// noiseEvery is the number of actions between two updates of the noise. noiseHold is the number of actions for which a climb
	// from the empty model leaves the noise unchanged.
	noiseEvery = 20
	noiseHold  = 20
	// polishSteps is the number of Newton steps in a polish between actions, and polishFinal the number in the last polish.
	polishSteps  = 6
	polishFinal  = 50
	macKaySteps  = 60
	largestRatio = 1e6 // largest ratio of α to β in the MacKay steps, and of β to 1/var t
)

// highestBeta returns the limit of the noise precision. Without a limit, it would become infinite for a target without noise.
func (st *state) highestBeta() float64 { return largestRatio / st.variance }

// updateNoise takes MacKay's step for β. If that lowers the evidence, it takes the step of expectation maximisation, which cannot
// lower it.
func (st *state) updateNoise(ctx context.Context) error {
	if st.noise > 0 {
		return nil
	}
	before, beta, gamma, ee := st.lev, st.beta, st.gamma(), st.ee
	st.beta = min((st.dof-gamma)/ee, st.highestBeta())
	if st.beta > 0 && check.IsFinite(st.beta) {
		if err := st.solve(ctx); err != nil {
			return err
		}
		if st.lev >= before {
			return st.scan(ctx)
		}
	}
	st.beta = min(st.dof/(ee+gamma/beta), st.highestBeta())
	return st.recompute(ctx)
}

// climbShare is the share of a climb's progress before its final polish.
const climbShare = .8

// climb takes actions until none promises a gain after a full polish. It reports whether this happened within the limit on actions.
func (st *state) climb(ctx context.Context, hold int, steps *progress.Steps) (bool, error) {
	if err := st.recompute(ctx); err != nil {
		return false, err
	}
	limit := 10*st.b.M + 1000
	since, tried, polished := 0, 0, false
	group, highest := progress.Open(ctx), 0.
	polishes := progress.NewSeries(group.Share(climbShare, 1), 3)
	ctx = progress.Detach(ctx)
	for tried < limit {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if since >= noiseEvery && st.actions >= hold {
			since = 0
			if err := st.updateNoise(ctx); err != nil {
				return false, err
			}
		}
		if a := st.best(); a.kind != nothing {
			tried++
			// The promised gain of the best change falls by about the same factor each time, and the polish begins when it is
			// small.
			highest = max(highest, a.gain)
			group.Report(climbShare * progress.Towards(highest, a.gain, leastGain))
			ok, err := st.take(ctx, a)
			if err != nil {
				return false, err
			}
			if ok {
				since++
				polished = false
				steps.Next(-st.lev, "%d relevance vectors", len(st.active))
			}
			continue
		}
		if polished {
			return true, nil
		}
		// No action is left at these precisions. Members that contribute nothing are removed, and all precisions and the noise are
		// changed together.
		before := st.lev
		if err := st.settle(polishes.Next(), polishSteps); err != nil {
			return false, err
		}
		if st.lev-before < leastGain {
			if err := st.settle(polishes.Next(), polishFinal); err != nil {
				return false, err
			}
			polished = true
		}
		clear(st.banned)
		if a := st.best(); a.kind == nothing && !polished {
			if err := st.settle(polishes.Next(), polishFinal); err != nil {
				return false, err
			}
			polished = true
		}
	}
	return false, nil
}

// settle drops dead members, polishes, and drops the members that are dead after the polish. S and Q are recomputed once, at the
// end, because dropping needs only the statistics of the members.
func (st *state) settle(ctx context.Context, steps int) error {
	st.bury()
	if err := st.polish(ctx, steps); err != nil {
		return err
	}
	if st.bury() {
		return st.recompute(ctx)
	}
	return st.scan(ctx)
}

// bury drops the members that contribute nothing, but does not update S and Q. It reports whether there were any.
func (st *state) bury() (any bool) {
	for ; ; any = true {
		worst, at := leastGain, -1
		for i := range st.active {
			s, q := st.inside(i)
			if c := contribution(st.alpha[i], s, q); !(c > worst) {
				worst, at = c, i
			}
		}
		if at < 0 {
			return any
		}
		st.leave(at, st.sigma(at))
		clear(st.duplicate)
	}
}

// startEmpty returns a model without members, whose noise precision is β = c/var t unless the noise is fixed.
func startEmpty(p *regressionProblem, c float64) *state {
	st := newState(p, c/p.variance)
	if p.noise > 0 {
		st.beta = 1 / p.noise
	}
	return st
}

// startFull returns the model with all columns that do not resemble an earlier one, after MacKay's re-estimation.
func startFull(ctx context.Context, p *regressionProblem) (*state, error) {
	st := newState(p, 100/p.variance)
	if p.noise > 0 {
		st.beta = 1 / p.noise
	}
	alpha := 0.5 / (p.b.Total * p.variance)
	for j := range p.b.M {
		if p.b.Norms[j] == 0 {
			continue
		}
		m, err := p.member(ctx, j)
		if err != nil {
			return nil, err
		}
		if !st.resembles(j) {
			st.enter(j, m, alpha)
		}
	}
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for i := range macKaySteps {
		loop.Report(float64(i) / macKaySteps)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(st.active) == 0 {
			break
		}
		if err := st.macKay(ctx); err != nil {
			return nil, err
		}
	}
	return st, nil
}
