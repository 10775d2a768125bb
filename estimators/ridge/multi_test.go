package ridge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

// several returns targets whose scales differ by a factor of 1e12. One target is nearly all noise, and one is constant.
func several(x *mat.Dense, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 3))
	n, d := x.Dims()
	y := mat.NewDense(n, 4, nil)
	for i := range n {
		a, b := x.At(i, 0), x.At(i, d-1)
		y.SetRow(i, []float64{1e6 * (a + .1*rng.NormFloat64()), 1e-6 * (b - a + 3*rng.NormFloat64()), 5 + a + b + .01*rng.NormFloat64(), 7})
	}
	return y
}

func columnOf(y *mat.Dense, j int) []float64 { return mat.Col(nil, j, y) }

// equalsSingle fails unless column j of the results for several targets agrees with the result want for that target alone. The
// tolerance is relative to the larger of unit and the value.
func equalsSingle(t *testing.T, what string, want []float64, got *mat.Dense, j int, unit, tol float64) {
	t.Helper()
	require.NotNil(t, got, what)
	for i, w := range want {
		if !(math.Abs(w-got.At(i, j)) <= tol*max(unit, math.Abs(w))) {
			t.Errorf("%s: target %d, row %d: %v, alone %v", what, j, i, got.At(i, j), w)
			return
		}
	}
}

// If the ridge is set, each target has the same results as with a Regressor.
func TestMultiEqualsSingle(t *testing.T) {
	for _, s := range shapes {
		x, _, weights := data(s[0], s[1], 1)
		fresh, _, _ := data(5, s[1], 2)
		y := several(x, 9)
		for name, w := range map[string][]float64{"unweighted": nil, "weighted": weights} {
			for _, noIntercept := range []bool{false, true} {
				for _, rule := range []RidgeRule{LeaveOneOut, Heuristic} {
					m, tol := MultiRegressor{Ridge: .7, NoIntercept: noIntercept}, 1e-10
					if rule == Heuristic {
						m.Ridge, m.RidgeRule, tol = 0, Heuristic, 1e-8 // few rows have a tiny ridge, which makes rounding visible
					}
					if w == nil {
						require.NoError(t, m.Fit(ctx, x, y))
					} else {
						require.NoError(t, m.FitWeighted(ctx, x, y, w))
					}
					mean, variance, err := m.PredictVariance(fresh)
					require.NoError(t, err)
					low, high, err := m.PredictInterval(fresh, .9)
					require.NoError(t, err)
					left, err := m.LeaveOneOutResiduals(ctx)
					require.NoError(t, err)
					for j, unit := range []float64{1e6, 1e-6, 1, 1} {
						r := Regressor{Ridge: m.Ridge, RidgeRule: rule, NoIntercept: noIntercept}
						if w == nil {
							require.NoError(t, r.Fit(ctx, x, columnOf(y, j)))
						} else {
							require.NoError(t, r.FitWeighted(ctx, x, columnOf(y, j), w))
						}
						wantMean, wantVariance, err := r.PredictVariance(fresh)
						require.NoError(t, err)
						wantLow, wantHigh, err := r.PredictInterval(fresh, .9)
						require.NoError(t, err)
						wantLeft, err := r.LeaveOneOutResiduals(ctx)
						require.NoError(t, err)
						equalsSingle(t, name+" mean", wantMean, mean, j, unit, tol)
						equalsSingle(t, name+" variance", wantVariance, variance, j, unit*unit, tol)
						equalsSingle(t, name+" low", wantLow, low, j, unit, 1e-7) // this is the root of a variance that is 0 up to rounding
						equalsSingle(t, name+" high", wantHigh, high, j, unit, 1e-7)
						equalsSingle(t, name+" left out", wantLeft, left, j, unit, 10*tol)
						equalsSingle(t, name+" coefficients", r.Coefficients(), mat.DenseCopyOf(m.Coefficients().T()), j, unit, tol)
						equalsSingle(t, name+" intercept", []float64{r.Intercept()}, mat.NewDense(1, 4, m.Intercepts()), j, unit, 10*tol)
						assert.Equal(t, r.ChosenRidge(), m.ChosenRidges()[j])
						equalsSingle(t, name+" prior", []float64{r.PriorVariance()}, mat.NewDense(1, 4, m.PriorVariances()), j, unit*unit, 10*tol)
					}
				}
			}
		}
	}
}

