package rvm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// friedman returns Friedman's first function of the first five of eight columns, with noise of standard deviation 1.
func friedman(n int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x, y := mat.NewDense(n, 8, nil), make([]float64, n)
	for i := range y {
		v := x.RawRowView(i)
		for j := range v {
			v[j] = rng.Float64()
		}
		y[i] = 10*math.Sin(math.Pi*v[0]*v[1]) + 20*(v[2]-.5)*(v[2]-.5) + 10*v[3] + 5*v[4] + rng.NormFloat64()
	}
	return x, y
}

func covered(t *testing.T, r *Regressor, x mat.Matrix, y []float64) float64 {
	low, high, err := r.PredictInterval(x, 0.95)
	require.NoError(t, err)
	within := 0
	for i, v := range y {
		if low[i] <= v && v <= high[i] {
			within++
		}
	}
	return float64(within) / float64(len(y))
}

// Over a number of draws, 95% intervals contain 95% of new rows, within three standard errors of the coverage. The intervals from
// the paper's variance cover fewer of the same rows, because a narrow kernel in five columns leaves much unexplained between its
// vectors.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("two dozen fits, one after the other")
	}
	const draws = 12
	var calibrated, bare []float64
	for seed := range uint64(draws) {
		x, y := friedman(120, seed)
		fresh, targets := friedman(1000, seed+100)
		r := &Regressor{Kernel: kernels.RBF{Gamma: 2}}
		require.NoError(t, r.Fit(ctx, x, y))
		calibrated = append(calibrated, covered(t, r, fresh, targets))
		r.NoCalibration = true
		require.NoError(t, r.Fit(ctx, x, y))
		bare = append(bare, covered(t, r, fresh, targets))
	}
	mean := func(v []float64) (mean, standardError float64) {
		for _, a := range v {
			mean += a / draws
		}
		for _, a := range v {
			standardError += (a - mean) * (a - mean) / (draws - 1)
		}
		return mean, math.Sqrt(standardError / draws)
	}
	m, e := mean(calibrated)
	b, _ := mean(bare)
	t.Logf("calibrated %.3f ± %.3f, the paper's %.3f", m, e, b)
	assert.InDelta(t, 0.95, m, 3*max(e, math.Sqrt(.95*.05/(1000*draws))))
	assert.Less(t, b, 0.93)
}

// Where rows are dense, the band is as wide as the noise, even with few vectors. Where there are no rows, it widens to the variance
// of the targets.
func TestBandInOneColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	n := 300
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range y {
		v := 6*rng.Float64() - 3
		if v > 0 {
			v += 4 // no rows from 0 to 4
		}
		x.Set(i, 0, v)
		y[i] = math.Sin(2*v) + 0.1*rng.NormFloat64()
	}
	r := &Regressor{Kernel: kernels.RBF{Gamma: 5}}
	require.NoError(t, r.Fit(ctx, x, y))
	deviations := func(at ...float64) []float64 {
		_, v, err := r.PredictVariance(mat.NewDense(len(at), 1, at))
		require.NoError(t, err)
		for i := range v {
			v[i] = math.Sqrt(v[i])
		}
		return v
	}
	var dense []float64
	for v := -2.9; v < -0.1; v += 0.02 {
		dense = append(dense, v, v+7)
	}
	got := deviations(dense...)
	slices.Sort(got)
	assert.InDelta(t, 0.1, got[len(got)/2], 0.02)
	assert.Less(t, got[len(got)-1], 0.2)
	whole := math.Sqrt(varianceOf(y, weights.NewCounts(nil, n)))
	for _, v := range deviations(2, 10, 1e3) {
		assert.InEpsilon(t, whole, v, 0.1)
	}
	r.NoCalibration = true
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Less(t, deviations(1e3)[0], 0.2, "the paper's")
}

