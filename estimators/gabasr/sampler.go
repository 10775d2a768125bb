package gabasr

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	fitsteps "github.com/kernelearn/kernelearn/estimators/internal/progress"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// chainStream is the stream of a chain's numbers; the machine and the chain are added.
const chainStream = 0x676162617372 << 16 // "gabasr"

// settings is a configuration with its defaults.
type settings struct {
	typ            string
	pairs          int
	kind           Map
	evidence       evidenceOf
	class          classes.Weights
	sweeps, burnIn int // sweeps is 0 for the start alone
	noSweeps       bool
	noBurnIn       bool
	chains         int
	ridge          float64 // 0: sampled
	p0             prior
	plain          bool // no scaling
	degree         int  // of the trend
	covariances    int  // of each chain
	seed           uint64
	workers        int
	variances      bool // keep what variances need
	leaveOneOut    bool // compute leave-one-out scores
}

// withDefaults checks the fields and fills in the defaults.
func (s settings) withDefaults() (settings, error) {
	if s.kind < Stationary || s.kind > AllPairs {
		return s, fault.Param(s.typ, "Features", int(s.kind), "Stationary, Paired or AllPairs")
	}
	if err := cmp.Or(
		check.Workers(s.typ, s.workers),
		check.Setting(s.typ, "Pairs", s.pairs, "the default"),
		check.Setting(s.typ, "Sweeps", s.sweeps, "the default"),
		check.Setting(s.typ, "BurnIn", s.burnIn, "the default"),
		check.Setting(s.typ, "Chains", s.chains, "the default"),
		check.Setting(s.typ, "Covariances", s.covariances, "the default"),
		check.Setting(s.typ, "Ridge", s.ridge, "it to be sampled"),
		check.Setting(s.typ, "InterceptPrecision", s.p0.intercept, "the default"),
		check.Setting(s.typ, "NoiseShape", s.p0.a, "the default"),
		check.Setting(s.typ, "NoiseRate", s.p0.b, "the default"),
		checkDegree(s.typ, s.degree),
	); err != nil {
		return s, err
	}
	// Sums of these must not overflow before fitsMemory sees them.
	if err := check.Numbers(fmt.Sprintf("%s: %d sweeps, %d of burn-in, of %d chains", s.typ, s.sweeps, s.burnIn, s.chains),
		float64(s.sweeps)+float64(s.burnIn)+float64(s.chains), "take fewer Sweeps or Chains"); err != nil {
		return s, err
	}
	s.pairs, s.chains, s.covariances = cmp.Or(s.pairs, defaultPairs), cmp.Or(s.chains, defaultChains), cmp.Or(s.covariances, defaultCovariances)
	s.p0 = prior{cmp.Or(s.p0.intercept, defaultInterceptPrecision), cmp.Or(s.p0.a, defaultNoise), cmp.Or(s.p0.b, defaultNoise)}
	if s.noBurnIn {
		s.burnIn = 0
	}
	switch {
	case s.noSweeps:
		s.sweeps, s.burnIn = 0, 0
	case s.sweeps == 0:
		s.sweeps = defaultSweeps + max(0, s.burnIn-defaultBurnIn)
	}
	if s.burnIn == 0 && !s.noBurnIn {
		s.burnIn = min(defaultBurnIn, 2*s.sweeps/5)
	}
	if s.sweeps > 0 && s.burnIn >= s.sweeps {
		return s, fault.Param(s.typ, "BurnIn", s.burnIn, fmt.Sprintf("less than the %d sweeps", s.sweeps))
	}
	return s, nil
}

// Sweep is what is known at the end of a sweep of a chain.
type Sweep struct {
	Machine     int     // 0 for a regressor and for two classes, else the position of the class in Classes
	Chain       int     // from 0
	Number      int     // from 1; 0 is the start, which the evidence chose among random frequencies
	LogEvidence float64 // of the targets in their own units; for PolyaGamma the log likelihood of the coefficients drawn, for Surrogate that of the least-squares ones
	Ridge       float64
	Alpha       float64 // concentration of the Dirichlet process
	Components  int     // of the mixture of frequencies
	Accepted    float64 // share of the proposals; high for frequencies that do not matter, so no diagnostic
}

// machine is what is learnt of one target: draws and traces of all chains.
type machine struct {
	Draws    []*draw
	Baseline float64 // the highest log evidence of a start
	Trace    []Sweep
	Jitter   float64
	loo      []float64 // leave-one-out scores, averaged over the draws
}

// task is a target of a machine, in units of its own.
type task struct {
	target  []float64 // counted
	labels  []float64 // 0 or 1; nil for a regression
	logUnit float64   // log of the unit of the target
}