// For copies of a target in other units, the ridge is the same as for that target alone. For different targets, the sum of the
// standardised errors is larger at ridges below and above the chosen ridge.
func TestMultiChoosesOneRidge(t *testing.T) {
	x, y, w := data(40, 6, 3)
	same := mat.NewDense(40, 3, nil)
	for i, v := range y {
		same.SetRow(i, []float64{v, 1e6 * (v - 2), -1e-6 * v})
	}
	var one, three int // evaluations of ridges, each for all targets
	r, m := Regressor{Observe: func(estimators.Step) { one++ }}, MultiRegressor{Observe: func(estimators.Step) { three++ }}
	require.NoError(t, r.FitWeighted(ctx, x, y, w))
	require.NoError(t, m.FitWeighted(ctx, x, same, w))
	assert.Positive(t, one)
	assert.Equal(t, one, three)
	assert.Len(t, m.m.factors, 1)
	for _, ridge := range m.ChosenRidges() {
		assert.InEpsilon(t, r.ChosenRidge(), ridge, 1e-6)
	}

	differing := several(x, 4)
	require.NoError(t, m.Fit(ctx, x, differing))
	best, chosen := m.Report().Objective, m.ChosenRidges()[0]
	scaled := mat.DenseCopyOf(differing)
	scaled.Apply(func(_, j int, v float64) float64 { return math.Pow(1000, float64(j)) * v }, differing)
	other := MultiRegressor{}
	require.NoError(t, other.Fit(ctx, x, scaled))
	assert.InEpsilon(t, chosen, other.ChosenRidges()[0], 1e-6, "the units of the targets do not matter")
	for _, factor := range []float64{.01, .5, 2, 100} {
		fixed := MultiRegressor{Ridge: factor * chosen}
		require.NoError(t, fixed.Fit(ctx, x, differing))
		assert.Greater(t, fixed.Report().Objective, best, "%v times the ridge", factor)
	}
}

// With RidgePerTarget, each target has the same results as with a Regressor, including the ridge.
func TestRidgePerTarget(t *testing.T) {
	for _, s := range [][2]int{{40, 6}, {12, 12}, {1, 2}} {
		x, _, w := data(s[0], s[1], 5)
		y := several(x, 6)
		var steps []estimators.Step
		m := MultiRegressor{RidgePerTarget: true, Observe: func(s estimators.Step) { steps = append(steps, s) }}
		require.NoError(t, m.FitWeighted(ctx, x, y, w))
		fresh, _, _ := data(5, s[1], 2)
		mean, variance, err := m.PredictVariance(fresh)
		require.NoError(t, err)
		objective, iterations := 0.0, 0
		for j, unit := range []float64{1e6, 1e-6, 1} { // not the constant target, for which all ridges are equally good
			r := Regressor{}
			require.NoError(t, r.FitWeighted(ctx, x, columnOf(y, j), w))
			assert.InEpsilon(t, r.ChosenRidge(), m.ChosenRidges()[j], 1e-6)
			wantMean, wantVariance, err := r.PredictVariance(fresh)
			require.NoError(t, err)
			equalsSingle(t, "mean", wantMean, mean, j, unit, 1e-7)
			equalsSingle(t, "variance", wantVariance, variance, j, unit*unit, 1e-7)
			objective += r.Report().Objective
			iterations += r.Report().Iterations
		}
		if s[0] > 1 {
			assert.GreaterOrEqual(t, m.Report().Iterations, iterations)
			steps = slices.DeleteFunc(steps, func(s estimators.Step) bool { return s.Between })
			assert.Len(t, steps, m.Report().Iterations)
			assert.Greater(t, steps[len(steps)-1].Total, 100)
		}
	}
	// A clean and a noisy target need different ridges. Otherwise the test could not distinguish one ridge from several.
	x, _, _ := data(40, 6, 5)
	m := MultiRegressor{RidgePerTarget: true}
	require.NoError(t, m.Fit(ctx, x, several(x, 6)))
	assert.Greater(t, m.ChosenRidges()[1], 10*m.ChosenRidges()[2])
}

func TestMultiErrors(t *testing.T) {
	x, _, w := data(8, 2, 1)
	y := several(x, 1)
	m := &MultiRegressor{}
	assert.ErrorContains(t, m.Fit(ctx, x, y.Slice(0, 7, 0, 4)), "y has 7 rows, x has 8 rows")
	assert.ErrorIs(t, m.FitWeighted(ctx, x, y, w[1:]), estimators.ErrShape)
	assert.ErrorIs(t, m.FitWeighted(ctx, x, y, nil), estimators.ErrShape)
	assert.ErrorIs(t, (&MultiRegressor{Ridge: -1}).Fit(ctx, x, y), estimators.ErrParam)
	bad := mat.DenseCopyOf(y)
	bad.Set(3, 2, math.NaN())
	assert.ErrorContains(t, m.Fit(ctx, x, bad), "y[3,2] is NaN")
	bad.Set(3, 2, 1e200)
	err := m.Fit(ctx, x, bad)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
	assert.ErrorContains(t, err, "ridge: MultiRegressor: column 2 of y is too large")
	huge := mat.DenseCopyOf(x)
	huge.Scale(1e200, huge)
	assert.ErrorContains(t, m.Fit(ctx, huge, y), "ridge: MultiRegressor: x or y is too large")
	assert.Nil(t, m.Coefficients())
	assert.Nil(t, m.Intercepts())
	assert.Nil(t, m.ChosenRidges())
	assert.Nil(t, m.PriorVariances())
	assert.Zero(t, m.Targets())
	_, err = m.LeaveOneOutResiduals(ctx)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	_, _, err = m.PredictInterval(x, 2)
	assert.ErrorIs(t, err, estimators.ErrParam)
	require.NoError(t, m.Fit(ctx, x, y))
	assert.Equal(t, 4, m.Targets())
	assert.ErrorIs(t, m.PredictTo(mat.NewDense(8, 3, nil), x), estimators.ErrShape)
	out := mat.NewDense(8, 4, nil)
	require.NoError(t, m.PredictTo(out, x))
}

