package rvm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// repeated returns weights of 1 to 3, and the rows repeated according to their weights.
func repeated(n int) (weights []float64, rows []int) {
	for i := range n {
		w := 1 + i*i%5/2
		weights = append(weights, float64(w))
		for range w {
			rows = append(rows, i)
		}
	}
	return weights, rows
}

func pick[T any](v []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = v[r]
	}
	return out
}

// With the same basis, a weight of 2 is equivalent to the row given twice. All results are the same, including the evidence and the
// noise.
func TestWeightsAreRows(t *testing.T) {
	x, y := wave(90)
	fresh, _ := wave(20)
	weights, rows := repeated(90)
	for _, way := range intercepts {
		for name, r := range map[string]*Regressor{"estimated": {}, "no cache": {CacheBytes: 1}, "fixed noise": {NoiseVariance: 0.01}} {
			r.Kernel, r.Landmarks, r.InterceptPrior, r.NoIntercept = kernels.RBF{Gamma: 0.4}, x, way.InterceptPrior, way.NoIntercept
			twice := estimators.Clone(r)
			require.NoError(t, twice.Fit(ctx, linalg.Rows(x, rows), pick(y, rows)))
			require.NoError(t, r.FitWeighted(ctx, x, y, weights))
			assert.Equal(t, twice.RelevanceIndices(), r.RelevanceIndices(), "%s %v", name, way.intercept())
			assert.InEpsilon(t, twice.LogEvidence(), r.LogEvidence(), 1e-9, "%s %v", name, way.intercept())
			assert.InEpsilon(t, twice.ChosenNoiseVariance(), r.ChosenNoiseVariance(), 1e-6)
			mean, variance, err := twice.PredictVariance(fresh)
			require.NoError(t, err)
			got, v, err := r.PredictVariance(fresh)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(got, mean), 1e-6, "%s %v", name, way.intercept())
			assert.LessOrEqual(t, golden.MaxError(v, variance), 1e-2, "%s %v: refits may end beside each other by rounding", name, way.intercept())
			_, variance, err = twice.m.withOwnVariance().predict(fresh, 1, true)
			require.NoError(t, err)
			_, v, err = r.m.withOwnVariance().predict(fresh, 1, true)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(v, variance), 1e-6, "%s %v", name, way.intercept())
		}
	}
}

// For weights of any size, divided by their mean, the coefficients, covariance and evidence for the fitted precisions and noise
// agree with the definition,
//
//	H = βΦ'WΦ + A,  μ = βH⁻¹Φ'Wt,  L = ½(N ln β/2π - ln|H| + Σ ln α - β e'We - μ'Aμ),
//
// where N = Σw. With a flat prior on the intercept, N is smaller by 1 and weighted means are subtracted. The evidence is
// stationary, so that γ = αμ² and (N - Σγ)/β = e'We.
func TestWeightedDefinition(t *testing.T) {
	x, y := wave(80)
	weights := make([]float64, 80)
	total := 0.0
	for i := range weights {
		weights[i] = 0.2 + 2*math.Abs(math.Sin(float64(i)))
		total += weights[i]
	}
	given := slices.Clone(weights)
	floats.Scale(80/total, weights)
	total = 80
	for _, way := range []*Regressor{{NoIntercept: true}, {}} {
		r := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}, NoIntercept: way.NoIntercept}
		require.NoError(t, r.FitWeighted(ctx, x, y, given))
		phi, err := kernels.Cross(ctx, r.Kernel, x, r.RelevanceVectors(), nil)
		require.NoError(t, err)
		_, m := phi.Dims()
		target, dof := append([]float64(nil), y...), total
		if !way.NoIntercept {
			dof--
			centre := func(v []float64) {
				mean := 0.0
				for i, w := range weights {
					mean += w * v[i] / total
				}
				for i := range v {
					v[i] -= mean
				}
			}
			centre(target)
			for j := range m {
				column := mat.Col(nil, j, phi)
				centre(column)
				phi.SetCol(j, column)
			}
		}
		beta := 1 / r.ChosenNoiseVariance()
		w := mat.NewDiagDense(80, weights)
		var weighted, h, right mat.Dense
		weighted.Mul(w, phi)
		h.Mul(phi.T(), &weighted)
		h.Scale(beta, &h)
		evidence := dof * (math.Log(beta) - math.Log(2*math.Pi))
		for j, a := range r.Alphas() {
			h.Set(j, j, h.At(j, j)+a)
			evidence += math.Log(a)
		}
		right.Mul(weighted.T(), mat.NewDense(80, 1, target))
		right.Scale(beta, &right)
		var cov, mu, fit mat.Dense
		require.NoError(t, cov.Inverse(&h))
		mu.Mul(&cov, &right)
		assert.LessOrEqual(t, golden.MaxError(r.Coefficients(), mu.RawMatrix().Data), 1e-6)
		assert.True(t, mat.EqualApprox(&cov, r.Covariance(), 1e-6*mat.Norm(&cov, 2)))
		fit.Mul(phi, &mu)
		squares, gammas := 0.0, 0.0
		for i, v := range target {
			e := v - fit.At(i, 0)
			squares += weights[i] * e * e
		}
		for j, a := range r.Alphas() {
			evidence -= a * mu.At(j, 0) * mu.At(j, 0)
			gamma := 1 - a*cov.At(j, j)
			gammas += gamma
			assert.InEpsilon(t, gamma, a*mu.At(j, 0)*mu.At(j, 0), 1e-5)
		}
		det, _ := mat.LogDet(&h)
		evidence -= beta*squares + det
		assert.InEpsilon(t, evidence/2, r.LogEvidence(), 1e-9)
		assert.InEpsilon(t, (dof-gammas)/beta, squares, 1e-6)
	}
}