// run samples all chains of all tasks, in parallel, for counted rows x with a trend.
func (s settings) run(ctx context.Context, x, trend *mat.Dense, rows weights.Counts, tasks []task) ([]*machine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.fitsMemory(x, widthOf(trend), len(tasks)); err != nil {
		return nil, err
	}
	median, err := kernels.MedianSquaredDistance(ctx, x, s.seed)
	if err != nil {
		return nil, err
	}
	unit := 1 / math.Sqrt(median)
	if !(median > 0) || unit-unit != 0 {
		_, d := x.Dims()
		unit = 1 / math.Sqrt(float64(d))
	}
	runs := make([]*machine, len(tasks)*s.chains)
	steps := fitsteps.New(ctx, len(runs)*(s.sweeps+1))
	inner := s
	if len(runs) > 1 {
		inner.workers = 1 // the chains keep the processors busy
	}
	err = parallel.ForParts(ctx, s.workers, len(runs), func(ctx context.Context, i int) error {
		var err error
		t := tasks[i/s.chains]
		begin := &starter{settings: inner, x: x, trend: trend, rows: rows, target: t.target, unit: unit}
		runs[i], err = begin.run(ctx, t, i/s.chains, i%s.chains, len(runs) > 1, steps)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]*machine, len(tasks))
	for i := range out {
		out[i] = merge(runs[i*s.chains : (i+1)*s.chains])
	}
	return out, nil
}

// fitsMemory is an error for chains that take more than [check.MaxBytes]: the features and two factors of those that run
// beside each other, and the draws that all keep.
func (s settings) fitsMemory(x *mat.Dense, trend, tasks int) error {
	n, d := x.Dims()
	pairs, chains := float64(s.pairs), float64(tasks)*float64(s.chains)
	p := 1 + float64(trend) + 2*pairs
	beside := min(chains, float64(parallel.Workers(s.workers)))
	kept := float64(s.sweeps - s.burnIn + 1)
	numbers := beside*(2*p*p+float64(n)*p) + chains*(kept*(p+2*float64(s.pairs)*float64(d))+min(kept, float64(s.covariances))*p*p/2+10*float64(s.sweeps+1))
	return check.Numbers(fmt.Sprintf("%s: %.0f chains of %d pairs and %d sweeps", s.typ, chains, s.pairs, s.sweeps), numbers, "take fewer Pairs, Chains or Sweeps")
}

// merge joins the chains of a target.
func merge(chains []*machine) *machine {
	out := &machine{Baseline: math.Inf(-1)}
	for _, c := range chains {
		out.Draws = append(out.Draws, c.Draws...)
		out.Trace = append(out.Trace, c.Trace...)
		out.Baseline, out.Jitter = max(out.Baseline, c.Baseline), max(out.Jitter, c.Jitter)
		if out.loo == nil {
			out.loo = make([]float64, len(c.loo))
		}
		for i, v := range c.loo {
			out.loo[i] += v / float64(len(chains))
		}
	}
	return out
}

// startSweeps is how many sweeps take about as long as the start of a chain.
const startSweeps = 10

