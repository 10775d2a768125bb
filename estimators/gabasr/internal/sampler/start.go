package sampler

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// These constants define the grid of initial models. Frequencies have the standard deviation 2^e over the median distance of rows,
// as do local frequencies for a map that is not stationary, and λ is varied in decades. With one column, the rows can distinguish
// high frequencies, so the grid extends to larger e.
const (
	startLow, startHigh, startHighOne = -3, 2, 6
	ridgeLow, ridgeHigh               = -5, 1
	// startRows is the largest number of rows for the choice of frequencies.
	startRows = 2000
)

var localExponents = []int{-3, -1, 1}

// candidate is an initial model: the scales of the frequencies and, unless drawn is nil, frequencies drawn from the periodogram.
// The latter replace half of the other frequencies.
type candidate struct {
	scale, local float64
	drawn        *mat.Dense
}

// starter chooses the initial model of a chain by the evidence with normal noise.
type starter struct {
	Settings
	x      *mat.Dense
	trend  *mat.Dense // columns of the trend for the rows of x; nil without a trend
	rows   weights.Counts
	target []float64 // of weighted rows
	unit   float64   // 1/median distance
	rng    *rand.Rand
}

// counts returns the number of frequencies w and the number of frequencies v.
func (s Settings) counts() (w, v int) {
	switch s.Map {
	case features.Paired:
		return s.Pairs, s.Pairs
	case features.AllPairs:
		k := int(math.Sqrt(float64(s.Pairs)))
		return k, k
	}
	return s.Pairs, 0
}

// start returns a chain with the features that have the highest evidence. The chain has its factor, and its system has normal
// noise. The cost of a candidate is O(np²), for at most startRows rows, plus p³ for each λ.
func (s *starter) start(ctx context.Context) (*chain, error) {
	_, d := s.x.Dims()
	m, k := s.counts()
	eps := normals(m, d, s.rng)
	var epsLocal *mat.Dense
	if k > 0 {
		epsLocal = normals(k, d, s.rng)
	}
	some := s
	if n, _ := s.x.Dims(); n > startRows {
		if part := s.sample(); part.rows.Total > 2*float64(features.WidthOf(s.trend)) {
			some = part
		}
	}
	drawn := []*mat.Dense{nil}
	if spectrum := periodogram(some.x, some.target, some.rows, s.Degree); spectrum != nil && m > 1 {
		// The frequencies are drawn in proportion to the power and to its root. The latter favours weaker waves.
		drawn = append(drawn, spectrum.draw(m/2, 1, s.rng), spectrum.draw(m/2, 0.5, s.rng))
	}
	trial := some.chain(ctx)
	best, bestEv := candidate{}, math.Inf(-1)
	bestRidge := 0.0
	candidates := s.candidates(d, drawn)
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for i, c := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		loop.Report(float64(i) / float64(len(candidates)+1))
		frequencies(trial, c, eps, epsLocal)
		if err := trial.fill(); err != nil {
			return nil, err
		}
		if err := trial.sys.load(some.target); err != nil {
			return nil, err
		}
		if ridge, ev := trial.sys.bestRidge(s.ridges()); ev > bestEv {
			best, bestEv, bestRidge = c, ev, ridge
		}
	}
	if math.IsInf(bestEv, -1) {
		return nil, trial.sys.failure()
	}
	c := trial
	if some != s {
		c = s.chain(ctx)
	}
	s.assign(c, best, eps, epsLocal)
	if err := c.fill(); err != nil {
		return nil, err
	}
	if err := c.sys.load(s.target); err != nil {
		return nil, err
	}
	if some != s { // all rows may need another λ than the sample
		bestRidge, _ = c.sys.bestRidge(s.ridges())
	}
	c.sys.ridge = bestRidge
	if !c.sys.factor() {
		return nil, c.sys.failure()
	}
	return c, ctx.Err()
}

// bestRidge returns the λ with the highest evidence, or 0 and -Inf if no matrix can be factored.
func (s *system) bestRidge(among []float64) (ridge, ev float64) {
	ev = math.Inf(-1)
	for _, l := range among {
		if s.factorAt(l, &s.spare) && s.spare.logEv > ev {
			ridge, ev = l, s.spare.logEv
		}
	}
	return ridge, ev
}

func (s *starter) ridges() (out []float64) {
	if s.Ridge > 0 {
		return []float64{s.Ridge}
	}
	for e := ridgeLow; e <= ridgeHigh; e++ {
		out = append(out, math.Pow(10, float64(e)))
	}
	return out
}

func (s *starter) candidates(d int, drawn []*mat.Dense) (out []candidate) {
	high := startHigh
	if d == 1 {
		high = startHighOne
	}
	local := []int{0}
	if s.Map != features.Stationary {
		local = localExponents
	}
	for e := startLow; e <= high; e++ {
		for _, l := range local {
			for _, f := range drawn {
				out = append(out, candidate{scale: math.Ldexp(s.unit, e), local: math.Ldexp(s.unit, l), drawn: f})
			}
		}
	}
	return out
}

// chain returns a chain whose matrices have the sizes of the settings and are still empty.
func (s *starter) chain(ctx context.Context) *chain {
	n, d := s.x.Dims()
	m, k := s.counts()
	pairs := m
	if s.Map == features.AllPairs {
		pairs = m * k
	}
	c := &chain{x: s.x, trend: s.trend, kind: s.Map, rng: s.rng, workers: s.Workers, roots: s.rows.Roots,
		w: &mixture{omega: mat.NewDense(m, d, nil)}, fixedRidge: s.Ridge > 0}
	if k > 0 {
		c.v = &mixture{omega: mat.NewDense(k, d, nil)}
	}
	head := 1 + features.WidthOf(s.trend)
	c.sys = newSystem(ctx, NormalEvidence, mat.NewDense(n, head+2*pairs, nil), head, 1, s.Prior)
	c.sys.rows = s.rows
	return c
}