func TestMultiGoldenFiles(t *testing.T) {
	tall := golden.Dense([][]float64{{1, 2}, {0, 1}, {3, -1}, {2, 2}, {0, 4}, {1, 3}})
	wide := golden.Dense([][]float64{{1, 2, 0, 4}, {0, 1, 5, -1}, {3, -1, 0, 2}})
	y := golden.Dense([][]float64{{1, 1e6}, {2, 4e6}, {0, 5e6}, {4, 3e6}, {2, 2e6}, {5, -1e6}})
	for name, c := range map[string]struct {
		fitted *MultiRegressor
		x      *mat.Dense
	}{
		"MultiRegressor-v1.keln":      {&MultiRegressor{Ridge: .3}, tall},
		"MultiRegressor-own-v1.keln":  {&MultiRegressor{RidgePerTarget: true}, tall},
		"MultiRegressor-wide-v1.keln": {&MultiRegressor{Ridge: .5}, wide},
	} {
		n, _ := c.x.Dims()
		require.NoError(t, c.fitted.Fit(ctx, c.x, y.Slice(0, n, 0, 2)))
		data, read := golden.Model(t, name, c.fitted.MarshalBinary), &MultiRegressor{}
		require.NoError(t, read.UnmarshalBinary(data), name)
		want, wantVariance, err := c.fitted.PredictVariance(c.x)
		require.NoError(t, err)
		got, gotVariance, err := read.PredictVariance(c.x)
		require.NoError(t, err)
		assert.InEpsilonSlice(t, want.RawMatrix().Data, got.RawMatrix().Data, 1e-7, name)
		assert.InEpsilonSlice(t, wantVariance.RawMatrix().Data, gotVariance.RawMatrix().Data, 1e-7, name)
		again, err := read.MarshalBinary()
		require.NoError(t, err)
		assert.Equal(t, data, again, name)
	}
}

func TestMultiHostilePayloads(t *testing.T) {
	good := func() storedModel {
		return storedModel{
			Means: []float64{0}, Target: []float64{1, 2}, Coefficients: codec.Matrix{Rows: 2, Cols: 1, Data: []float64{1, 2}},
			Ridges: []float64{1}, Noise: []float64{1, 2}, Unit: 1, Factors: []storedFactor{{Packed: []float64{1}}},
		}
	}
	read := func(s storedModel) error {
		data, err := codec.Marshal(multiKind, version, s)
		require.NoError(t, err)
		return (&MultiRegressor{}).UnmarshalBinary(data)
	}
	require.NoError(t, read(good()))
	for name, change := range map[string]func(*storedModel){
		"no coefficients":    func(s *storedModel) { s.Coefficients = codec.Matrix{} },
		"means":              func(s *storedModel) { s.Means = nil },
		"targets":            func(s *storedModel) { s.Target = s.Target[1:] },
		"noises":             func(s *storedModel) { s.Noise = s.Noise[1:] },
		"negative noise":     func(s *storedModel) { s.Noise[1] = -1 },
		"no ridge":           func(s *storedModel) { s.Ridges = nil },
		"more ridges":        func(s *storedModel) { s.Ridges = []float64{1, 2, 3}; s.Factors = make([]storedFactor, 3) },
		"a ridge of 0":       func(s *storedModel) { s.Ridges[0] = 0 },
		"ridges, one factor": func(s *storedModel) { s.Ridges = []float64{1, 2} },
		"an invalid factor":  func(s *storedModel) { s.Factors[0].Packed = nil },
		"a negative factor":  func(s *storedModel) { s.Factors[0].Packed[0] = -1 },
		"a jitter":           func(s *storedModel) { s.Factors[0].Jitter = math.Inf(1) },
		"a mean":             func(s *storedModel) { s.Means[0] = math.NaN() },
		"a spread":           func(s *storedModel) { s.Spread = -1 },
		"a basis":            func(s *storedModel) { s.Basis = codec.Matrix{Rows: 2, Cols: 1, Data: []float64{1, 2}} },
		"residuals":          func(s *storedModel) { s.LOO = codec.Matrix{Rows: 2, Cols: 1, Data: []float64{1, 2}} },
		"a matrix":           func(s *storedModel) { s.Coefficients.Rows = 7 },
	} {
		s := good()
		change(&s)
		assert.ErrorIs(t, read(s), estimators.ErrBadModel, name)
	}
}