// run runs one chain of a machine, with numbers of a stream of its own.
func (s *starter) run(ctx context.Context, t task, machineNumber, chainNumber int, others bool, steps *fitsteps.Steps) (*machine, error) {
	s.rng = rand.New(rand.NewPCG(s.seed, chainStream+uint64(machineNumber)<<8+uint64(chainNumber)))
	first, rest := progress.Two(ctx, startSweeps, float64(s.sweeps))
	c, err := s.start(first)
	if err != nil {
		return nil, err
	}
	if s.evidence != normalEvidence {
		if err := c.become(s.evidence, t.labels); err != nil {
			return nil, err
		}
	}
	shift := -(s.rows.Total - float64(widthOf(s.trend))) * t.logUnit // what the trend takes has no density
	out := &machine{Baseline: c.value() + shift}
	record := func(sweep int) error {
		now := c.record(machineNumber, chainNumber, sweep, shift)
		out.Trace = append(out.Trace, now)
		out.Jitter = max(out.Jitter, c.sys.jitter)
		which := ""
		if others {
			which = fmt.Sprintf("machine %d, chain %d, ", machineNumber, chainNumber)
		}
		steps.Next(-now.LogEvidence, "%ssweep %d: log evidence %.2f, λ %.2g, %d components", which, sweep, now.LogEvidence, now.Ridge, now.Components)
		if sweep > s.burnIn || s.sweeps == 0 {
			d := c.keep()
			d.LogEv = c.value() + shift
			if s.leaveOneOut {
				if out.loo, err = c.addLeaveOneOut(out.loo, d, s.sweeps-s.burnIn); err != nil {
					return err
				}
			}
			at := len(out.Draws)
			if d.Holder = s.holder(at) - at; !s.variances || d.Holder != 0 {
				d.Factor = nil
			}
			if !s.variances {
				d.Holder = 0
			}
			out.Draws = append(out.Draws, d)
		}
		return nil
	}
	if err := record(0); err != nil {
		return nil, err
	}
	group := progress.Open(rest)
	for sweep := 1; sweep <= s.sweeps; sweep++ {
		// What in a sweep looks at the context says that it goes on.
		if err := c.sweep(group.Of(sweep-1, s.sweeps)); err != nil {
			return nil, err
		}
		if err := record(sweep); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// holder returns which of a chain's kept sweeps has the factor that the kept sweep at takes:
// the kept sweeps are divided evenly, and the middle one of each part has one.
func (s settings) holder(at int) int {
	kept := max(1, s.sweeps-s.burnIn)
	parts := min(s.covariances, kept)
	part := at * parts / kept
	first, end := (part*kept+parts-1)/parts, ((part+1)*kept+parts-1)/parts // those whose part it is
	return (first + end - 1) / 2
}

// become turns the chain of the start, with normal noise, into one of another evidence.
func (c *chain) become(e evidenceOf, labels []float64) error {
	c.sys.evidence, c.sys.labels, c.labels = e, labels, labels
	if e == augmentedEvidence {
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
	// Least-squares coefficients have the higher likelihood the less they are held back: λ is
	// no parameter that it could choose.
	c.fixedRidge = c.fixedRidge || e == surrogateEvidence
	if !c.sys.factor() {
		return c.sys.failure()
	}
	return nil
}

// value is what the trace shows.
func (c *chain) value() float64 {
	if c.sys.evidence == augmentedEvidence {
		return c.trace
	}
	return c.sys.fac.logEv
}

func (c *chain) record(number, index, sweep int, shift float64) Sweep {
	out := Sweep{Machine: number, Chain: index, Number: sweep, LogEvidence: c.value() + shift, Ridge: c.sys.ridge, Alpha: c.w.alpha, Components: len(c.w.parts)}
	if c.proposed > 0 {
		out.Accepted = float64(c.taken) / float64(c.proposed)
	}
	return out
}

// addLeaveOneOut adds the scores of a draw, each without its row and all that it weighs,
// (f - h y)/(1 - h) with h = φ'A⁻¹φ. Cost O(np²). The error is the context's.
func (c *chain) addLeaveOneOut(sum []float64, d *draw, draws int) ([]float64, error) {
	s := c.sys
	if sum == nil {
		sum = make([]float64, s.n)
	}
	scores := make([]float64, s.n)
	fast.Gemv(blas.NoTrans, 1, s.phi.RawMatrix(), linalg.Vector(d.Coefficients), 0, linalg.Vector(scores))
	h, err := d.quadratic(s.ctx, mat.DenseCopyOf(s.phi))
	if err != nil {
		return nil, err
	}
	for i, f := range scores {
		sum[i] += (f - h[i]*s.target[i]) / max(1-h[i], 1e-10) / float64(max(draws, 1)) / s.rows.Root(i)
	}
	return sum, nil
}

// splitRHat is the potential scale reduction of the log evidence over the halves of the
// chains after the burn-in (Gelman and others, Bayesian Data Analysis, 2013); NaN where a
// half has less than two sweeps.
func splitRHat(trace []Sweep, burnIn int) float64 {
	series := map[[2]int][]float64{}
	for _, s := range trace {
		if s.Number > burnIn {
			key := [2]int{s.Machine, s.Chain}
			series[key] = append(series[key], s.LogEvidence)
		}
	}
	var means, variances []float64
	length := 0
	for _, v := range series {
		length = len(v) / 2
		if length < 2 {
			return math.NaN()
		}
		for _, half := range [][]float64{v[:length], v[len(v)-length:]} {
			m, sq := 0.0, 0.0
			for _, e := range half {
				m += e / float64(length)
			}
			for _, e := range half {
				sq += (e - m) * (e - m) / float64(length-1)
			}
			means, variances = append(means, m), append(variances, sq)
		}
	}
	if len(means) == 0 {
		return math.NaN()
	}
	// The series come from a map: sums in a fixed order do not depend on it.
	slices.Sort(means)
	slices.Sort(variances)
	n := float64(length)
	grand, within, between := 0.0, 0.0, 0.0
	for i, m := range means {
		grand += m / float64(len(means))
		within += variances[i] / float64(len(means))
	}
	for _, m := range means {
		between += n * (m - grand) * (m - grand) / float64(len(means)-1)
	}
	if !(within > 0) {
		if between > 0 {
			return math.Inf(1)
		}
		return 1
	}
	return math.Sqrt((n-1)/n + between/(n*within))
}
