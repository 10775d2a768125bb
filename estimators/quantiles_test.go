package estimators_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// drawn returns n rows of two columns, and targets that are linear in them plus noise.
func drawn(n int, seed uint64, noise func(rng *rand.Rand) float64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 8))
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		y[i] = 3 + 2*a - b + noise(rng)
	}
	return x, y
}

func normal(rng *rand.Rand) float64 { return rng.NormFloat64() }

// For every model with intervals, the quantiles are the bounds of these intervals, the median is the prediction, and no quantiles
// cross, for any order of the levels.
func TestQuantilesAreEnds(t *testing.T) {
	x, y := drawn(60, 1, normal)
	fresh, _ := drawn(9, 2, normal)
	levels := []float64{.95, .5, .05, .25, .999, .75}
	for name, r := range map[string]estimators.Regressor{
		"lssvm": &lssvm.Regressor{}, "ridge": &ridge.Regressor{}, "falkon": &falkon.Regressor{Components: 20}, "rvm": &rvm.Regressor{},
		"gabasr": &gabasr.Regressor{Pairs: 10, Sweeps: 10}, "conformal": &conformal.Regressor{}, "split": &conformal.Regressor{Method: conformal.Split},
		"full":     &conformal.Regressor{Method: conformal.Full, Estimator: &ridge.Regressor{}},
		"pipeline": &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{}},
	} {
		require.NoError(t, r.Fit(context.Background(), x, y), name)
		got, err := estimators.PredictQuantiles(r, fresh, levels)
		require.NoError(t, err, name)
		mean, err := r.Predict(fresh)
		require.NoError(t, err)
		for i := range 9 {
			row := got.RawRowView(i)
			for _, pair := range [][2]int{{2, 3}, {3, 1}, {1, 5}, {5, 0}, {0, 4}} {
				assert.LessOrEqual(t, row[pair[0]], row[pair[1]], "%s: levels %v", name, levels)
			}
		}
		inner := 0
		for j, q := range levels {
			if q == .5 {
				continue
			}
			low, high, err := r.(estimators.IntervalPredictor).PredictInterval(fresh, math.Abs(1-2*q))
			require.NoError(t, err)
			for i := range 9 {
				if mean[i] < low[i] || mean[i] > high[i] { // the bounds of a conformal interval are sorted together with the prediction
					inner++
					continue
				}
				want := low[i]
				if q > .5 {
					want = high[i]
				}
				if math.IsInf(want, 0) {
					assert.Equal(t, want, got.At(i, j), "%s, level %v", name, q)
					continue
				}
				assert.InDelta(t, want, got.At(i, j), 1e-12*(1+math.Abs(want)), "%s, level %v", name, q)
				assert.Equal(t, mean[i], got.At(i, 1), name)
			}
		}
		assert.Less(t, inner, 10, name)
	}
}

// spread has variances but no intervals, beside has intervals that do not contain its prediction, and alone predicts nothing.
type spread struct{ estimators.Regressor }

func (spread) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	return []float64{1, 2}, []float64{4, 9}, nil
}

type beside struct{ estimators.Regressor }

func (beside) Predict(mat.Matrix) ([]float64, error) { return []float64{5}, nil }

func (beside) PredictInterval(_ mat.Matrix, level float64) (low, high []float64, err error) {
	return []float64{0}, []float64{level}, nil
}

type alone struct{}

func (alone) PredictInterval(_ mat.Matrix, level float64) (low, high []float64, err error) {
	return []float64{math.NaN()}, []float64{level}, nil
}

func TestQuantilesOfOthers(t *testing.T) {
	got, err := estimators.PredictQuantiles(spread{}, nil, []float64{.975, .5, .1})
	require.NoError(t, err)
	z := distuv.UnitNormal.Quantile(.975)
	w := distuv.UnitNormal.Quantile(.1)
	assert.InDeltaSlice(t, []float64{1 + 2*z, 1, 1 + 2*w, 2 + 3*z, 2, 2 + 3*w}, got.RawMatrix().Data, 1e-12)

	got, err = estimators.PredictQuantiles(beside{}, nil, []float64{.5, .75, .25})
	require.NoError(t, err)
	assert.Equal(t, []float64{.5, 5, 0}, got.RawMatrix().Data, "in order")

	_, err = estimators.PredictQuantiles(alone{}, nil, []float64{.5})
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = estimators.PredictQuantiles(alone{}, nil, []float64{.25})
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
}

