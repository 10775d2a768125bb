package sampler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// geweke is a complete small model, in which x is fixed and everything else is drawn.
type geweke struct {
	*chain
	rng *rand.Rand
}

var gewekePrior = Prior{Intercept: 1, Shape: 3, Rate: 3}

func newGeweke(t *testing.T, kind features.Map, e Evidence, degree int, seed uint64) *geweke {
	t.Helper()
	x := mat.NewDense(5, 1, []float64{-1.5, -0.4, 0.3, 0.9, 2})
	g := &geweke{rng: rand.New(rand.NewPCG(seed, 3))}
	s := &starter{Settings: Settings{Pairs: 4, Map: kind, Prior: gewekePrior, Workers: 1}, x: x, rows: weights.NewCounts(nil, 5), rng: g.rng}
	if degree > 0 {
		of, err := features.NewTrend(ctx, "test", x, s.rows, degree)
		require.NoError(t, err)
		s.trend = of.Columns(x)
	}
	g.chain = s.chain(ctx)
	g.sys.trend = 0.5 // a flat prior has no draws, so the trend gets a proper one
	g.sys.evidence = e
	return g
}

// fromPrior draws all parameters and the targets.
func (g *geweke) fromPrior() {
	for _, x := range []**mixture{&g.w, &g.v} {
		if *x == nil {
			continue
		}
		m := newMixture((*x).omega, 1)
		m.alpha, m.parts = distuv.Gamma{Alpha: 1, Beta: 1, Src: g.rng}.Rand(), nil
		rows, _ := m.omega.Dims()
		for i := range rows {
			u := g.rng.Float64() * (float64(i) + m.alpha)
			k := 0
			for ; k < len(m.parts) && u >= float64(m.parts[k].n); k++ {
				u -= float64(m.parts[k].n)
			}
			if k == len(m.parts) {
				for j := i; j < rows; j++ {
					m.z[j] = -1 // not yet drawn
				}
				m.parts = append(m.parts, m.fromPrior(ctx, g.rng))
			}
			m.z[i] = k
			m.parts[k].n++
			m.parts[k].draw(m.omega.RawRowView(i), g.rng)
		}
		*x = m
	}
	g.sys.ridge = math.Exp(ridgePriorMean + ridgePriorSD*g.rng.NormFloat64())
	g.roots, g.omega = nil, nil
	g.fill()
	if g.sys.evidence == NormalEvidence {
		g.targets()
		return
	}
	scores := g.priorScores(1)
	g.classes(scores)
}

// priorScores returns Φw with w drawn from the prior, for noise of the given variance.
func (g *geweke) priorScores(variance float64) []float64 {
	w := make([]float64, g.sys.p)
	for i := range w {
		w[i] = g.rng.NormFloat64() * math.Sqrt(variance/g.sys.precision(i, g.sys.ridge))
	}
	return g.scores(w)
}

// targets draws the targets of the normal model, given frequencies and λ.
func (g *geweke) targets() {
	variance := 1 / distuv.Gamma{Alpha: gewekePrior.Shape, Beta: gewekePrior.Rate, Src: g.rng}.Rand()
	y := g.priorScores(variance)
	for i := range y {
		y[i] += math.Sqrt(variance) * g.rng.NormFloat64()
	}
	g.sys.load(y)
	g.sys.factor()
}

// classes draws the labels and the Pólya-Gamma variables of the logistic model.
func (g *geweke) classes(scores []float64) {
	g.labels = make([]float64, len(scores))
	for i, f := range scores {
		if g.rng.Float64() < vecmath.Sigmoid(f) {
			g.labels[i] = 1
		}
	}
	g.reweigh(scores)
	g.sys.factor()
}

// again draws new data, given the parameters.
func (g *geweke) again() {
	if g.sys.evidence == NormalEvidence {
		g.targets()
		return
	}
	g.classes(g.scores(g.drawCoefficients()))
}

// statistics returns statistics that are bounded or have light tails, because the moments of a frequency do not exist.
func (g *geweke) statistics() []float64 {
	l := math.Log(g.sys.ridge)
	out := []float64{l, l * l, math.Tanh(g.sys.target[0] * g.sys.target[1]), math.Tanh(g.sys.target[2])}
	if g.labels != nil {
		out[2], out[3] = g.labels[0]*g.labels[1], g.labels[2]
	}
	for _, x := range []*mixture{g.w, g.v} {
		if x == nil {
			continue
		}
		sum, first := 0.0, x.omega.At(0, 0)
		rows, _ := x.omega.Dims()
		for i := range rows {
			sum += math.Log1p(x.omega.At(i, 0) * x.omega.At(i, 0))
		}
		same := 0.0
		if x.z[0] == x.z[1] {
			same = math.Tanh(first * x.omega.At(1, 0))
		}
		out = append(out, sum, math.Tanh(first), math.Tanh(first*first)*out[2], float64(len(x.parts)), math.Log(x.alpha), same)
	}
	return out
}

// The chain leaves the joint distribution of parameters and data invariant (J. Geweke, JASA 99, 2004): draws from the prior, and a
// run of sweeps that alternate with new data, have the same moments.
func TestJointDistribution(t *testing.T) {
	if testing.Short() {
		t.Skip("many draws on one goroutine")
	}
	const runs, draws, batch = 8000, 8000, 400
	for _, e := range []Evidence{NormalEvidence, AugmentedEvidence} {
		for _, c := range []struct {
			kind   features.Map
			degree int
			step   float64 // largest step of the moves to nearby values, which only continued chains make
		}{{features.Stationary, 0, 0}, {features.Paired, 0, 0}, {features.AllPairs, 0, 0}, {features.Stationary, 2, 0}, {features.AllPairs, 1, 0}, {features.Stationary, 0, 2}, {features.Paired, 0, 2}, {features.AllPairs, 0, 2}} {
			t.Run(fmt.Sprintf("evidence %d/%v/degree %d/step %v", e, c.kind, c.degree, c.step), func(t *testing.T) {
				independent := newGeweke(t, c.kind, e, c.degree, 1)
				var sum, square []float64
				for range draws {
					independent.fromPrior()
					s := independent.statistics()
					if sum == nil {
						sum, square = make([]float64, len(s)), make([]float64, len(s))
					}
					for i, v := range s {
						sum[i] += v / draws
						square[i] += v * v / draws
					}
				}
				run := newGeweke(t, c.kind, e, c.degree, 2)
				run.fromPrior()
				run.step = c.step
				means := make([][]float64, len(sum))
				for step := range runs {
					if err := run.sweep(ctx); err != nil {
						t.Fatal(err)
					}
					run.again()
					if step%batch == 0 {
						for i := range means {
							means[i] = append(means[i], 0)
						}
					}
					for i, v := range run.statistics() {
						means[i][len(means[i])-1] += v / batch
					}
				}
				for i, m := range means {
					mean, spread := 0.0, 0.0
					for _, v := range m {
						mean += v / float64(len(m))
					}
					for _, v := range m {
						spread += (v - mean) * (v - mean)
					}
					k := float64(len(m))
					z := (mean - sum[i]) / math.Sqrt(spread/(k-1)/k+(square[i]-sum[i]*sum[i])/draws)
					assert.Less(t, math.Abs(z), 4.0, "statistic %d: %.4f, from the prior %.4f", i, mean, sum[i])
				}
			})
		}
	}
}
