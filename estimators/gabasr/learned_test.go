package gabasr

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/sampler"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

var ctx = context.Background()

// problem returns n rows of two columns, a noisy wave of them as the target, and the sign of the wave as the label.
func problem(n int, seed uint64) (x *mat.Dense, y, labels []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	x, y, labels = mat.NewDense(n, 2, nil), make([]float64, n), make([]float64, n)
	for i := range y {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		y[i] = math.Sin(2*a) + 0.5*b + 0.2*rng.NormFloat64()
		if y[i]+rng.NormFloat64() > 0 {
			labels[i] = 1
		}
	}
	return x, y, labels
}

func fitted(t *testing.T, r *Regressor) (*Regressor, *mat.Dense, []float64) {
	t.Helper()
	x, y, _ := problem(60, 3)
	wide := mat.NewDense(60, 3, nil) // with a constant column, and with columns in other units
	for i := range 60 {
		wide.SetRow(i, []float64{1000 + 50*x.At(i, 0), 7, 0.01 * x.At(i, 1)})
	}
	require.NoError(t, r.Fit(ctx, wide, y))
	return r, wide, y
}

// Kernel, Map, Frequencies and the mean of the draws are the same functions of x in its own units.
func TestLearnedKernelAndMap(t *testing.T) {
	for _, m := range []Map{Stationary, Paired, AllPairs} {
		// With one kept sweep, the kernel equals the kernel of the map.
		r, x, _ := fitted(t, &Regressor{Pairs: 9, Features: m, Sweeps: 2, BurnIn: 1, Chains: 1})
		k := r.LearnedKernel()
		gram, err := kernels.Matrix(ctx, k, x, nil)
		require.NoError(t, err)
		z, err := r.Map().Transform(x)
		require.NoError(t, err)
		var want mat.Dense
		want.Mul(z, z.T())
		assert.True(t, mat.EqualApprox(gram, &want, 1e-9), "%v", m)
		assert.InDelta(t, gram.At(3, 4), k.Eval(x.RawRowView(3), x.RawRowView(4)), 1e-12)
		diag := make([]float64, 60)
		kernels.Diag(diag, k, x)
		assert.InDelta(t, gram.At(5, 5), diag[5], 1e-12)

		w := r.Frequencies()
		sum := 0.0
		rows, _ := w.Dims()
		for i := range rows {
			assert.Zero(t, w.At(i, 1), "the constant column")
			if m == Stationary {
				sum += math.Cos(w.At(i, 0)*(x.At(3, 0)-x.At(4, 0))+w.At(i, 2)*(x.At(3, 2)-x.At(4, 2))) / float64(rows)
			}
		}
		if m == Stationary {
			assert.InDelta(t, sum, gram.At(3, 4), 1e-9)
		}
		_, err = kernels.SpectralDensityOf(k)
		assert.Equal(t, m == Stationary, err == nil, "a spectral density")
	}
}

// A map whose frequencies are drawn from the learned kernel approximates this kernel.
func TestLearnedSpectrum(t *testing.T) {
	r, x, _ := fitted(t, &Regressor{Pairs: 9, Sweeps: 6, Chains: 2})
	k := r.LearnedKernel()
	f := &featuremap.RandomFourier{Kernel: k, Components: 20000}
	require.NoError(t, f.Fit(ctx, x))
	z, err := f.Transform(x)
	require.NoError(t, err)
	gram, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	var got mat.Dense
	got.Mul(z, z.T())
	got.Sub(&got, gram)
	assert.Less(t, mat.Norm(&got, math.Inf(1))/60, 0.02)
	again, _, _ := fitted(t, &Regressor{Pairs: 9, Sweeps: 6, Chains: 2})
	assert.Equal(t, k.String(), again.LearnedKernel().String(), "the same model, the same name")
	other, _, _ := fitted(t, &Regressor{Pairs: 9, Sweeps: 6, Chains: 2, Seed: 1})
	assert.NotEqual(t, k.String(), other.LearnedKernel().String())
	s := &svm.Classifier{Kernel: k}
	labels := make([]int, 60)
	for i := range labels {
		labels[i] = i % 2
	}
	assert.NoError(t, s.Fit(ctx, x, labels))
	two, _, _ := problem(60, 3)
	assert.ErrorIs(t, s.Fit(ctx, two, labels), estimators.ErrNotFinite, "rows of another width")
	g := &featuremap.RandomFourier{Kernel: k}
	require.NoError(t, g.Fit(ctx, two))
	_, err = g.Transform(two)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
	_, err = kernels.Matrix(ctx, k, two, nil)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
}

