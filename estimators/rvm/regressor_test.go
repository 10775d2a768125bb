package rvm

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/evidence"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/reference"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

// Without knowledge of the optimum, a fit reaches an evidence within 1 nat of the reference's best of six starts. This is not a
// general bound, because the evidence has many optima.
func TestReferenceFromAColdStart(t *testing.T) {
	for _, name := range reference.Regressions {
		c := reference.Load(t, ".", name)
		r := &Regressor{Kernel: c.Function(), NoIntercept: c.Bias == "none"}
		if c.Bias == "ard" {
			r.InterceptPrior = ARDPrior
		}
		require.NoError(t, r.Fit(ctx, golden.Dense(c.X), c.Y))
		assert.GreaterOrEqual(t, r.LogEvidence(), c.Optimum.Evidence-1, name)
		assert.True(t, r.Report().Converged)
		t.Logf("%s: evidence %.4f (reference %.4f), %d vectors (%d)", name, r.LogEvidence(), c.Optimum.Evidence, len(r.RelevanceIndices()), len(c.Optimum.Relevance))
	}
}

// In a case in which the fit finds the optimum of the reference, the parameters and the predictions agree with it.
func TestReferencePredictions(t *testing.T) {
	c := reference.Load(t, ".", "reg_3d80_npoly_ard.json")
	r := &Regressor{Kernel: c.Function(), InterceptPrior: ARDPrior, NoCalibration: true}
	require.NoError(t, r.Fit(ctx, golden.Dense(c.X), c.Y))
	assert.Equal(t, c.Optimum.Relevance[:2], r.RelevanceIndices())
	assert.InEpsilon(t, c.Optimum.Weights[2], r.Intercept(), 1e-6)
	assert.LessOrEqual(t, golden.MaxError(r.Coefficients(), c.Optimum.Weights[:2]), 1e-6)
	assert.InEpsilon(t, 1/c.Optimum.Beta, r.ChosenNoiseVariance(), 1e-6)
	mean, variance, err := r.PredictVariance(golden.Dense(c.Predict.X))
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(mean, c.Predict.Mean), 1e-6)
	assert.LessOrEqual(t, golden.MaxError(variance, c.Predict.Var), 1e-6)
}

// modelAt computes the model with the given columns and precisions from its definition. The candidates for columns are the kernel
// values of the rows, followed by a column of ones.
func modelAt(t *testing.T, k kernels.Kernel, x *mat.Dense, y []float64, flat bool, active []int, alpha []float64, beta float64) *model {
	n, m := len(y), len(active)
	gram, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	s := &evidence.Solution{Indices: active, Alphas: alpha, Noise: 1 / beta, Means: make([]float64, m), Coefficients: make([]float64, m), Covariance: mat.NewSymDense(m, nil)}
	phi, targets := mat.NewDense(n, m, nil), slices.Clone(y)
	mean := floats.Sum(y) / float64(n)
	for a, j := range active {
		column := slices.Repeat([]float64{1}, n)
		if j < n {
			mat.Col(column, j, gram)
		}
		if flat {
			s.Means[a] = floats.Sum(column) / float64(n)
			floats.AddConst(-s.Means[a], column)
		}
		phi.SetCol(a, column)
	}
	if flat {
		s.Spread, s.Intercept = 1/float64(n), mean
		floats.AddConst(-mean, targets)
	}
	var h, inverse mat.Dense
	h.Mul(phi.T(), phi)
	h.Scale(beta, &h)
	for a, v := range alpha {
		h.Set(a, a, h.At(a, a)+v)
	}
	require.NoError(t, inverse.Inverse(&h))
	var right, mu mat.VecDense
	right.MulVec(phi.T(), mat.NewVecDense(n, targets))
	mu.MulVec(&inverse, &right)
	for a := range active {
		s.Coefficients[a] = beta * mu.AtVec(a)
		s.Intercept -= s.Coefficients[a] * s.Means[a]
		for b := range a + 1 {
			s.Covariance.SetSym(a, b, inverse.At(a, b))
		}
	}
	return newModel(s, basis.NewDesign(&distinct.Rows{X: x}, basis.Dictionary{k}, x, make([]int, n)))
}

