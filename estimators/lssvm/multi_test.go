package lssvm

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

var multiUnits = []float64{1e6, 1e-6, 1, 1}

// severalTargets returns targets whose scales differ by a factor of 1e12. One target is nearly all noise, and one is constant.
func severalTargets(n int, seed uint64) (x, y, fresh *mat.Dense, weights []float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x, y, fresh, weights = mat.NewDense(n, 2, nil), mat.NewDense(n, 4, nil), mat.NewDense(7, 2, nil), make([]float64, n)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		y.SetRow(i, []float64{1e6 * (math.Sin(2*a) + .1*rng.NormFloat64()), 1e-6 * (b - a + 3*rng.NormFloat64()), 5 + a*b + .01*rng.NormFloat64(), 7})
		weights[i] = .5 + rng.Float64()
	}
	for i := range 7 {
		fresh.SetRow(i, []float64{2 * rng.NormFloat64(), rng.NormFloat64()})
	}
	return x, y, fresh, weights
}

func near(t *testing.T, what string, want []float64, got *mat.Dense, j int, unit, tol float64) {
	t.Helper()
	require.NotNil(t, got, what)
	for i, w := range want {
		if !(math.Abs(w-got.At(i, j)) <= tol*max(unit, math.Abs(w))) {
			t.Errorf("%s: target %d, row %d: %v, alone %v", what, j, i, got.At(i, j), w)
			return
		}
	}
}

// If the kernel and the ridge are set, each target has the same results as with a Regressor.
func TestMultiEqualsSingle(t *testing.T) {
	for _, n := range []int{1, 2, 30} {
		x, y, fresh, weights := severalTargets(n, 1)
		for name, w := range map[string][]float64{"unweighted": nil, "weighted": weights} {
			for _, rule := range []RidgeRule{LeaveOneOut, Heuristic} {
				m := MultiRegressor{Ridge: .1}
				if rule == Heuristic {
					m.Ridge, m.RidgeRule = 0, Heuristic
				}
				if w == nil {
					require.NoError(t, m.Fit(ctx, x, y))
				} else {
					require.NoError(t, m.FitWeighted(ctx, x, y, w))
				}
				assert.Equal(t, 4, m.Targets())
				mean, variance, err := m.PredictVariance(fresh)
				require.NoError(t, err)
				low, high, err := m.PredictInterval(fresh, .9)
				require.NoError(t, err)
				left, err := m.LeaveOneOutResiduals(ctx)
				require.NoError(t, err)
				into := mat.NewDense(7, 4, nil)
				require.NoError(t, m.PredictTo(into, fresh))
				for j, unit := range multiUnits {
					r := Regressor{Ridge: m.Ridge, RidgeRule: rule}
					target := mat.Col(nil, j, y)
					if w == nil {
						require.NoError(t, r.Fit(ctx, x, target))
					} else {
						require.NoError(t, r.FitWeighted(ctx, x, target, w))
					}
					assert.Equal(t, r.ChosenKernel(), m.ChosenKernel())
					assert.Equal(t, r.ChosenRidge(), m.ChosenRidge())
					wantMean, wantVariance, err := r.PredictVariance(fresh)
					require.NoError(t, err)
					wantLow, wantHigh, err := r.PredictInterval(fresh, .9)
					require.NoError(t, err)
					wantLeft, err := r.LeaveOneOutResiduals(ctx)
					require.NoError(t, err)
					near(t, name+" mean", wantMean, mean, j, unit, 1e-9)
					near(t, name+" variance", wantVariance, variance, j, unit*unit, 1e-9)
					near(t, name+" low", wantLow, low, j, unit, 1e-6) // this is the root of a variance that is 0 up to rounding
					near(t, name+" high", wantHigh, high, j, unit, 1e-6)
					near(t, name+" one by one", wantMean, into, j, unit, 1e-9)
					near(t, name+" coefficients", r.Coefficients(), m.Coefficients(), j, unit, 1e-9)
					near(t, name+" bias", []float64{r.Intercept()}, mat.NewDense(1, 4, m.Intercepts()), j, unit, 1e-9)
					if n > 1 {
						near(t, name+" left out", wantLeft, left, j, unit, 1e-8)
					} else {
						assert.Nil(t, left)
					}
				}
			}
		}
	}
}