// frequencies sets only the frequencies of the chain to those of the candidate, because the evidence needs nothing else.
func frequencies(c *chain, k candidate, eps, epsLocal *mat.Dense) {
	c.w.omega.Scale(k.scale, eps)
	if c.v != nil {
		c.v.omega.Scale(k.local, epsLocal)
	}
	if k.drawn != nil {
		count, _ := k.drawn.Dims()
		for i := range count {
			c.w.omega.Set(i, 0, k.drawn.At(i, 0))
		}
	}
}

// assign sets the frequencies of the chain to those of the candidate, and gives them matching mixtures.
func (s *starter) assign(c *chain, k candidate, eps, epsLocal *mat.Dense) {
	frequencies(c, k, eps, epsLocal)
	w := c.w.omega
	c.w = newMixture(w, k.scale)
	if c.v != nil {
		c.v = newMixture(c.v.omega, k.local)
	}
	drawn := k.drawn
	if drawn == nil {
		return
	}
	// Drawn frequencies get a separate component, because otherwise the first steps would draw all frequencies from the same wide
	// range.
	count, _ := drawn.Dims()
	mean, square := 0.0, 0.0
	for i := range count {
		f := drawn.At(i, 0)
		c.w.z[i] = 1
		mean += f / float64(count)
		square += f * f / float64(count)
	}
	spread := math.Sqrt(max(square-mean*mean, k.scale*k.scale))
	root := mat.NewTriDense(1, mat.Lower, []float64{1 / spread})
	c.w.parts[0].n -= count
	c.w.parts = append(c.w.parts, &component{n: count, mu: []float64{mean}, root: root})
}

func normals(m, d int, rng *rand.Rand) *mat.Dense {
	out := mat.NewDense(m, d, nil)
	for i := range m {
		row := out.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	return out
}

// sample returns a starter that uses startRows of the rows.
func (s *starter) sample() *starter {
	n, _ := s.x.Dims()
	of := s.rng.Perm(n)[:startRows]
	out := *s
	out.x, out.target = linalg.Rows(s.x, of), make([]float64, startRows)
	if s.trend != nil {
		out.trend = linalg.Rows(s.trend, of)
	}
	own := make([]float64, startRows)
	for i, row := range of {
		out.target[i], own[i] = s.target[row], s.rows.Weight(row)
	}
	if s.rows.Roots == nil {
		own = nil
	}
	out.rows = weights.NewCounts(own, startRows)
	return &out
}

// spectrum holds the power of a series at the frequencies step, 2·step, ...
type spectrum struct {
	step  float64
	power []float64
}

// periodogram returns the spectrum of weighted targets minus their least-squares parabola, or minus a cubic if the trend has degree
// 3. The steps are half a wave, and the highest frequency has as many half waves as there are rows. It returns nil for more than
// one column, for few rows, or if there is no power.
func periodogram(x *mat.Dense, target []float64, of weights.Counts, degree int) *spectrum {
	n, d := x.Dims()
	if d != 1 || n < 8 {
		return nil
	}
	t := mat.Col(nil, 0, x)
	low, high := t[0], t[0]
	for _, v := range t {
		low, high = min(low, v), max(high, v)
	}
	if !(high > low) {
		return nil
	}
	trend, rest := mat.NewDense(n, max(2, degree)+1, nil), mat.NewVecDense(n, append([]float64(nil), target...))
	for i, v := range t {
		u := 2*(v-low)/(high-low) - 1
		r := of.Root(i)
		row := []float64{r, r * u, r * (u*u - 1.0/3), r * u * (u*u - 0.6)}
		trend.SetRow(i, row[:max(2, degree)+1])
	}
	var b mat.VecDense
	// If x has only two distinct values, there is no parabola, and the targets stay unchanged.
	if b.SolveVec(trend, rest) == nil {
		var fit mat.VecDense
		fast.MulVec(&fit, trend, &b)
		rest.SubVec(rest, &fit)
	}
	of.Apply(rest.RawVector().Data)
	s := &spectrum{step: math.Pi / (high - low), power: make([]float64, n)}
	total := 0.0
	for k := range s.power {
		re, im := 0.0, 0.0
		for i, v := range t {
			sin, cos := math.Sincos(float64(k+1) * s.step * (v - low))
			re, im = re+rest.AtVec(i)*cos, im+rest.AtVec(i)*sin
		}
		s.power[k] = re*re + im*im
		total += s.power[k]
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return nil
	}
	for k := range s.power {
		s.power[k] /= total
	}
	return s
}

// draw returns frequencies, drawn in proportion to a power of the spectrum, each uniform within its step. The draw is systematic,
// so that a peak with an expected count of one is not missed.
func (s *spectrum) draw(count int, exponent float64, rng *rand.Rand) *mat.Dense {
	share := make([]float64, len(s.power))
	total := 0.0
	for k, p := range s.power {
		share[k] = math.Pow(p, exponent)
		total += share[k]
	}
	out := mat.NewDense(count, 1, nil)
	offset, below, k := rng.Float64(), 0.0, 0
	for i := range count {
		at := (float64(i) + offset) / float64(count) * total
		for ; k < len(share)-1 && at >= below+share[k]; k++ {
			below += share[k]
		}
		out.Set(i, 0, s.step*(float64(k)+0.5+rng.Float64()))
	}
	return out
}
