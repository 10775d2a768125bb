package sampler

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// chainStream is the base of the random streams of chains. The numbers of the machine and the chain are added.
const chainStream = 0x676162617372 << 16 // "gabasr"

// Sweep holds the state of a chain at the end of a sweep, like Sweep in package gabasr.
type Sweep struct {
	Machine, Chain, Number int
	LogEvidence, Ridge     float64
	Alpha                  float64
	Components             int
	Accepted               float64
	Kept                   bool
}

// Machine holds the fit to one target: the draws and traces of all chains.
type Machine struct {
	Draws       []*features.Draw
	Baseline    float64 // the highest log evidence of an initial model
	Trace       []Sweep
	RHat        float64 // the split R̂ of the predictions
	Jitter      float64
	LeaveOneOut []float64 // leave-one-out scores, averaged over the draws
}

// Best returns the draw with the highest log evidence.
func (m *Machine) Best() *features.Draw {
	out := m.Draws[0]
	for _, d := range m.Draws {
		if d.LogEv > out.LogEv {
			out = d
		}
	}
	return out
}

// Task holds a target of a machine, in its own units.
type Task struct {
	Target  []float64 // of weighted rows
	Labels  []float64 // 0 or 1; nil for a regression
	LogUnit float64   // log of the unit of the target
}

// Run samples all chains of all tasks, in parallel, for the weighted rows x. If there is a trend, trend holds its columns.
func (s Settings) Run(ctx context.Context, x, trend *mat.Dense, rows weights.Counts, tasks []Task) ([]*Machine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.fitsMemory(x, features.WidthOf(trend), len(tasks)); err != nil {
		return nil, err
	}
	median, err := kernels.MedianSquaredDistance(ctx, x, s.Seed)
	if err != nil {
		return nil, err
	}
	unit := 1 / math.Sqrt(median)
	if !(median > 0) || unit-unit != 0 {
		_, d := x.Dims()
		unit = 1 / math.Sqrt(float64(d))
	}
	stages := s.stages()
	runs := make([]*run, len(tasks)*s.Chains)
	steps := progress.NewSteps(ctx, len(runs)*(stages[len(stages)-1].sweeps+1))
	inner := s
	if len(runs) > 1 {
		inner.Workers = 1 // because the chains keep the processors busy
	}
	out, going := make([]*Machine, len(tasks)), make([]int, len(tasks))
	for i := range going {
		going[i] = i
	}
	for k, part := range progress.Parts(ctx, shares(stages)...) {
		err := parallel.ForEachPart(part, s.Workers, len(going)*s.Chains, func(ctx context.Context, i int) error {
			number, chain := going[i/s.Chains], i%s.Chains
			t, at := tasks[number], number*s.Chains+chain
			if k == 0 {
				begin := &starter{Settings: inner, x: x, trend: trend, rows: rows, target: t.Target, unit: unit}
				var err error
				if runs[at], err = begin.run(ctx, t, number, chain, len(runs) > 1, steps); err != nil {
					return err
				}
			}
			return runs[at].runTo(ctx, k)
		})
		if err != nil {
			return nil, err
		}
		var left []int
		for _, number := range going {
			of := runs[number*s.Chains : (number+1)*s.Chains]
			rHat := splitRHat(snapshots(of))
			if k+1 < len(stages) && !(rHat < MixedBelow) {
				left = append(left, number)
				continue
			}
			out[number] = merge(of, k)
			out[number].RHat = rHat
			clear(of)
		}
		if going = left; len(going) == 0 {
			break
		}
	}
	return out, nil
}

// shares returns the relative work of each stage. Three out of four fits with one column stop at the first stage. Each later stage
// is twice as long as the previous one, but fewer fits reach it (docs/measured/gabasr-sampling.md).
func shares(stages []stage) []float64 {
	out := make([]float64, len(stages))
	for k := range out {
		out[k] = 1
	}
	out[0] = 3
	return out
}

// merge joins the chains of a target at the end of a stage.
func merge(chains []*run, stage int) *Machine {
	out := &Machine{Baseline: math.Inf(-1)}
	for _, r := range chains {
		r.finish(stage)
		out.Draws = append(out.Draws, r.out.Draws...)
		out.Trace = append(out.Trace, r.out.Trace...)
		out.Baseline, out.Jitter = max(out.Baseline, r.out.Baseline), max(out.Jitter, r.out.Jitter)
		if out.LeaveOneOut == nil {
			out.LeaveOneOut = make([]float64, len(r.loo[stage]))
		}
		for i, v := range r.loo[stage] {
			out.LeaveOneOut[i] += v / float64(len(chains))
		}
	}
	return out
}

