package gabasr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/sampler"
)

// curve is a function of one column in [0, high], with the settings of its data: n rows, and noise with the given standard
// deviation.
type curve struct {
	name        string
	n           int
	high, noise float64
	f           func(t float64) float64
}

var curves = []curve{
	{"sine", 60, 10, .3, math.Sin},
	{"two waves", 80, 12, .15, func(t float64) float64 { return math.Sin(t) + .3*math.Sin(3.1*t) }},
	{"step", 120, 10, .2, func(t float64) float64 { return math.Max(0, math.Copysign(1, t-4)) }},
	{"record", 96, 8, .4, func(t float64) float64 {
		return .8*t + .012*t*t + 2.5*math.Sin(2*math.Pi*t) + .8*math.Sin(4*math.Pi*t+1)
	}},
}

func (c curve) rows(seed uint64) (x *mat.Dense, y []float64, at *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, uint64(c.n)))
	x, y, at = mat.NewDense(c.n, 1, nil), make([]float64, c.n), mat.NewDense(200, 1, nil)
	for i := range y {
		x.Set(i, 0, c.high*rng.Float64())
		y[i] = c.f(x.At(i, 0)) + c.noise*rng.NormFloat64()
	}
	for i := range 200 {
		at.Set(i, 0, c.high*(float64(i)+.5)/200)
	}
	return x, y, at
}

// apart returns the root mean squared difference between the predictions, in standard deviations of the noise.
func (c curve) apart(t *testing.T, a, b *Regressor, at *mat.Dense) float64 {
	t.Helper()
	f, err := a.Predict(at)
	require.NoError(t, err)
	g, err := b.Predict(at)
	require.NoError(t, err)
	sum := 0.0
	for i := range f {
		sum += (f[i] - g[i]) * (f[i] - g[i]) / float64(len(f))
	}
	return math.Sqrt(sum) / c.noise
}

func longest(trace []Sweep) (sweeps int) {
	for _, s := range trace {
		sweeps = max(sweeps, s.Number)
	}
	return sweeps
}

// With default settings the chains of most small fits mix, according to the R-hat of their predictions. These predictions are then
// near those with another seed and with chains twice as long. Otherwise a warning reports the difference, and which settings help.
func TestDefaultsMix(t *testing.T) {
	fits, mixed := 0, 0
	for i, c := range curves {
		for seed := uint64(7); seed < 9; seed++ {
			if i == 2 || i == 3 && seed > 7 {
				continue // these take long
			}
			name := fmt.Sprint(c.name, ", seed ", seed)
			x, y, at := c.rows(seed)
			r, other := &Regressor{Seed: seed}, &Regressor{Seed: seed + 1000}
			require.NoError(t, r.Fit(ctx, x, y), name)
			require.NoError(t, other.Fit(ctx, x, y), name)
			fits++
			report, apart := r.Report(), c.apart(t, r, other, at)
			assert.Equal(t, r.RHat() < sampler.MixedBelow, report.Converged, name)
			t.Logf("%s: %d sweeps, R-hat %.3f, another seed %.3f", name, longest(r.Trace()), r.RHat(), apart)
			if !report.Converged {
				assert.Equal(t, sampler.DefaultSweeps<<sampler.DefaultDoublings, longest(r.Trace()), "%s: chains continue", name)
				assert.Contains(t, strings.Join(report.Warnings, "; "), "after 200 sweeps", name)
				continue
			}
			mixed++
			assert.NotContains(t, strings.Join(report.Warnings, "; "), "R-hat", name)
			assert.Less(t, apart, .3, "%s: of another seed", name)
			if longest(r.Trace()) > 50 || testing.Short() {
				continue
			}
			twice := &Regressor{Seed: seed, Sweeps: 2 * longest(r.Trace()), BurnIn: 4 * longest(r.Trace()) / 5}
			require.NoError(t, twice.Fit(ctx, x, y), name)
			assert.Less(t, c.apart(t, r, twice, at), .25, "%s: twice as long", name)
		}
	}
	assert.GreaterOrEqual(t, mixed, fits-1, "of %d", fits)
}