// With the columns and precisions of the reference, the predictions agree with it in all cases.
func TestReferencePredictionsOfAModel(t *testing.T) {
	for _, name := range reference.Regressions {
		c := reference.Load(t, ".", name)
		m := modelAt(t, c.Function(), golden.Dense(c.X), c.Y, c.Bias == "free", c.Optimum.Relevance, c.Optimum.Alpha, c.Optimum.Beta)
		got, variance, err := m.predict(golden.Dense(c.Predict.X), 1, true)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(got, c.Predict.Mean), 1e-6, name)
		assert.LessOrEqual(t, golden.MaxError(variance, c.Predict.Var), 1e-6, name)
		if c.Bias == "free" {
			assert.InDelta(t, c.Optimum.Intercept, m.Intercept, 1e-6, name)
		}
	}
}

// intercepts lists the settings of the intercept.
var intercepts = []Regressor{{}, {InterceptPrior: ARDPrior}, {NoIntercept: true}}

func wave(n int) (*mat.Dense, []float64) {
	x := random(n, 2, 11)
	noise := random(n, 1, 12)
	y := make([]float64, n)
	for i := range y {
		y[i] = 3 + math.Sin(2*x.At(i, 0)) + x.At(i, 1)*x.At(i, 1)/4 + 0.1*noise.At(i, 0)
	}
	return x, y
}

// The model is the same with the caller's own design matrix, with columns that are not kept, with all rows as landmarks, and with
// any number of workers.
func TestWaysToTheSameModel(t *testing.T) {
	x, y := wave(160)
	fresh, _ := wave(20)
	kernel := kernels.RBF{Gamma: 0.4}
	for _, way := range intercepts {
		want := &Regressor{Kernel: kernel, InterceptPrior: way.InterceptPrior, NoIntercept: way.NoIntercept}
		require.NoError(t, want.Fit(ctx, x, y))
		mean, variance, err := want.PredictVariance(fresh)
		require.NoError(t, err)
		for name, r := range map[string]*Regressor{
			"landmarks": {Kernel: kernel, InterceptPrior: way.InterceptPrior, NoIntercept: way.NoIntercept, Landmarks: x},
			"no cache":  {Kernel: kernel, InterceptPrior: way.InterceptPrior, NoIntercept: way.NoIntercept, CacheBytes: 1},
			"a cache":   {Kernel: kernel, InterceptPrior: way.InterceptPrior, NoIntercept: way.NoIntercept, CacheBytes: 8 * 160 * 128},
			"workers":   {Kernel: kernel, InterceptPrior: way.InterceptPrior, NoIntercept: way.NoIntercept, Workers: 3},
			"all rows":  {Kernel: kernel, InterceptPrior: way.InterceptPrior, NoIntercept: way.NoIntercept, Components: 160},
		} {
			require.NoError(t, r.Fit(ctx, x, y))
			assert.Equal(t, want.RelevanceIndices(), r.RelevanceIndices(), name)
			got, v, err := r.PredictVariance(fresh)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(got, mean), 1e-7, name)
			_, ownV, err := r.m.withOwnVariance().predict(fresh, 1, true)
			require.NoError(t, err)
			_, ownVariance, err := want.m.withOwnVariance().predict(fresh, 1, true)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(ownV, ownVariance), 1e-7, name)
			switch name {
			case "landmarks": // not comparable: the refits keep all landmarks
			case "workers":
				assert.Equal(t, variance, v)
			default: // recomputed columns are rounded differently, and a refit may end at a nearby model
				assert.LessOrEqual(t, golden.MaxError(v, variance), 1e-2, name)
			}
		}

		k, err := kernels.Matrix(ctx, kernel, x, nil)
		require.NoError(t, err)
		cross, err := kernels.Cross(ctx, kernel, fresh, x, nil)
		require.NoError(t, err)
		bare := &Regressor{Kernel: kernel, InterceptPrior: way.InterceptPrior, NoIntercept: way.NoIntercept, NoCalibration: true}
		require.NoError(t, bare.Fit(ctx, x, y))
		mean, variance, err = bare.PredictVariance(fresh)
		require.NoError(t, err)
		r := &Regressor{InterceptPrior: way.InterceptPrior, NoIntercept: way.NoIntercept, NoCalibration: true}
		require.NoError(t, r.FitDesign(ctx, k, y))
		got, v, err := r.PredictVarianceDesign(cross)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(got, mean), 1e-7)
		assert.LessOrEqual(t, golden.MaxError(v, variance), 1e-7)
		got, err = r.PredictDesign(cross)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(got, mean), 1e-7)
		assert.Equal(t, want.RelevanceIndices(), r.RelevanceIndices())
		assert.Nil(t, r.RelevanceVectors())
		_, err = r.Predict(fresh)
		assert.ErrorContains(t, err, "methods that end in Design")
		_, err = want.PredictDesign(cross)
		assert.ErrorContains(t, err, "methods that do not end in Design")
	}
}

