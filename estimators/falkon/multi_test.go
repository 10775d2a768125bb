package falkon

import (
	"math"
	"math/rand/v2"
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

// severalTargets returns Friedman's function, and targets derived from it whose scales differ by a factor of 1e12. One target is
// nearly all noise, and another is constant.
func severalTargets(n int, seed uint64) (x, y, fresh *mat.Dense, weights []float64) {
	x, one, _ := friedman(n, 5, 1, seed)
	fresh, _, _ = friedman(7, 5, 0, seed+1)
	rng := rand.New(rand.NewPCG(seed, 3))
	y, weights = mat.NewDense(n, 4, nil), make([]float64, n)
	for i, v := range one {
		y.SetRow(i, []float64{1e6 * (v / 5), 1e-6 * (x.At(i, 0) + 2*rng.NormFloat64()), x.At(i, 3) * x.At(i, 4), 7})
		weights[i] = .5 + rng.Float64()
	}
	return x, y, fresh, weights
}

func like(t *testing.T, what string, want []float64, got *mat.Dense, j int, unit, tol float64) {
	t.Helper()
	require.NotNil(t, got, what)
	for i, w := range want {
		if !(math.Abs(w-got.At(i, j)) <= tol*max(unit, math.Abs(w))) {
			t.Errorf("%s: target %d, row %d: %v, alone %v", what, j, i, got.At(i, j), w)
			return
		}
	}
}

// If the kernel and the ridge are set, each target has the same results as with a Regressor, for either solver. All targets
// together need as many passes over the rows as a single target.
func TestMultiEqualsSingle(t *testing.T) {
	x, y, fresh, weights := severalTargets(400, 1)
	for _, base := range []MultiRegressor{
		{Solver: Direct}, {Solver: Direct, NoIntercept: true}, {Solver: ConjugateGradients, Tolerance: 1e-9}, {Solver: ConjugateGradients, Tolerance: 1e-9, Rule: LeverageScores},
	} {
		for name, w := range map[string][]float64{"unweighted": nil, "weighted": weights} {
			m := base
			m.Kernel, m.Components, m.Ridge = kernels.RBF{Gamma: .3}, 30, .5
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
			into := mat.NewDense(7, 4, nil)
			require.NoError(t, m.PredictTo(into, fresh))
			tol := 1e-9
			if base.Solver == ConjugateGradients {
				tol = 1e-6 // the tolerance of the solver
			}
			passes := 0
			for j, unit := range multiUnits {
				r := Regressor{Kernel: m.Kernel, Components: 30, Ridge: .5, Solver: m.Solver, Tolerance: m.Tolerance, NoIntercept: m.NoIntercept, Rule: m.Rule}
				if target := mat.Col(nil, j, y); w == nil {
					require.NoError(t, r.Fit(ctx, x, target))
				} else {
					require.NoError(t, r.FitWeighted(ctx, x, target, w))
				}
				passes = max(passes, r.Details().Passes)
				assert.Equal(t, r.LandmarkRows(), m.LandmarkRows())
				assert.Equal(t, r.ChosenRidge(), m.ChosenRidge())
				wantMean, wantVariance, err := r.PredictVariance(fresh)
				require.NoError(t, err)
				wantLow, wantHigh, err := r.PredictInterval(fresh, .9)
				require.NoError(t, err)
				like(t, name+" mean", wantMean, mean, j, unit, tol)
				like(t, name+" one by one", wantMean, into, j, unit, tol)
				like(t, name+" variance", wantVariance, variance, j, unit*unit, 1e3*tol) // because a search computes its two components
				like(t, name+" low", wantLow, low, j, unit, 1e3*tol)
				like(t, name+" high", wantHigh, high, j, unit, 1e3*tol)
			}
			assert.LessOrEqual(t, m.Details().Passes, passes+1, "%v: a target may end an iteration later", base.Solver)
		}
	}
}

// For copies of a target in other units, the same kernel and ridge are chosen as for the target alone, so that units do not matter.
func TestMultiChooses(t *testing.T) {
	x, y, _, _ := severalTargets(300, 2)
	one := mat.Col(nil, 0, y)
	same := mat.NewDense(300, 3, nil)
	for i, v := range one {
		same.SetRow(i, []float64{v, 1e6 * (v - 2), -1e-6 * v})
	}
	for _, solver := range []Solver{Direct, ConjugateGradients} {
		r, m := Regressor{Components: 40, Solver: solver}, MultiRegressor{Components: 40, Solver: solver}
		require.NoError(t, r.Fit(ctx, x, one))
		require.NoError(t, m.Fit(ctx, x, same))
		assert.InEpsilon(t, r.ChosenRidge(), m.ChosenRidge(), 1e-4)
		assert.InEpsilon(t, r.ChosenKernel().(kernels.Matern).Length, m.ChosenKernel().(kernels.Matern).Length, 1e-4)

		require.NoError(t, m.Fit(ctx, x, y))
		scaled := mat.DenseCopyOf(y)
		scaled.Apply(func(_, j int, v float64) float64 { return math.Pow(1000, float64(j)) * v }, y)
		other := MultiRegressor{Components: 40, Solver: solver}
		require.NoError(t, other.Fit(ctx, x, scaled))
		assert.InEpsilon(t, m.ChosenRidge(), other.ChosenRidge(), 1e-4)
		assert.InEpsilon(t, m.Details().LeaveOneOut, other.Details().LeaveOneOut, 1e-4)
	}
}

// A fit of several targets can be resumed.
func TestMultiResumes(t *testing.T) {
	x, y, fresh, _ := severalTargets(400, 3)
	var states []*State
	whole := MultiRegressor{Kernel: kernels.RBF{Gamma: .3}, Components: 30, Solver: ConjugateGradients, Checkpoint: func(s *State) { states = append(states, s) }}
	require.NoError(t, whole.Fit(ctx, x, y))
	require.Greater(t, len(states), 1)
	rest := MultiRegressor{Kernel: kernels.RBF{Gamma: .3}, Components: 30, Solver: ConjugateGradients, Resume: states[0]}
	require.NoError(t, rest.Fit(ctx, x, y))
	want, err := whole.Predict(fresh)
	require.NoError(t, err)
	got, err := rest.Predict(fresh)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	other := mat.DenseCopyOf(y)
	other.Set(0, 2, 9)
	assert.ErrorIs(t, rest.Fit(ctx, x, other), estimators.ErrParam, "a State of other targets")
}

func TestMultiErrors(t *testing.T) {
	x, y, _, w := severalTargets(20, 1)
	m := &MultiRegressor{}
	assert.ErrorContains(t, m.Fit(ctx, x, y.Slice(0, 7, 0, 4)), "y has 7 rows, x has 20 rows")
	assert.ErrorIs(t, m.FitWeighted(ctx, x, y, w[1:]), estimators.ErrShape)
	assert.ErrorIs(t, m.FitWeighted(ctx, x, y, nil), estimators.ErrShape)
	assert.ErrorIs(t, (&MultiRegressor{Ridge: -1}).Fit(ctx, x, y), estimators.ErrParam)
	assert.ErrorContains(t, (&MultiRegressor{MaxBytes: 100}).Fit(ctx, x, y), "falkon: MultiRegressor")
	bad := mat.DenseCopyOf(y)
	bad.Set(3, 2, math.Inf(1))
	assert.ErrorContains(t, m.Fit(ctx, x, bad), "y[3,2] is +Inf")
	bad.Set(3, 2, 1e200)
	err := m.Fit(ctx, x, bad)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
	assert.ErrorContains(t, err, "falkon: MultiRegressor: column 2 of y is too large")
	assert.Nil(t, m.Coefficients())
	assert.Nil(t, m.Intercepts())
	assert.Nil(t, m.ChosenKernel())
	assert.Nil(t, m.LandmarkRows())
	assert.Zero(t, m.ChosenRidge())
	assert.Zero(t, m.Targets())
	assert.Zero(t, m.Details())
	_, _, err = m.PredictVariance(x)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	_, _, err = m.PredictInterval(x, 2)
	assert.ErrorIs(t, err, estimators.ErrParam)
	require.NoError(t, m.Fit(ctx, x, y))
	r, c := m.Coefficients().Dims()
	assert.Equal(t, []int{20, 4}, []int{r, c})
	assert.Len(t, m.Intercepts(), 4)
}

func TestMultiGoldenFile(t *testing.T) {
	x, y, at, _ := severalTargets(40, 4)
	fitted := &MultiRegressor{Kernel: kernels.RBF{Gamma: .3}, Components: 12, Ridge: .1}
	require.NoError(t, fitted.Fit(ctx, x, y))
	data, read := golden.Model(t, "MultiRegressor-v1.keln", fitted.MarshalBinary), &MultiRegressor{Kernel: fitted.Kernel}
	require.NoError(t, read.UnmarshalBinary(data))
	mean, variance, err := fitted.PredictVariance(at)
	require.NoError(t, err)
	gotMean, gotVariance, err := read.PredictVariance(at)
	require.NoError(t, err)
	for j, unit := range multiUnits {
		like(t, "mean", mat.Col(nil, j, mean), gotMean, j, unit, 1e-6)
		like(t, "variance", mat.Col(nil, j, variance), gotVariance, j, unit*unit, 1e-4)
	}
	again, err := read.MarshalBinary()
	require.NoError(t, err)
	assert.Equal(t, data, again)
}

func TestMultiBadModels(t *testing.T) {
	x, y, _, _ := severalTargets(20, 1)
	fitted := &MultiRegressor{Kernel: kernels.RBF{Gamma: .3}, Components: 5, Ridge: .1}
	require.NoError(t, fitted.Fit(ctx, x, y))
	for name, spoil := range map[string]func(*stored){
		"":             func(*stored) {},
		"no spread":    func(s *stored) { s.Spread = nil },
		"bias":         func(s *stored) { s.Bias = s.Bias[1:] },
		"no bias":      func(s *stored) { s.Bias = nil },
		"noises":       func(s *stored) { s.Spread.Noises = s.Spread.Noises[1:] },
		"no noises":    func(s *stored) { s.Spread.Noises = nil },
		"unseens":      func(s *stored) { s.Spread.Unseens = s.Spread.Unseens[1:] },
		"a noise":      func(s *stored) { s.Spread.Noises = codec.Floats{1, 2, -3, 4} },
		"not a number": func(s *stored) { s.Spread.Unseens = codec.Floats{1, 2, math.NaN(), 4} },
		"coefficients": func(s *stored) { s.Beta.Rows, s.Beta.Cols = s.Beta.Cols, s.Beta.Rows },
	} {
		s := fitted.store(fitted.Kernel, true)
		spoil(&s)
		data, err := codec.Marshal(multiKind, version, s)
		require.NoError(t, err)
		err = (&MultiRegressor{Kernel: fitted.Kernel}).UnmarshalBinary(data)
		if name == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorIs(t, err, estimators.ErrBadModel, name)
		}
	}
}