// If the noise is set, multiplying the weights and the noise by the same number does not change the model.
func TestWeightsAreCounts(t *testing.T) {
	x, y := wave(60)
	small, large := make([]float64, 60), make([]float64, 60)
	for i := range small {
		small[i] = 0.5 + float64(i%3)/2
		large[i] = 4 * small[i]
	}
	a := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}, NoiseVariance: 0.01}
	b := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}, NoiseVariance: 0.04}
	require.NoError(t, a.FitWeighted(ctx, x, y, small))
	require.NoError(t, b.FitWeighted(ctx, x, y, large))
	assert.LessOrEqual(t, golden.MaxError(b.Coefficients(), a.Coefficients()), 1e-6)

	// With a sum of the weights of at most 1, no degree of freedom remains besides the intercept.
	tiny := make([]float64, 60)
	for i := range tiny {
		tiny[i] = 1.0 / 60
	}
	err := (&Regressor{NoiseVariance: .01}).FitWeighted(ctx, x, y, tiny)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "rvm: Regressor: sum of the weights = ")
	require.NoError(t, (&Regressor{NoiseVariance: .01, NoIntercept: true}).FitWeighted(ctx, x, y, tiny))
	var once, scaled Regressor
	require.NoError(t, once.Fit(ctx, x, y))
	require.NoError(t, scaled.FitWeighted(ctx, x, y, tiny))
	assert.Equal(t, once.LogEvidence(), scaled.LogEvidence())
}

// Models without relevance vectors predict the weighted mean.
func TestWeightedConstant(t *testing.T) {
	x, y := mat.NewDense(3, 1, []float64{1, 2, 3}), []float64{4, 4, 4}
	r := &Regressor{}
	require.NoError(t, r.FitWeighted(ctx, x, y, []float64{1, 2, 5}))
	_, variance, err := r.PredictVariance(x)
	require.NoError(t, err)
	assert.InDelta(t, 4, r.Intercept(), 1e-15)
	assert.Zero(t, variance[0])
}

func TestClassWeightsAreRows(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := blobs(80, k, 1)
		weights, rows := repeated(80)
		for name, c := range map[string]*Classifier{"plain": {}, "no cache": {CacheBytes: 1}, "refined": {Refine: true}, "balanced": {Balanced: true}} {
			c.Kernel, c.Landmarks = kernels.RBF{Gamma: 0.5}, x
			twice := estimators.Clone(c)
			require.NoError(t, twice.Fit(ctx, linalg.Rows(x, rows), pick(y, rows)))
			require.NoError(t, c.FitWeighted(ctx, x, y, weights))
			assert.Equal(t, twice.RelevanceIndices(), c.RelevanceIndices(), name)
			assert.InEpsilon(t, twice.LogEvidence(), c.LogEvidence(), 1e-7, name)
			p, err := twice.PredictProba(x)
			require.NoError(t, err)
			q, err := c.PredictProba(x)
			require.NoError(t, err)
			assert.True(t, mat.EqualApprox(p, q, 1e-6), name)
		}
	}
}