// For copies of a target in other units, the kernel and the ridge are the same as for that target alone. The sum of the errors is
// larger at ridges below and above the chosen ridge.
func TestMultiChooses(t *testing.T) {
	for _, upTo := range []int{1500, 20} { // all ridges are evaluated, then few
		func() {
			defer func(old int) { allRidgesUpTo = old }(allRidgesUpTo)
			allRidgesUpTo = upTo
			x, y, _, w := severalTargets(60, 2)
			one := mat.Col(nil, 2, y)
			same := mat.NewDense(60, 3, nil)
			for i, v := range one {
				same.SetRow(i, []float64{v, 1e6 * (v - 2), -1e-6 * v})
			}
			r, m := Regressor{}, MultiRegressor{}
			require.NoError(t, r.FitWeighted(ctx, x, one, w))
			require.NoError(t, m.FitWeighted(ctx, x, same, w))
			assert.InEpsilon(t, r.ChosenRidge(), m.ChosenRidge(), 1e-4)
			assert.InEpsilon(t, r.ChosenKernel().(kernels.Matern).Length, m.ChosenKernel().(kernels.Matern).Length, 1e-4)

			require.NoError(t, m.Fit(ctx, x, y))
			scaled := mat.DenseCopyOf(y)
			scaled.Apply(func(_, j int, v float64) float64 { return math.Pow(1000, float64(j)) * v }, y)
			other := MultiRegressor{}
			require.NoError(t, other.Fit(ctx, x, scaled))
			assert.InEpsilon(t, m.ChosenRidge(), other.ChosenRidge(), 1e-4)
			for _, factor := range []float64{.01, 100} {
				fixed := MultiRegressor{Kernel: m.ChosenKernel(), Ridge: factor * m.ChosenRidge()}
				require.NoError(t, fixed.Fit(ctx, x, y))
				left, err := fixed.LeaveOneOutResiduals(ctx)
				require.NoError(t, err)
				sum := 0.0
				for j := range 3 {
					mean, spread := 0.0, 0.0
					for i := range 60 {
						mean += y.At(i, j) / 60
					}
					for i := range 60 {
						spread += (y.At(i, j) - mean) * (y.At(i, j) - mean) / 60
					}
					for i := range 60 {
						sum += left.At(i, j) * left.At(i, j) / spread / 60
					}
				}
				assert.Greater(t, sum, m.Report().Objective, "%v times the ridge", factor)
			}
		}()
	}
}

// counted is a kernel that counts its evaluations.
type counted struct {
	kernels.RBF
	of *atomic.Int64
}

func (k counted) Eval(x, z []float64) float64 {
	k.of.Add(1)
	return k.RBF.Eval(x, z)
}

// iterations returns 1 for a step that ends an iteration, and 0 for a step within one.
func iterations(s estimators.Step) int {
	if s.Between {
		return 0
	}
	return 1
}

// A fit to several targets computes as many kernel matrices as a fit to one, also if it chooses the ridge.
func TestMultiMakesOneKernelMatrix(t *testing.T) {
	x, y, _, _ := severalTargets(40, 5)
	for _, ridge := range []float64{0, .1} {
		one, several := counted{kernels.RBF{Gamma: .5}, &atomic.Int64{}}, counted{kernels.RBF{Gamma: .5}, &atomic.Int64{}}
		var evaluations, steps int
		require.NoError(t, (&Regressor{Kernel: one, Ridge: ridge, Observe: func(s estimators.Step) { evaluations += iterations(s) }}).Fit(ctx, x, mat.Col(nil, 0, y)))
		require.NoError(t, (&MultiRegressor{Kernel: several, Ridge: ridge, Observe: func(s estimators.Step) { steps += iterations(s) }}).Fit(ctx, x, y))
		assert.Positive(t, one.of.Load())
		assert.Equal(t, one.of.Load(), several.of.Load())
		assert.Equal(t, evaluations > 0, ridge == 0)
		assert.LessOrEqual(t, steps, 33)
	}
}