// The parts of a model are consistent. The prediction follows from coefficients, vectors and intercept, its variance from
// covariance and noise, and γ = αw² at the optimum.
func TestFacts(t *testing.T) {
	x, y := wave(120)
	r := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}, NoIntercept: true, NoCalibration: true}
	assert.Nil(t, r.Coefficients())
	assert.Nil(t, r.Alphas())
	assert.Nil(t, r.RelevanceIndices())
	assert.Nil(t, r.RelevanceVectors())
	assert.Nil(t, r.Covariance())
	assert.Nil(t, r.ChosenKernel())
	assert.Zero(t, r.ChosenNoiseVariance()+r.Intercept()+r.LogEvidence())
	require.NoError(t, r.Fit(ctx, x, y))
	vectors, cov := r.RelevanceVectors(), r.Covariance()
	for i, j := range r.RelevanceIndices() {
		assert.Equal(t, x.RawRowView(j), vectors.RawRowView(i))
	}
	assert.True(t, slices.IsSorted(r.RelevanceIndices()))
	k, err := kernels.Cross(ctx, r.ChosenKernel(), x, vectors, nil)
	require.NoError(t, err)
	mean, variance, err := r.PredictVariance(x)
	require.NoError(t, err)
	w := mat.NewVecDense(len(r.Coefficients()), r.Coefficients())
	for i := range mean {
		phi := mat.NewVecDense(w.Len(), k.RawRowView(i))
		assert.InDelta(t, mat.Dot(phi, w)+r.Intercept(), mean[i], 1e-10)
		assert.InDelta(t, r.ChosenNoiseVariance()+mat.Inner(phi, cov, phi), variance[i], 1e-10)
	}
	for i, a := range r.Alphas() {
		gamma := 1 - a*cov.At(i, i)
		assert.InEpsilon(t, gamma, a*r.Coefficients()[i]*r.Coefficients()[i], 1e-5)
	}
	assert.Equal(t, -r.LogEvidence(), r.Report().Objective)
	assert.InDelta(t, 0.01, r.ChosenNoiseVariance(), 0.005, "the noise that was put in")
}

// A fit to targets in other units results in the same model in those units.
func TestScaleOfTheTargets(t *testing.T) {
	x, y := wave(100)
	a := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}}
	require.NoError(t, a.Fit(ctx, x, y))
	scaled := make([]float64, len(y))
	for i, v := range y {
		scaled[i] = 1000*v - 7
	}
	b := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}}
	require.NoError(t, b.Fit(ctx, x, scaled))
	assert.Equal(t, a.RelevanceIndices(), b.RelevanceIndices())
	assert.InEpsilon(t, 1e6*a.ChosenNoiseVariance(), b.ChosenNoiseVariance(), 1e-6)
	assert.InDelta(t, a.LogEvidence()-99*math.Log(1000), b.LogEvidence(), 1e-6)
	for i, v := range a.Alphas() {
		assert.InEpsilon(t, v/1e6, b.Alphas()[i], 1e-5)
	}
}

func TestNoiseAndStarts(t *testing.T) {
	x, y := wave(100)
	fixed := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}, NoiseVariance: 0.04}
	require.NoError(t, fixed.Fit(ctx, x, y))
	assert.InEpsilon(t, 0.04, fixed.ChosenNoiseVariance(), 1e-12)
	free := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}}
	require.NoError(t, free.Fit(ctx, x, y))
	assert.Greater(t, free.LogEvidence(), fixed.LogEvidence())
	var steps atomic.Int64
	one := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}, Starts: 1, NoAllIn: true, Observe: func(s estimators.Step) {
		if !s.Between {
			steps.Add(1)
		}
	}}
	require.NoError(t, one.Fit(ctx, x, y))
	assert.LessOrEqual(t, one.LogEvidence(), free.LogEvidence())
	assert.EqualValues(t, one.Report().Iterations, steps.Load())
	assert.Greater(t, free.Report().Iterations, one.Report().Iterations, "of all starts")
}

