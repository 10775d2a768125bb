package gabasr

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/sampler"
)

// For weights of any size, a fit with given features agrees with the definition of the posterior. With A = P0 + Φ'WΦ and N = Σw, it
// is
//
//	β̂ = A⁻¹Φ'Wy,  aN = a0 + N/2,  bN = b0 + ½(e'We + β̂'P0β̂),  variance (bN/(aN-1))(1 + φ'A⁻¹φ)
func TestWeightedDefinition(t *testing.T) {
	x, y, _ := problem(50, 6)
	own, total := make([]float64, 50), 0.0
	for i := range own {
		own[i] = 0.2 + 2*math.Abs(math.Sin(float64(i)))
		total += own[i]
	}
	r := &Regressor{Pairs: 7, NoSweeps: true, NoScaling: true, Chains: 1, Ridge: 0.3}
	require.NoError(t, r.FitWeighted(ctx, x, y, own))
	waves, err := r.Map().Transform(x)
	require.NoError(t, err)
	const p = 15
	phi := mat.NewDense(50, p, nil)
	for i := range 50 {
		phi.Set(i, 0, 1)
		for j := range p - 1 {
			phi.Set(i, 1+j, waves.At(i, j))
		}
	}
	var weighted, a, right, inverse, beta, fit mat.Dense
	weighted.Mul(mat.NewDiagDense(50, own), phi)
	a.Mul(phi.T(), &weighted)
	p0 := func(j int) float64 {
		if j == 0 {
			return sampler.DefaultInterceptPrecision
		}
		return 0.3
	}
	logP0 := 0.0
	for j := range p {
		a.Set(j, j, a.At(j, j)+p0(j))
		logP0 += math.Log(p0(j))
	}
	right.Mul(weighted.T(), mat.NewDense(50, 1, y))
	require.NoError(t, inverse.Inverse(&a))
	beta.Mul(&inverse, &right)
	fit.Mul(phi, &beta)
	rate := 0.0
	for i, v := range y {
		e := v - fit.At(i, 0)
		rate += own[i] * e * e
	}
	for j := range p {
		rate += p0(j) * beta.At(j, 0) * beta.At(j, 0)
	}
	rate = sampler.DefaultNoise + rate/2
	shape := sampler.DefaultNoise + total/2
	mean, variance, err := r.PredictVariance(x)
	require.NoError(t, err)
	for i := range y {
		row := phi.RowView(i)
		assert.InDelta(t, fit.At(i, 0), mean[i], 1e-9)
		assert.InEpsilon(t, rate/(shape-1)*(1+mat.Inner(row, &inverse, row)), variance[i], 1e-9)
	}
	det, _ := mat.LogDet(&a)
	g1, _ := math.Lgamma(shape)
	g0, _ := math.Lgamma(sampler.DefaultNoise)
	want := -total/2*math.Log(2*math.Pi) + (logP0-det)/2 + sampler.DefaultNoise*math.Log(sampler.DefaultNoise) - shape*math.Log(rate) + g1 - g0
	kept, _ := r.LogEvidence()
	assert.InEpsilon(t, want, kept, 1e-9)
}

// Weights of 1 give the same bits as no weights.
func TestWeightsOfOne(t *testing.T) {
	x, y, labels := problem(40, 2)
	ones, classes := make([]float64, 40), make([]int, 40)
	for i := range ones {
		ones[i], classes[i] = 1, int(labels[i])
	}
	a, b := &Regressor{Pairs: 5, Sweeps: 4, Chains: 2}, &Regressor{Pairs: 5, Sweeps: 4, Chains: 2}
	require.NoError(t, a.Fit(ctx, x, y))
	require.NoError(t, b.FitWeighted(ctx, x, y, ones))
	assert.Equal(t, a.Trace(), b.Trace())
	c, d := &Classifier{Pairs: 5, Sweeps: 4, Chains: 2}, &Classifier{Pairs: 5, Sweeps: 4, Chains: 2}
	require.NoError(t, c.Fit(ctx, x, classes))
	require.NoError(t, d.FitWeighted(ctx, x, classes, ones))
	assert.Equal(t, c.Trace(), d.Trace())
}

// Balanced and ClassWeights have the same effect as weights of rows, and the rare class is predicted more often.
func TestClassWeights(t *testing.T) {
	x, _, labels := problem(120, 9)
	y, count := make([]int, 120), 0.0
	for i, l := range labels {
		if y[i] = int(l); i%4 != 0 {
			y[i] = 0
		}
		count += float64(y[i])
	}
	predicted := func(c *Classifier) (ones int) {
		got, err := c.Predict(x)
		require.NoError(t, err)
		for _, v := range got {
			ones += v
		}
		return ones
	}
	for _, likelihood := range []Likelihood{Normal, Surrogate} {
		own := make([]float64, 120)
		for i, label := range y {
			if own[i] = 120 / (2 * (120 - count)); label == 1 {
				own[i] = 3 * 120 / (2 * count)
			}
		}
		build := func() *Classifier {
			return &Classifier{Pairs: 6, Sweeps: 4, Chains: 1, Likelihood: likelihood}
		}
		plain, want, got := build(), build(), build()
		require.NoError(t, plain.Fit(ctx, x, y))
		require.NoError(t, want.FitWeighted(ctx, x, y, own))
		got.Balanced, got.ClassWeights = true, map[int]float64{1: 3}
		require.NoError(t, got.Fit(ctx, x, y))
		p, err := want.PredictProba(x)
		require.NoError(t, err)
		q, err := got.PredictProba(x)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(p, q, 1e-9), likelihood)
		assert.Greater(t, predicted(got), predicted(plain), likelihood)
		assert.Equal(t, map[int]float64{1: 3}, estimators.Clone(got).ClassWeights)
	}
	err := (&Classifier{ClassWeights: map[int]float64{1: 0}}).Fit(ctx, x, y)
	assert.EqualError(t, err, "gabasr: Classifier: ClassWeights[1] = 0, want a finite value > 0")
}

// PolyaGamma rejects weights, because fractional weights have no exact Pólya-Gamma variables.
func TestPolyaGammaHasNoWeights(t *testing.T) {
	x, _, labels := problem(20, 1)
	y, ones := make([]int, 20), make([]float64, 20)
	for i, l := range labels {
		y[i], ones[i] = int(l), 1
	}
	c := &Classifier{Likelihood: PolyaGamma}
	assert.False(t, estimators.Supports(c, estimators.Weighted))
	assert.True(t, estimators.Supports(c, estimators.Proba))
	assert.True(t, estimators.Supports(&Classifier{}, estimators.Weighted))
	assert.ErrorIs(t, c.FitWeighted(ctx, x, y, ones), errors.ErrUnsupported)
	for _, c := range []*Classifier{{Likelihood: PolyaGamma, Balanced: true}, {Likelihood: PolyaGamma, ClassWeights: map[int]float64{1: 2}}} {
		err := c.Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, "gabasr: Classifier: Likelihood = PolyaGamma, want Normal or Surrogate with Balanced or ClassWeights")
	}
}