func TestQuantilesErrors(t *testing.T) {
	x, y := drawn(20, 1, normal)
	r := &ridge.Regressor{}
	_, err := estimators.PredictQuantiles(r, x, []float64{.5})
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, r.Fit(context.Background(), x, y))
	for _, q := range []float64{0, 1, -.1, 1.1, math.NaN(), math.Inf(1), 1e-300} {
		_, err := estimators.PredictQuantiles(r, x, []float64{.5, q})
		assert.ErrorIs(t, err, estimators.ErrParam, q)
		assert.ErrorContains(t, err, fmt.Sprintf("levels[1] = %v", q))
	}
	_, err = estimators.PredictQuantiles(r, x, nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = estimators.PredictQuantiles(nil, x, []float64{.5})
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = estimators.PredictQuantiles(r, mat.NewDense(1, 3, nil), []float64{.5})
	assert.ErrorIs(t, err, estimators.ErrShape)
	s := &svm.Regressor{}
	require.NoError(t, s.Fit(context.Background(), x, y))
	_, err = estimators.PredictQuantiles(s, x, []float64{.5})
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "svm.Regressor")
	_, err = estimators.PredictQuantiles(&pipeline.Regressor{Final: &svm.Regressor{}}, x, []float64{.5})
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = estimators.PredictQuantiles(&ridge.MultiRegressor{}, x, []float64{.5})
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "several targets")
}

// If the model's distribution is right, the share of new observations below a quantile equals its level. The share between two
// quantiles that a conformal wrapper guarantees holds for any distribution. The tolerance is four and a half standard deviations.
// The variance has two terms: that of a binomial count among the m new rows, and that of a count among the n rows that determine a
// quantile.
func TestQuantilesCover(t *testing.T) {
	const m, n = 4000, 3000
	bound := func(q float64, rows int) float64 { return 4.5 * math.Sqrt(q*(1-q)*(1./m+1./float64(rows))) }
	levels := []float64{.02, .1, .25, .5, .75, .9, .98}
	below := func(r estimators.Regressor, noise func(*rand.Rand) float64) []float64 {
		x, y := drawn(n, 11, noise)
		require.NoError(t, r.Fit(context.Background(), x, y))
		fresh, observed := drawn(m, 12, noise)
		quantiles, err := estimators.PredictQuantiles(r, fresh, levels)
		require.NoError(t, err)
		out := make([]float64, len(levels))
		for i, v := range observed {
			for j := range levels {
				if v <= quantiles.At(i, j) {
					out[j] += 1. / m
				}
			}
		}
		return out
	}
	skewed := func(rng *rand.Rand) float64 { return rng.ExpFloat64() }
	for name, r := range map[string]estimators.Regressor{"ridge": &ridge.Regressor{}, "falkon": &falkon.Regressor{Components: 30}} {
		for j, share := range below(r, normal) {
			assert.InDelta(t, levels[j], share, bound(levels[j], n), "%s, level %v", name, levels[j])
		}
		// A model that assumes a normal distribution fails for another distribution. Otherwise the test could not detect an error.
		wrong := below(estimators.Clone(r), skewed)
		assert.Greater(t, math.Abs(wrong[1]-levels[1]), bound(levels[1], n), "%s, level %v", name, levels[1])
	}
	split := &conformal.Regressor{Estimator: &ridge.Regressor{}, Method: conformal.Split}
	for j, share := range below(split, normal) {
		if levels[j] != .5 {
			assert.InDelta(t, levels[j], share, bound(levels[j], n/2), "conformal, level %v", levels[j])
		}
	}
	for _, noise := range []func(*rand.Rand) float64{normal, skewed} {
		shares := below(split, noise)
		for j := range 3 {
			between, promised := shares[len(shares)-1-j]-shares[j], 1-2*levels[j]
			assert.InDelta(t, promised, between, bound(promised, n/2), "conformal, between %v and %v", levels[j], 1-levels[j])
		}
	}
}