func TestComponents(t *testing.T) {
	x, y := wave(200)
	a, b := &Regressor{Components: 30, Seed: 5}, &Regressor{Components: 30, Seed: 5}
	require.NoError(t, a.Fit(ctx, x, y))
	require.NoError(t, b.Fit(ctx, x, y))
	assert.Equal(t, a.RelevanceIndices(), b.RelevanceIndices())
	other := &Regressor{Components: 30, Seed: 6}
	require.NoError(t, other.Fit(ctx, x, y))
	assert.NotEqual(t, a.RelevanceIndices(), other.RelevanceIndices())
	for i, j := range a.RelevanceIndices() {
		assert.Equal(t, x.RawRowView(j), a.RelevanceVectors().RawRowView(i))
	}

	landmarks := random(15, 2, 3)
	l := &Regressor{Landmarks: landmarks}
	require.NoError(t, l.Fit(ctx, x, y))
	for i, j := range l.RelevanceIndices() {
		assert.Equal(t, landmarks.RawRowView(j), l.RelevanceVectors().RawRowView(i))
	}
}

func TestPredictInterval(t *testing.T) {
	x, y := wave(150)
	r := &Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	mean, variance, err := r.PredictVariance(x)
	require.NoError(t, err)
	low, high, err := r.PredictInterval(x, 0.95)
	require.NoError(t, err)
	for i, m := range mean {
		assert.InDelta(t, m-1.959963984540054*math.Sqrt(variance[i]), low[i], 1e-12)
		assert.InDelta(t, m+1.959963984540054*math.Sqrt(variance[i]), high[i], 1e-12)
	}
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		_, _, err = r.PredictInterval(x, level)
		assert.ErrorIs(t, err, estimators.ErrParam)
	}
}

func TestErrors(t *testing.T) {
	x, y := wave(10)
	for want, r := range map[string]*Regressor{
		"rvm: Regressor: InterceptPrior = 7, want FlatPrior or ARDPrior":                   {InterceptPrior: 7},
		"rvm: Regressor: NoiseVariance = -1, want finite and > 0, or 0 for the estimate":   {NoiseVariance: -1},
		"rvm: Regressor: NoiseVariance = +Inf, want finite and > 0, or 0 for the estimate": {NoiseVariance: math.Inf(1)},
		"rvm: Regressor: AllIn = -1, want >= 1, or 0 for 500":                              {AllIn: -1},
		"rvm: Regressor: Components = -1, want >= 1, or 0 for all rows":                    {Components: -1},
		"rvm: Regressor: Starts = 4, want 1 to 3, or 0 for 3":                              {Starts: 4},
		"rvm: Regressor: CacheBytes = -1, want >= 1, or 0 for 512 MiB":                     {CacheBytes: -1},
		"kernels: RBF: Gamma = -1, want a finite value > 0, or 0 for the default":          {Kernel: kernels.RBF{Gamma: -1}},
		"rvm: Regressor: Landmarks has 3 columns, x has 2":                                 {Landmarks: mat.NewDense(1, 3, nil)},
		"rvm: Regressor: Landmarks has 0 rows, want at least 1":                            {Landmarks: &mat.Dense{}},
	} {
		assert.EqualError(t, r.Fit(ctx, x, y), want)
	}
	assert.ErrorIs(t, (&Regressor{}).FitDesign(ctx, x, y[1:]), estimators.ErrShape)
	assert.ErrorIs(t, (&Regressor{}).FitDesign(ctx, nil, y), estimators.ErrShape)
	assert.ErrorIs(t, (&Regressor{}).FitDesign(ctx, x, append([]float64{math.NaN()}, y[1:]...)), estimators.ErrNotFinite)
	err := (&Regressor{Kernel: kernels.Polynomial{Degree: 4000}}).Fit(ctx, random(10, 2, 1), y)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)

	cancelled, cancel := context.WithCancel(ctx)
	r := &Regressor{Observe: func(estimators.Step) { cancel() }}
	x, y = wave(100)
	assert.ErrorIs(t, r.Fit(cancelled, x, y), context.Canceled)
}

func TestDefaults(t *testing.T) {
	x, y := wave(60)
	zero := &Regressor{}
	require.NoError(t, zero.Fit(ctx, x, y))
	spelled := &Regressor{Kernel: zero.ChosenKernel(), InterceptPrior: FlatPrior, AllIn: defaultAllIn, Starts: 3, CacheBytes: defaultCacheBytes}
	require.NoError(t, spelled.Fit(ctx, x, y))
	assert.Equal(t, zero.Coefficients(), spelled.Coefficients())
	assert.Equal(t, "FlatPrior ARDPrior InterceptPrior(9)", FlatPrior.String()+" "+ARDPrior.String()+" "+InterceptPrior(9).String())
}