func TestMultiErrors(t *testing.T) {
	x, y, _, w := severalTargets(8, 1)
	m := &MultiRegressor{}
	assert.ErrorContains(t, m.Fit(ctx, x, y.Slice(0, 7, 0, 4)), "y has 7 rows, x has 8 rows")
	assert.ErrorIs(t, m.FitWeighted(ctx, x, y, w[1:]), estimators.ErrShape)
	assert.ErrorIs(t, m.FitWeighted(ctx, x, y, nil), estimators.ErrShape)
	assert.ErrorIs(t, (&MultiRegressor{Ridge: -1}).Fit(ctx, x, y), estimators.ErrParam)
	assert.ErrorContains(t, (&MultiRegressor{MaxKernelBytes: 100, Kernel: kernels.RBF{Gamma: 1}}).Fit(ctx, x, y), "lssvm: MultiRegressor")
	bad := mat.DenseCopyOf(y)
	bad.Set(3, 2, math.Inf(1))
	assert.ErrorContains(t, m.Fit(ctx, x, bad), "y[3,2] is +Inf")
	for _, ridge := range []float64{0, 1} {
		bad.Set(3, 2, 1e200)
		err := (&MultiRegressor{Ridge: ridge}).Fit(ctx, x, bad)
		assert.ErrorIs(t, err, estimators.ErrNotFinite)
		assert.ErrorContains(t, err, "lssvm: MultiRegressor: column 2 of y is too large")
	}
	assert.Nil(t, m.Coefficients())
	assert.Nil(t, m.Intercepts())
	assert.Nil(t, m.ChosenKernel())
	assert.Zero(t, m.ChosenRidge())
	assert.Zero(t, m.Targets())
	_, err := m.LeaveOneOutResiduals(ctx)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	_, _, err = m.PredictInterval(x, 2)
	assert.ErrorIs(t, err, estimators.ErrParam)
}

func TestMultiGoldenFiles(t *testing.T) {
	x, at := mat.NewDense(8, 1, []float64{-3, -2, -1, -.5, .5, 1, 2, 3}), mat.NewDense(3, 1, []float64{-2.5, 0, 7})
	y := mat.NewDense(8, 2, []float64{9, -3e6, 4, -2e6, 1, -1e6, .2, -4e5, .3, 6e5, 1, 1e6, 4, 2e6, 9, 3e6})
	for name, fitted := range map[string]*MultiRegressor{
		"MultiRegressor-v1.keln": {Kernel: kernels.Matern{Nu: 2.5, Length: 2}}, "MultiRegressor-waits-v1.keln": {Ridge: .1},
	} {
		require.NoError(t, fitted.Fit(ctx, x, y))
		data, read := golden.Model(t, name, fitted.MarshalBinary), estimators.Clone(fitted)
		require.NoError(t, read.UnmarshalBinary(data), name)
		mean, variance, err := fitted.PredictVariance(at)
		require.NoError(t, err)
		gotMean, gotVariance, err := read.PredictVariance(at)
		require.NoError(t, err)
		for j, unit := range []float64{1, 1e6} {
			near(t, name, mat.Col(nil, j, mean), gotMean, j, unit, 1e-6)
			near(t, name, mat.Col(nil, j, variance), gotVariance, j, unit*unit, 1e-6)
		}
		again, err := read.MarshalBinary()
		require.NoError(t, err)
		assert.Equal(t, data, again)
	}
}

func TestMultiHostilePayloads(t *testing.T) {
	x, y, _, _ := severalTargets(5, 1)
	fitted := &MultiRegressor{Kernel: kernels.RBF{Gamma: 1}}
	require.NoError(t, fitted.Fit(ctx, x, y))
	good := func() stored {
		s := fitted.m.store(fitted.Kernel)
		s.Scales = append(codec.Floats(nil), fitted.m.left.scales...)
		return s
	}
	read := func(s stored) error {
		data, err := codec.Marshal(multiKind, version, s)
		require.NoError(t, err)
		return (&MultiRegressor{Kernel: fitted.Kernel}).UnmarshalBinary(data)
	}
	require.NoError(t, read(good()))
	for name, change := range map[string]func(*stored){
		"no kernel":      func(s *stored) { s.Kernel = "" },
		"no bias":        func(s *stored) { s.Bias = nil },
		"fewer biases":   func(s *stored) { s.Bias = s.Bias[1:] },
		"no scales":      func(s *stored) { s.Scales = nil },
		"a scale":        func(s *stored) { s.Scales[2] = math.NaN() },
		"negative scale": func(s *stored) { s.Scales[2] = -1 },
		"residuals":      func(s *stored) { s.LeftOut = codec.FromDense(mat.NewDense(5, 1, make([]float64, 5))) },
	} {
		s := good()
		change(&s)
		assert.ErrorIs(t, read(s), estimators.ErrBadModel, name)
	}
}