// Among chains of a given length, those whose R-hat causes a warning differ more from chains with another seed than the others do.
// On average, the difference agrees with the warning within a factor of two.
func TestWarningIsRight(t *testing.T) {
	var of [2][]float64 // differences without and with a warning
	expected := 0.0
	for _, c := range curves {
		for seed := uint64(21); seed < 26; seed++ {
			x, y, at := c.rows(seed)
			r, other := &Regressor{Seed: seed, Sweeps: 15, BurnIn: 5, Pairs: 30}, &Regressor{Seed: seed + 1000, Sweeps: 15, BurnIn: 5, Pairs: 30}
			require.NoError(t, r.Fit(ctx, x, y))
			require.NoError(t, other.Fit(ctx, x, y))
			assert.Equal(t, 15, longest(r.Trace()), "a given number of sweeps is not changed")
			apart := c.apart(t, r, other, at)
			if r.Report().Converged {
				of[0] = append(of[0], apart)
				continue
			}
			of[1] = append(of[1], apart)
			says := 0.0
			_, text, _ := strings.Cut(strings.Join(r.Report().Warnings, "; "), "differ by about ")
			_, err := fmt.Sscan(text, &says)
			require.NoError(t, err, text)
			expected += says
		}
	}
	mean := func(v []float64) float64 {
		sum := 0.0
		for _, e := range v {
			sum += e / float64(len(v))
		}
		return sum
	}
	require.Greater(t, min(len(of[0]), len(of[1])), 3)
	t.Logf("%d mixed, of another seed %.3f; %d with a warning of %.3f, %.3f", len(of[0]), mean(of[0]), len(of[1]), expected/float64(len(of[1])), mean(of[1]))
	assert.Greater(t, mean(of[1]), 1.5*mean(of[0]))
	assert.Less(t, mean(of[1]), 2*expected/float64(len(of[1])))
	assert.Greater(t, mean(of[1]), expected/float64(len(of[1]))/2)
}

// Continued chains are the same for any number of workers, and their model has the usual size. Each machine is continued
// separately.
func TestChainsGoOn(t *testing.T) {
	x, y, at := curves[3].rows(11)
	var want []float64
	for _, workers := range []int{1, 3} {
		r := &Regressor{Pairs: 12, Workers: workers, Seed: 3}
		require.NoError(t, r.Fit(ctx, x, y))
		got, err := r.Predict(at)
		require.NoError(t, err)
		if want == nil {
			want = got
		}
		assert.Equal(t, want, got)
		sweeps, draws := longest(r.Trace()), r.m.machines[0].Draws
		assert.Greater(t, sweeps, sampler.DefaultSweeps, "it is a hard one")
		assert.Equal(t, sampler.DefaultChains*sweeps, r.Report().Iterations)
		assert.Len(t, draws, sampler.DefaultChains*(sampler.DefaultSweeps-sampler.DefaultBurnIn))
		factors := 0
		for _, d := range draws {
			if len(d.Factor) > 0 {
				factors++
			}
		}
		assert.Equal(t, sampler.DefaultChains*sampler.DefaultCovariances, factors)
		every := sweeps / sampler.DefaultSweeps
		for i, s := range r.Trace() {
			assert.Equal(t, i%(sweeps+1), s.Number)
			assert.Equal(t, s.Number > every*sampler.DefaultBurnIn && s.Number%every == 0, s.Kept)
		}
		data, err := r.MarshalBinary()
		require.NoError(t, err)
		read := &Regressor{}
		require.NoError(t, read.UnmarshalBinary(data))
		assert.Equal(t, r.RHat(), read.RHat())
		assert.Equal(t, r.Trace(), read.Trace())
	}

	// One of the three classes is separated from the others, and its machine mixes early. The labels of the other rows are random.
	rng := rand.New(rand.NewPCG(1, 1))
	labels, rows := make([]int, 90), mat.NewDense(90, 1, nil)
	for i := range labels {
		labels[i] = i % 3
		rows.Set(i, 0, float64(labels[i]/2*20)+4*rng.Float64())
	}
	for _, likelihood := range []Likelihood{Normal, PolyaGamma} {
		var want *mat.Dense
		for _, workers := range []int{1, 3} {
			c := &Classifier{Pairs: 12, Workers: workers, Likelihood: likelihood}
			require.NoError(t, c.Fit(ctx, rows, labels))
			p, err := c.PredictProba(rows)
			require.NoError(t, err)
			if want == nil {
				want = p
			}
			assert.True(t, mat.Equal(want, p))
			lengths := map[int]bool{}
			for _, m := range c.m.machines {
				assert.Len(t, m.Draws, sampler.DefaultChains*(sampler.DefaultSweeps-sampler.DefaultBurnIn), "%v", likelihood)
				lengths[len(m.Trace)] = true
			}
			assert.Greater(t, len(lengths), 1, "%v: %v", likelihood, lengths)
		}
	}
}