// The density integrates to one, is symmetric, and equals that of the mixture.
func TestSpectralDensity(t *testing.T) {
	x, y, _ := problem(80, 4)
	one := mat.NewDense(80, 1, mat.Col(nil, 0, x))
	one.Scale(5, one)
	r := &Regressor{Pairs: 15, Sweeps: 10, Chains: 2}
	require.NoError(t, r.Fit(ctx, one, y))
	const steps, extent = 200001, 400.0
	at := mat.NewDense(steps, 1, nil)
	for i := range steps {
		at.Set(i, 0, extent*(2*float64(i)/(steps-1)-1))
	}
	density, err := r.SpectralDensity(at)
	require.NoError(t, err)
	total := 0.0
	for i, v := range density {
		total += v * 2 * extent / (steps - 1)
		require.InDelta(t, v, density[steps-1-i], 1e-12*max(1, v))
	}
	assert.InDelta(t, 1, total, 0.01)
	weight, by := 0.0, 0.0
	for _, c := range r.Mixture() {
		weight += c.Weight
		s := math.Sqrt(c.Covariance.At(0, 0))
		for _, w := range []float64{0.31, -0.31} {
			e := (w - c.Mean[0]) / s
			by += c.Weight / 2 * math.Exp(-e*e/2) / s / math.Sqrt(2*math.Pi)
		}
	}
	assert.InDelta(t, 1, weight, 1e-12)
	got, err := r.SpectralDensity(mat.NewDense(1, 1, []float64{0.31}))
	require.NoError(t, err)
	assert.InDelta(t, by, got[0], 1e-9*by)
	_, err = r.SpectralDensity(mat.NewDense(1, 2, nil))
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = (&Regressor{}).SpectralDensity(at)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
}

func TestBeforeFit(t *testing.T) {
	r, c := &Regressor{}, &Classifier{}
	assert.Nil(t, r.Frequencies())
	assert.Nil(t, r.LocalFrequencies())
	assert.Nil(t, r.Mixture())
	assert.Nil(t, r.LocalMixture())
	assert.Nil(t, r.LearnedKernel())
	assert.Nil(t, r.Map())
	assert.Nil(t, r.Trace())
	assert.Zero(t, r.RHat())
	assert.Nil(t, c.Frequencies())
	assert.Nil(t, c.LearnedKernel())
	assert.Nil(t, c.Map())
	assert.Nil(t, c.LocalMixture())
}

// A context that is cancelled within a sweep ends the fit and leaves the model unchanged.
func TestCancelledWithinASweep(t *testing.T) {
	r, x, y := fitted(t, &Regressor{Pairs: 20, Sweeps: 4, Chains: 1})
	before := r.LearnedKernel().String()
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	r.Sweeps = 1000000
	r.Observe = func(s estimators.Step) {
		if s.Between {
			return
		}
		if s.Iteration == 3 {
			cancel() // the next sweep then stops at its first check, while it draws the mixture
		}
	}
	assert.ErrorIs(t, r.Fit(within, x, y), context.Canceled)
	assert.Equal(t, before, r.LearnedKernel().String())
}

