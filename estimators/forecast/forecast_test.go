package forecast_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/forecast"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

func TestRowsByHand(t *testing.T) {
	l := forecast.Lagged{Lags: []int{1, 3}, Windows: []int{2}}
	known := mat.NewDense(6, 1, []float64{0, 10, 20, 30, 40, 50})
	x, y, at, err := l.Rows([]float64{1, 2, 4, 8, 16, 32}, known, 2)
	require.NoError(t, err)
	assert.Equal(t, []float64{16, 32}, y)
	assert.Equal(t, []int{4, 5}, at)
	// The row for target 16 contains values up to 4: lags 4 and 1, the mean and the deviation of 2 and 4, and the known column at
	// the time of the target.
	assert.Equal(t, []float64{4, 1, 3, 1, 40, 8, 2, 6, 2, 50}, x.RawMatrix().Data)
	assert.Equal(t, []string{"lag 1", "lag 3", "mean of 2", "deviation of 2"}, l.Names())
}

// If values after the origin of a row are changed, none of its features changes.
func TestNoLeak(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 80)
	for i := range values {
		values[i] = random.NormFloat64()
	}
	l := forecast.Lagged{Lags: []int{1, 2, 7}, Windows: []int{3, 10}}
	for _, steps := range []int{1, 4} {
		x, _, at, err := l.Rows(values, nil, steps)
		require.NoError(t, err)
		for _, origin := range []int{20, 50, 79 - steps} {
			other := slices.Clone(values)
			for i := origin + 1; i < len(other); i++ {
				other[i] = 1e6
			}
			z, _, _, err := l.Rows(other, nil, steps)
			require.NoError(t, err)
			for i, target := range at {
				if target-steps <= origin {
					require.Equal(t, x.RawRowView(i), z.RawRowView(i), "the row of the origin %d", target-steps)
				}
			}
		}
	}
}

// wave returns a series with a season of twelve values, a trend and noise.
func wave(n int, noise float64, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	out := make([]float64, n)
	for i := range out {
		out[i] = 0.05*float64(i) + 3*math.Sin(2*math.Pi*float64(i)/12) + noise*random.NormFloat64()
	}
	return out
}

// Without noise, forecasts with either strategy continue the series, including its trend.
func TestForecastsContinue(t *testing.T) {
	all := wave(180, 0, 1)
	for name, f := range map[string]*forecast.Forecaster{
		"direct":    {Horizon: 15, Difference: 12},
		"recursive": {Horizon: 15, Difference: 12, Strategy: forecast.Recursive},
		"linear": {Horizon: 15, Strategy: forecast.Recursive, Lagged: forecast.Lagged{Lags: []int{1, 2, 3, 4}},
			Model: &ridge.Regressor{Ridge: 1e-9}},
	} {
		require.NoError(t, f.Fit(ctx, all[:160], nil), name)
		got, err := f.Forecast(15, nil)
		require.NoError(t, err)
		assert.InDeltaSlice(t, all[160:175], got.Mean, 0.02, name)
		for h := range got.Mean {
			assert.LessOrEqual(t, got.Low[h], got.Mean[h])
			assert.LessOrEqual(t, got.Mean[h], got.High[h])
		}
	}
}

// For columns that are known in advance, a forecast uses the values at the predicted time.
func TestKnownColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	values, known := make([]float64, 150), mat.NewDense(160, 1, nil)
	for i := range 160 {
		known.Set(i, 0, float64(random.IntN(2)))
	}
	for i := range values {
		values[i] = 5*known.At(i, 0) + 0.1*random.NormFloat64()
	}
	f := &forecast.Forecaster{Horizon: 10, Lagged: forecast.Lagged{Lags: []int{1}}}
	require.NoError(t, f.Fit(ctx, values, known.Slice(0, 150, 0, 1)))
	got, err := f.Forecast(10, known.Slice(150, 160, 0, 1))
	require.NoError(t, err)
	for h, v := range got.Mean {
		assert.InDelta(t, 5*known.At(150+h, 0), v, 0.3)
	}
	assert.Equal(t, []string{"lag 1", "known 0"}, f.FeatureNames())
	_, err = f.Forecast(10, nil)
	assert.ErrorContains(t, err, "known has 0 columns, those of Fit had 1")
	assert.ErrorIs(t, f.Update([]float64{1}, mat.NewDense(2, 1, nil)), estimators.ErrShape)
}

// coverage updates a forecaster with rest, the remaining values of a series, and returns the share of values in the intervals for
// one step ahead.
func coverage(t *testing.T, f *forecast.Forecaster, rest []float64) float64 {
	inside := 0.0
	for _, v := range rest {
		got, err := f.Forecast(1, nil)
		require.NoError(t, err)
		if got.Low[0] <= v && v <= got.High[0] {
			inside += 1 / float64(len(rest))
		}
		require.NoError(t, f.Update([]float64{v}, nil))
	}
	return inside
}

// For a stationary series the intervals have the promised coverage, with a held-out part and with an ensemble.
func TestCoverage(t *testing.T) {
	all := wave(700, 0.5, 3)
	for name, f := range map[string]*forecast.Forecaster{
		"held":     {Difference: 12, Level: 0.8},
		"ensemble": {Difference: 12, Level: 0.8, Ensemble: 10, Model: &ridge.Regressor{}},
	} {
		f.NoAdaptation = true
		require.NoError(t, f.Fit(ctx, all[:300], nil))
		assert.InDelta(t, 0.8, coverage(t, f, all[300:]), 0.06, name)
	}
}