// startSweeps is the number of sweeps that take about as long as the choice of a chain's initial model.
const startSweeps = 10

// run holds the state of one chain of a machine while it is sampled.
type run struct {
	Settings
	chain           *chain
	machine, number int
	others          bool    // there are other chains
	unit            float64 // 1/median distance
	shift           float64
	steps           *progress.Steps
	stages          []stage
	sweep           int             // the last completed sweep
	first           context.Context // context of the first stage after the choice of the initial model
	out             *Machine
	kept            []keptDraw  // in order
	loo             [][]float64 // leave-one-out scores for each stage, averaged over its draws so far
}

// keptDraw is a draw that at least one stage keeps.
type keptDraw struct {
	sweep int
	draw  *features.Draw
	seen  snapshot
}

// snapshots returns the predictions of the kept sweeps of each chain.
func snapshots(chains []*run) [][]snapshot {
	out := make([][]snapshot, len(chains))
	for i, r := range chains {
		for _, d := range r.kept {
			if _, ok := r.stages[r.stage()].keptIndex(d.sweep); ok {
				out[i] = append(out[i], d.seen)
			}
		}
	}
	return out
}

// stage returns the stage whose end the chain has reached.
func (r *run) stage() int {
	for k, g := range r.stages {
		if g.sweeps == r.sweep {
			return k
		}
	}
	panic("gabasr: a chain between two stages") // runTo always stops at the end of a stage
}

// run starts a chain of a machine, with a separate stream of random numbers.
func (s *starter) run(ctx context.Context, t Task, machineNumber, chainNumber int, others bool, steps *progress.Steps) (*run, error) {
	s.rng = rand.New(rand.NewPCG(s.Seed, chainStream+uint64(machineNumber)<<8+uint64(chainNumber)))
	first, rest := progress.Two(ctx, startSweeps, float64(s.Sweeps))
	c, err := s.start(first)
	if err != nil {
		return nil, err
	}
	if s.Evidence != NormalEvidence {
		if err := c.become(s.Evidence, t.Labels); err != nil {
			return nil, err
		}
	}
	shift := -(s.rows.Total - float64(features.WidthOf(s.trend))) * t.LogUnit // the coefficients of the trend have no prior density
	r := &run{
		Settings: s.Settings, chain: c, machine: machineNumber, number: chainNumber, others: others, unit: s.unit, shift: shift,
		steps:  steps,
		stages: s.stages(), first: rest,
		out: &Machine{Baseline: c.value() + shift},
	}
	r.loo = make([][]float64, len(r.stages))
	return r, r.record()
}

// record adds the completed sweep to the trace, and keeps its draw if at least one stage does.
func (r *run) record() error {
	c := r.chain
	now := c.record(r.machine, r.number, r.sweep, r.shift)
	r.out.Trace = append(r.out.Trace, now)
	r.out.Jitter = max(r.out.Jitter, c.sys.jitter)
	which := ""
	if r.others {
		which = fmt.Sprintf("machine %d, chain %d, ", r.machine, r.number)
	}
	r.steps.Next(-now.LogEvidence, "%ssweep %d: log evidence %.2f, λ %.2g, %d components", which, r.sweep, now.LogEvidence, now.Ridge,
		now.Components)
	var scores []float64
	var kept *keptDraw
	factor := false
	for k, g := range r.stages {
		at, ok := g.keptIndex(r.sweep)
		if !ok {
			continue
		}
		if kept == nil {
			kept = &keptDraw{sweep: r.sweep, draw: c.keep()}
			kept.draw.LogEv = c.value() + r.shift
			var err error
			if kept.seen, err = c.snapshot(kept.draw); err != nil {
				return err
			}
			if r.LeaveOneOut {
				if scores, err = c.leaveOneOut(kept.draw); err != nil {
					return err
				}
			}
		}
		factor = factor || r.Variances && g.holder(at, r.Covariances) == at
		if r.loo[k] == nil {
			r.loo[k] = make([]float64, len(scores))
		}
		for i, v := range scores {
			r.loo[k][i] += v / float64(g.keptSweeps()) / c.sys.rows.Root(i)
		}
	}
	if kept == nil {
		return nil
	}
	if !factor {
		kept.draw.Factor = nil
	}
	r.kept = append(r.kept, *kept)
	return nil
}