// Chains do not depend on the number of workers.
func TestWorkersDoNotMatter(t *testing.T) {
	x, _, _ := problem(90, 6)
	labels := make([]int, 90)
	for i := range labels {
		labels[i] = i % 3
	}
	var want []Sweep
	for _, workers := range []int{1, 2, 7} {
		c := &Classifier{Pairs: 8, Sweeps: 5, Chains: 3, Workers: workers}
		require.NoError(t, c.Fit(ctx, x, labels))
		if want == nil {
			want = c.Trace()
			assert.Len(t, want, 3*3*6)
		}
		assert.Equal(t, want, c.Trace())
	}
}

// Fewer rows than columns of Φ, one column, repeated rows, one row, and huge numbers give a model or an error, never a panic.
func TestOddRows(t *testing.T) {
	x, y, _ := problem(6, 1)
	huge := mat.NewDense(6, 2, nil)
	huge.Scale(1e200, x)
	same := mat.NewDense(6, 2, nil)
	for name, rows := range map[string]*mat.Dense{"few": x, "huge": huge, "equal": same, "one column": mat.NewDense(6, 1, mat.Col(nil, 0, x))} {
		for _, m := range []Map{Stationary, Paired, AllPairs} {
			r := &Regressor{Pairs: 10, Features: m, Sweeps: 4}
			require.NoError(t, r.Fit(ctx, rows, y), name)
			mean, variance, err := r.PredictVariance(rows)
			require.NoError(t, err, name)
			for i := range mean {
				assert.False(t, math.IsNaN(mean[i]) || !(variance[i] > 0), name)
			}
		}
	}
	start := &Regressor{Pairs: 5, NoSweeps: true, Chains: 1}
	require.NoError(t, start.Fit(ctx, x, y))
	kept, baseline := start.LogEvidence()
	assert.Equal(t, baseline, kept, "no sweep, nothing but the start")
	assert.Len(t, start.Trace(), 1)
	r := &Regressor{Pairs: 3, Sweeps: 3, NoScaling: true}
	require.NoError(t, r.Fit(ctx, mat.NewDense(1, 1, []float64{3}), []float64{5}))
	err := (&Regressor{NoScaling: true}).Fit(ctx, x, []float64{1e300, 1, 1, 1, 1, 1})
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
	assert.ErrorIs(t, (&Classifier{}).Fit(ctx, x, make([]int, 6)), estimators.ErrShape)
}

func TestFieldsOutOfRange(t *testing.T) {
	x, y, _ := problem(6, 1)
	for want, r := range map[string]*Regressor{
		"gabasr: Regressor: Pairs = -1, want >= 1, or 0 for 50":                                       {Pairs: -1},
		"gabasr: Regressor: Features = 3, want Stationary, Paired or AllPairs":                        {Features: 3},
		"gabasr: Regressor: Sweeps = -2, want >= 1, or 0 for 25, doubled until the chains have mixed": {Sweeps: -2},
		"gabasr: Regressor: BurnIn = -1, want >= 1, or 0 for 10, or two fifths of the sweeps":         {BurnIn: -1},
		"gabasr: Regressor: BurnIn = 5, want less than the 5 sweeps":                                  {Sweeps: 5, BurnIn: 5},
		"gabasr: Regressor: Chains = -1, want >= 1, or 0 for 4":                                       {Chains: -1},
		"gabasr: Regressor: Covariances = -1, want >= 1, or 0 for 2":                                  {Covariances: -1},
		"gabasr: Regressor: Ridge = -1, want finite and > 0, or 0 for one that is sampled":            {Ridge: -1},
	} {
		err := r.Fit(ctx, x, y)
		assert.EqualError(t, err, want)
		assert.ErrorIs(t, err, estimators.ErrParam)
	}
	for _, r := range []*Regressor{{InterceptPrecision: math.NaN()}, {NoiseShape: -1}, {NoiseRate: math.Inf(1)}} {
		assert.ErrorIs(t, r.Fit(ctx, x, y), estimators.ErrParam)
	}
	assert.ErrorIs(t, (&Classifier{Likelihood: 3}).Fit(ctx, x, []int{0, 1, 0, 1, 0, 1}), estimators.ErrParam)
}