// If the noise doubles, intervals that adapt keep their coverage, and intervals that do not adapt lose it.
func TestShift(t *testing.T) {
	all := wave(800, 0.3, 4)
	random := rand.New(rand.NewPCG(5, 5))
	for i := 300; i < len(all); i++ {
		all[i] += 1.2 * random.NormFloat64()
	}
	share := map[bool]float64{}
	for _, adapt := range []bool{false, true} {
		f := &forecast.Forecaster{Difference: 12, Window: 400, NoAdaptation: !adapt, Rate: 0.05, Model: &ridge.Regressor{}}
		require.NoError(t, f.Fit(ctx, all[:300], nil))
		share[adapt] = coverage(t, f, all[300:])
	}
	assert.Less(t, share[false], 0.87)
	// The bound of Gibbs and Candès for 500 updates is (1 + 0.05)/(500·0.05) = 0.042.
	assert.InDelta(t, 0.9, share[true], 0.042)
}

// Equal seeds result in equal ensembles, and different seeds in different ensembles.
func TestSeed(t *testing.T) {
	all := wave(120, 0.5, 1)
	first := func(seed uint64) float64 {
		f := &forecast.Forecaster{Ensemble: 4, Seed: seed, Model: &ridge.Regressor{}}
		require.NoError(t, f.Fit(ctx, all, nil))
		got, err := f.Forecast(1, nil)
		require.NoError(t, err)
		require.Len(t, f.Chosen(1), 4)
		return got.Mean[0]
	}
	assert.Equal(t, first(1), first(1))
	assert.NotEqual(t, first(1), first(2))
}

func TestErrors(t *testing.T) {
	values := wave(60, 0.1, 1)
	for text, f := range map[string]*forecast.Forecaster{
		"forecast: Forecaster: Lags[1] = 0, want >= 1":    {Lagged: forecast.Lagged{Lags: []int{1, 0}}},
		"forecast: Forecaster: Windows[0] = 1, want >= 2": {Lagged: forecast.Lagged{Windows: []int{1}}},
		"forecast: Forecaster: Lags = empty, want a lag":  {Lagged: forecast.Lagged{Lags: []int{}}},
		"values has 60 entries, want at least 111":        {Lagged: forecast.Lagged{Lags: []int{100}}},
		"Held = 0.999, want less: 1 rows remain":          {Held: .999},
		"Ensemble = 5, want 0 with Recursive":             {Ensemble: 5, Strategy: forecast.Recursive},
		"forecast: Forecaster: Level = 1":                 {Level: 1},
	} {
		err := f.Fit(ctx, values, nil)
		assert.ErrorContains(t, err, text)
		_, err = f.Forecast(1, nil)
		assert.ErrorIs(t, err, estimators.ErrNotFitted)
	}
	f := &forecast.Forecaster{}
	assert.ErrorIs(t, f.Fit(ctx, append(slices.Clone(values), math.NaN()), nil), estimators.ErrNotFinite)
	assert.ErrorIs(t, f.Update(values, nil), estimators.ErrNotFitted)
	require.NoError(t, f.Fit(ctx, values, nil))
	_, err := f.Forecast(2, nil)
	assert.ErrorContains(t, err, "steps = 2, want 1 to the Horizon of 1")
	want := f.Errors(1)
	assert.ErrorIs(t, f.Update([]float64{1, math.Inf(1)}, nil), estimators.ErrNotFinite)
	assert.Equal(t, want, f.Errors(1), "an update that fails changes nothing")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, f.Fit(cancelled, values, nil), context.Canceled)
	_, err = f.Forecast(1, nil)
	assert.NoError(t, err, "the earlier model stays")
	_, _, _, err = forecast.Lagged{}.Rows(values[:5], nil, 1)
	assert.ErrorContains(t, err, "values has 5 entries, want at least 13")
	for _, steps := range []int{0, 61, math.MaxInt} {
		_, _, _, err = forecast.Lagged{}.Rows(values, nil, steps)
		assert.ErrorIs(t, err, estimators.ErrParam)
	}
	_, _, _, err = forecast.Lagged{Lags: []int{math.MaxInt}}.Rows(values, nil, 1)
	assert.Error(t, err)
}

// Model files of version 1 can still be read. They give the same forecasts as a fit with the current code, and can be updated.
func TestGoldenFilesStayReadable(t *testing.T) {
	all := wave(80, 0.2, 1)
	known := mat.NewDense(82, 1, nil)
	for i := range 82 {
		known.Set(i, 0, float64(i%7))
	}
	f := &forecast.Forecaster{Horizon: 2, Lagged: forecast.Lagged{Lags: []int{1, 12}}, Difference: 1,
		Model: &lssvm.Regressor{Kernel: kernels.RBF{Gamma: .01}, Ridge: .1}}
	require.NoError(t, f.Fit(ctx, all[:78], known.Slice(0, 78, 0, 1)))
	read := &forecast.Forecaster{Horizon: 2, Lagged: f.Lagged, Difference: 1, Model: f.Model}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Forecaster-v1.keln", f.MarshalBinary)))
	for _, one := range []*forecast.Forecaster{f, read} {
		require.NoError(t, one.Update(all[78:], known.Slice(78, 80, 0, 1)))
	}
	want, err := f.Forecast(2, known.Slice(80, 82, 0, 1))
	require.NoError(t, err)
	got, err := read.Forecast(2, known.Slice(80, 82, 0, 1))
	require.NoError(t, err)
	assert.InDeltaSlice(t, want.Mean, got.Mean, 1e-6)
	assert.InDeltaSlice(t, want.High, got.High, 1e-6)

	other := &forecast.Forecaster{Horizon: 3, Lagged: f.Lagged, Model: f.Model}
	data, err := f.MarshalBinary()
	require.NoError(t, err)
	assert.ErrorIs(t, other.UnmarshalBinary(data), estimators.ErrBadModel)
}