// runTo continues the chain to the end of a stage, with context ctx. Between stages a chain holds no data that are as large as the
// features.
func (r *run) runTo(ctx context.Context, stage int) error {
	if stage == 0 {
		ctx = r.first
	} else {
		if err := r.chain.wake(ctx); err != nil {
			return err
		}
		r.chain.step = r.unit
	}
	from, to := r.sweep, r.stages[stage].sweeps
	group := progress.Open(ctx)
	for r.sweep < to {
		// The checks of the context within a sweep report its progress.
		if err := r.chain.sweep(group.Step(r.sweep-from, to-from)); err != nil {
			return err
		}
		r.sweep++
		if err := r.record(); err != nil {
			return err
		}
	}
	r.chain.sleep()
	var later []keptDraw // the draws that this stage or a later one keeps
	for _, d := range r.kept {
		for _, g := range r.stages[stage:] {
			if _, ok := g.keptIndex(d.sweep); ok {
				later = append(later, d)
				break
			}
		}
	}
	r.kept = later
	return nil
}

// finish collects the draws that a stage keeps, and marks them in the trace.
func (r *run) finish(stage int) {
	g := r.stages[stage]
	for _, d := range r.kept {
		at, ok := g.keptIndex(d.sweep)
		if !ok {
			continue
		}
		r.out.Trace[d.sweep].Kept = true
		if r.Variances {
			d.draw.Holder = g.holder(at, r.Covariances) - at
		}
		if d.draw.Holder != 0 || !r.Variances {
			d.draw.Factor = nil
		}
		r.out.Draws = append(r.out.Draws, d.draw)
	}
}

// sleep releases the large matrices that wake can recompute.
func (c *chain) sleep() {
	s := c.sys
	s.phi, s.gram, s.cross, s.fac, s.spare, s.work = nil, nil, nil, factored{}, factored{}, scratch{}
}

// wake recomputes the matrices that sleep released. The cost is O(np² + p³).
func (c *chain) wake(ctx context.Context) error {
	old := c.sys
	c.sys = newSystem(ctx, old.evidence, mat.NewDense(old.n, old.p, nil), old.head, old.ridge, Prior{old.intercept, old.a0, old.b0})
	c.sys.rows, c.sys.labels, c.sys.jitter = old.rows, old.labels, old.jitter
	if old.evidence == AugmentedEvidence {
		if err := c.weigh(); err != nil {
			return err
		}
	} else {
		if err := c.fill(); err != nil {
			return err
		}
		if err := c.sys.load(old.target); err != nil {
			return err
		}
	}
	if !c.sys.factor() {
		return c.sys.failure()
	}
	return nil
}

// become converts the initial chain, which has normal noise, to a chain with another evidence.
func (c *chain) become(e Evidence, labels []float64) error {
	c.sys.evidence, c.sys.labels, c.labels = e, labels, labels
	if e == AugmentedEvidence {
		if err := c.reweigh(make([]float64, c.sys.n)); err != nil {
			return err
		}
		if !c.sys.factor() {
			return c.sys.failure()
		}
		if err := c.augment(); err != nil {
			return err
		}
	}
	// The likelihood of least-squares coefficients always rises as λ falls, so it cannot choose λ.
	c.fixedRidge = c.fixedRidge || e == SurrogateEvidence
	if !c.sys.factor() {
		return c.sys.failure()
	}
	return nil
}

// value returns the log evidence that the trace reports.
func (c *chain) value() float64 {
	if c.sys.evidence == AugmentedEvidence {
		return c.trace
	}
	return c.sys.fac.logEv
}

func (c *chain) record(number, index, sweep int, shift float64) Sweep {
	out := Sweep{Machine: number, Chain: index, Number: sweep, LogEvidence: c.value() + shift, Ridge: c.sys.ridge, Alpha: c.w.alpha,
		Components: len(c.w.parts)}
	if c.proposed > 0 {
		out.Accepted = float64(c.taken) / float64(c.proposed)
	}
	return out
}

// leaveOneOut returns the scores of a draw. Each score leaves out its row with its complete weight: it is (f - h y)/(1 - h) with h
// = φ'A⁻¹φ, times the root of the weight. The cost is O(np²). It returns only the error of the context.
func (c *chain) leaveOneOut(d *features.Draw) ([]float64, error) {
	s := c.sys
	scores := make([]float64, s.n)
	fast.Gemv(blas.NoTrans, 1, s.phi.RawMatrix(), linalg.Vector(d.Coefficients), 0, linalg.Vector(scores))
	h, err := d.Quadratic(s.ctx, mat.DenseCopyOf(s.phi))
	if err != nil {
		return nil, err
	}
	for i, f := range scores {
		scores[i] = (f - h[i]*s.target[i]) / max(1-h[i], 1e-10)
	}
	return scores, nil
}