// The results of a refit equal those of a machine that is fitted to the remaining rows.
func TestRefits(t *testing.T) {
	x, y := wave(100)
	r := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}, Starts: 1, NoAllIn: true}
	d, err := r.place().onRows(ctx, distinct.Merge(x, nil), nil)
	require.NoError(t, err)
	k := r.task(d, y, nil)
	folds := k.folds()
	require.Len(t, folds, 5)
	for _, out := range folds {
		assert.InDelta(t, 20, len(out), 1)
		in := complement(100, out)
		l, err := k.refit(ctx, startNoises[0], out, 1<<30)
		require.NoError(t, err)
		other := estimators.Clone(r)
		other.NoCalibration = true
		require.NoError(t, other.Fit(ctx, linalg.Rows(x, in), pick(y, in)))
		mean, variance, err := other.PredictVariance(linalg.Rows(x, out))
		require.NoError(t, err)
		for i, row := range out {
			assert.InDelta(t, y[row]-mean[i], l.residual[i], 1e-12)
			assert.InDelta(t, variance[i], l.variance[i], 1e-12)
		}
	}
	all := slices.Concat(folds...)
	slices.Sort(all)
	assert.Len(t, slices.Compact(all), 100)
	assert.Less(t, len(r.task(mustOnRows(t, r, 1000), make([]float64, 1000), nil).folds()), 3, "of many rows a few refits hold enough")
}

func mustOnRows(t *testing.T, r *Regressor, n int) basis.Design {
	d, err := r.place().onRows(ctx, distinct.Merge(random(n, 2, 3), nil), nil)
	require.NoError(t, err)
	return d
}

// The calibration maximises the likelihood. It recovers the factor and the scale of simulated residuals, and neighbouring values
// have a lower likelihood.
func TestCalibrationIsTheMostLikely(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	l := &leftOut{sees: true}
	for range 4000 {
		v, r := 0.5+rng.Float64(), rng.Float64()
		l.weight, l.variance, l.unseen, l.own = append(l.weight, 1), append(l.variance, v), append(l.unseen, r), append(l.own, 1)
		l.residual = append(l.residual, math.Sqrt(2*v+5*r)*rng.NormFloat64())
	}
	c := l.fit(false)
	assert.InDelta(t, 2, c.factor, 0.3)
	assert.InDelta(t, 5, c.scale, 0.7)
	assert.InDelta(t, 0.99, c.edge, 0.01)
	likelihood := func(factor, scale float64) (sum float64) {
		for i, e := range l.residual {
			v := factor*l.variance[i] + scale*l.unseen[i]
			sum -= (math.Log(v) + e*e/v) / 2
		}
		return sum
	}
	best := likelihood(c.factor, c.scale)
	for _, f := range []float64{0.9, 1.1} {
		assert.Less(t, likelihood(f*c.factor, c.scale), best)
		assert.Less(t, likelihood(c.factor, f*c.scale), best)
	}
	assert.EqualValues(t, 1, l.fit(true).factor, "of a given noise")
}

// If the kernel is indefinite on the vectors, if columns have no kernel, or if targets are constant, the unexplained part is
// unknown. In these cases the calibration has only a factor, or leaves the variance unchanged.
func TestNothingUnseen(t *testing.T) {
	x, y := wave(60)
	k, err := kernels.Matrix(ctx, kernels.RBF{}, x, nil)
	require.NoError(t, err)
	for name, fit := range map[string]func(r *Regressor) error{
		"indefinite": func(r *Regressor) error { r.Kernel = kernels.Tanh{Gamma: 3, Coef0: -2}; return r.Fit(ctx, x, y) },
		"columns":    func(r *Regressor) error { return r.FitDesign(ctx, k, y) },
		"constant":   func(r *Regressor) error { return r.Fit(ctx, x, make([]float64, 60)) },
		"two rows":   func(r *Regressor) error { return r.Fit(ctx, x.Slice(0, 2, 0, 2), y[:2]) },
	} {
		r := &Regressor{}
		require.NoError(t, fit(r), name)
		assert.Zero(t, r.m.scale, name)
		if name != "two rows" {
			assert.Zero(t, r.m.span, name)
		}
		assert.GreaterOrEqual(t, r.m.factor, 1.0)
		data, err := r.MarshalBinary()
		require.NoError(t, err)
		read := &Regressor{Kernel: r.Kernel}
		require.NoError(t, read.UnmarshalBinary(data))
		assert.Equal(t, r.m.calibration, read.m.calibration, name)
	}
}