// The documented defaults equal those of a zero value.
func TestDefaults(t *testing.T) {
	s, err := (&Regressor{}).settings()
	require.NoError(t, err)
	assert.Equal(t, []int{sampler.DefaultPairs, sampler.DefaultSweeps, sampler.DefaultBurnIn, sampler.DefaultChains, sampler.DefaultCovariances}, []int{s.Pairs, s.Sweeps, s.BurnIn, s.Chains, s.Covariances})
	assert.Equal(t, sampler.Prior{Intercept: sampler.DefaultInterceptPrecision, Shape: sampler.DefaultNoise, Rate: sampler.DefaultNoise}, s.Prior)
	for _, c := range []struct {
		of             Regressor
		sweeps, burnIn int
	}{
		{Regressor{Sweeps: 10}, 10, 4},
		{Regressor{BurnIn: 5}, sampler.DefaultSweeps, 5},
		{Regressor{BurnIn: 30}, sampler.DefaultSweeps + 20, 30},
		{Regressor{NoBurnIn: true}, sampler.DefaultSweeps, 0},
		{Regressor{Sweeps: 3, BurnIn: 7, NoBurnIn: true}, 3, 0},
		{Regressor{Sweeps: 3, BurnIn: 7, NoSweeps: true}, 0, 0},
	} {
		s, err := c.of.settings()
		require.NoError(t, err)
		assert.Equal(t, []int{c.sweeps, c.burnIn}, []int{s.Sweeps, s.BurnIn}, "%+v", c.of)
	}
}

// Golden files stay readable and give the same predictions as a fit with the current code, up to rounding.
func TestGoldenFiles(t *testing.T) {
	x, y, labels := problem(30, 2)
	at := mat.NewDense(2, 2, []float64{0.3, -1, 2, 0.5})
	for name, r := range map[string]*Regressor{
		"Regressor-v1.keln":       {Pairs: 4, Sweeps: 12, Chains: 2},
		"Regressor-pairs-v1.keln": {Pairs: 4, Features: Paired, Sweeps: 6, Chains: 2, Trend: 2},
	} {
		require.NoError(t, r.Fit(ctx, x, y))
		read := &Regressor{}
		require.NoError(t, read.UnmarshalBinary(golden.Model(t, name, r.MarshalBinary)))
		mean, variance, err := r.PredictVariance(at)
		require.NoError(t, err)
		gotMean, gotVariance, err := read.PredictVariance(at)
		require.NoError(t, err)
		assert.InDeltaSlice(t, mean, gotMean, 1e-6)
		assert.InDeltaSlice(t, variance, gotVariance, 1e-6)
		kept := 0
		for i, s := range read.Trace() {
			assert.Equal(t, r.Trace()[i].Kept, s.Kept, "%s: sweep %d", name, s.Number)
			if s.Kept {
				kept++
			}
		}
		assert.Len(t, read.m.machines[0].Draws, kept)
		assert.Len(t, read.Trace(), len(r.Trace()))
		assert.InDelta(t, r.RHat(), read.RHat(), 1e-6)
	}
	classes := make([]int, 30)
	for i, l := range labels {
		classes[i] = int(l)
	}
	for name, c := range map[string]*Classifier{
		"Classifier-v1.keln":             {Pairs: 4, Sweeps: 12, Chains: 2},
		"Classifier-polya-gamma-v1.keln": {Pairs: 4, Sweeps: 6, Chains: 1, Likelihood: PolyaGamma},
	} {
		require.NoError(t, c.Fit(ctx, x, classes))
		read := &Classifier{}
		require.NoError(t, read.UnmarshalBinary(golden.Model(t, name, c.MarshalBinary)))
		p, err := c.PredictProba(at)
		require.NoError(t, err)
		got, err := read.PredictProba(at)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(p, got, 1e-6))
	}
}