// Balanced and ClassWeights have the same effect as weights of rows.
func TestClassWeights(t *testing.T) {
	x, y := blobs(60, 2, 3)
	for i := range y {
		if i%4 == 1 {
			y[i] = 0 // 45 to 15
		}
	}
	count := 0.0
	for _, label := range y {
		count += float64(label)
	}
	for name, c := range map[string]struct {
		of     *Classifier
		weight [2]float64
	}{
		"balanced": {&Classifier{Balanced: true}, [2]float64{60 / (2 * (60 - count)), 60 / (2 * count)}},
		"given":    {&Classifier{ClassWeights: map[int]float64{1: 3}}, [2]float64{1, 3}},
		"both":     {&Classifier{Balanced: true, ClassWeights: map[int]float64{0: 2}}, [2]float64{2 * 60 / (2 * (60 - count)), 60 / (2 * count)}},
	} {
		weights := make([]float64, 60)
		for i, label := range y {
			weights[i] = c.weight[label]
		}
		want := &Classifier{}
		require.NoError(t, want.FitWeighted(ctx, x, y, weights))
		require.NoError(t, c.of.Fit(ctx, x, y))
		p, err := want.PredictProba(x)
		require.NoError(t, err)
		q, err := c.of.PredictProba(x)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(p, q, 1e-9), name)
		plain := &Classifier{}
		require.NoError(t, plain.Fit(ctx, x, y))
		assert.NotEqual(t, plain.LogEvidence(), c.of.LogEvidence(), name)
	}
	err := (&Classifier{ClassWeights: map[int]float64{1: -1}}).Fit(ctx, x, y)
	assert.EqualError(t, err, "rvm: Classifier: ClassWeights[1] = -1, want a finite value > 0")
}

// A weight of w is equivalent to w copies of the row, except for the last digits. The search compares the same candidates in the
// same order.
func TestWeightsAreCopies(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 40))
		x, y, at := mat.NewDense(40, 2, nil), make([]float64, 40), make([]int, 40)
		weights, rows := make([]float64, 40), []int{}
		for i := range y {
			x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
			y[i] = math.Sin(2*x.At(i, 0)) + .3*rng.NormFloat64()
			if y[i]+.5*rng.NormFloat64() > 0 {
				at[i] = 1
			}
			weights[i] = float64(1 + rng.IntN(3))
			rows = append(rows, i)
		}
		for i, w := range weights {
			for range int(w) - 1 {
				rows = append(rows, i)
			}
		}
		c, copied := &Classifier{Kernel: kernels.RBF{Gamma: .5}}, &Classifier{Kernel: kernels.RBF{Gamma: .5}}
		require.NoError(t, c.FitWeighted(ctx, x, at, weights))
		require.NoError(t, copied.Fit(ctx, linalg.Rows(x, rows), pick(at, rows)))
		assert.InDelta(t, copied.LogEvidence(), c.LogEvidence(), 1e-9)
		p, err := c.PredictProba(x)
		require.NoError(t, err)
		q, err := copied.PredictProba(x)
		require.NoError(t, err)
		assert.InDeltaSlice(t, q.RawMatrix().Data, p.RawMatrix().Data, 1e-9)
		assert.Equal(t, copied.RelevanceIndices(), c.RelevanceIndices())

		r, twice := &Regressor{Kernel: kernels.RBF{Gamma: .5}}, &Regressor{Kernel: kernels.RBF{Gamma: .5}}
		require.NoError(t, r.FitWeighted(ctx, x, y, weights))
		require.NoError(t, twice.Fit(ctx, linalg.Rows(x, rows), pick(y, rows)))
		m, v, err := r.PredictVariance(x)
		require.NoError(t, err)
		n, u, err := twice.PredictVariance(x)
		require.NoError(t, err)
		assert.InDeltaSlice(t, n, m, 1e-9)
		assert.InDeltaSlice(t, u, v, 1e-9)
	}
}

// Repeated observations are fitted by the means of equal rows, and the variance around these means is a part of the predicted
// variance.
func TestObservationsOfEqualRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(400, 1, nil), make([]float64, 400)
	for i := range y {
		x.Set(i, 0, float64(i%20)/4)
		y[i] = math.Sin(x.At(i, 0)) + .3*rng.NormFloat64()
	}
	var r Regressor
	require.NoError(t, r.Fit(ctx, x, y))
	_, variance, err := r.PredictVariance(x)
	require.NoError(t, err)
	for _, v := range variance {
		assert.InDelta(t, .09, v, .02)
	}
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	var loaded Regressor
	require.NoError(t, loaded.UnmarshalBinary(data))
	_, again, err := loaded.PredictVariance(x)
	require.NoError(t, err)
	assert.Equal(t, variance, again)
}

// With extreme ratios of weights, a fit returns finite numbers or ErrNotFinite.
func TestWildWeights(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 41))
		x, y := blobs(60, 2, seed)
		weights := make([]float64, 60)
		for i := range weights {
			weights[i] = math.Exp(200*rng.Float64() - 100)
		}
		c := &Classifier{}
		if err := c.FitWeighted(ctx, x, y, weights); err != nil {
			assert.ErrorIs(t, err, estimators.ErrNotFinite)
			continue
		}
		p, err := c.PredictProba(x)
		require.NoError(t, err)
		assert.NoError(t, check.Finite("p", p))
	}
}
