package rvm

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/kernels"
)

func random(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 9))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	return x
}

// Data on which other implementations fail, with singular matrices, endless cycles or predictions of NaN, result in a finite model.
func TestOddData(t *testing.T) {
	line := func(n int, f func(v float64) float64) (*mat.Dense, []float64) {
		x, y := mat.NewDense(n, 1, nil), make([]float64, n)
		for i := range n {
			v := float64(i)/float64(n)*8 - 4
			x.Set(i, 0, v)
			y[i] = f(v)
		}
		return x, y
	}
	type data struct {
		x *mat.Dense
		y []float64
	}
	cases := map[string]data{}
	put := func(name string, x *mat.Dense, y []float64) { cases[name] = data{x, y} }

	x, y := line(80, math.Sin)
	put("noiseless", x, y)
	x, y = line(60, func(v float64) float64 { return 2*v - 1 })
	put("a straight line", x, y)
	x, y = line(40, func(float64) float64 { return 7 })
	put("constant", x, y)
	x, y = line(40, func(float64) float64 { return 0 })
	put("zero", x, y)
	x, y = line(40, func(v float64) float64 { return 1e9 + 1e-3*math.Sin(v) })
	put("a large offset", x, y)
	x, y = line(40, func(v float64) float64 { return 1e150 * math.Sin(v) })
	put("huge targets", x, y)
	x, y = line(40, func(v float64) float64 { return 1e-150 * math.Sin(v) })
	put("tiny targets", x, y)
	put("one row", mat.NewDense(1, 3, []float64{1, 2, 3}), []float64{5})
	put("two rows", mat.NewDense(2, 1, []float64{1, 2}), []float64{5, 6})
	x = random(30, 2, 1)
	doubled, yd := mat.NewDense(60, 2, nil), make([]float64, 60)
	for i := range 60 {
		doubled.SetRow(i, x.RawRowView(i/2))
		yd[i] = math.Sin(x.At(i/2, 0))
	}
	put("rows twice", doubled, yd)
	wide := random(8, 40, 2)
	put("more columns than rows", wide, mat.Col(nil, 0, wide))
	collinear := mat.NewDense(50, 3, nil)
	for i, r := 0, random(50, 1, 3); i < 50; i++ {
		v := r.At(i, 0)
		collinear.SetRow(i, []float64{v, 2 * v, -v})
	}
	put("collinear columns", collinear, mat.Col(nil, 0, collinear))
	put("noise alone", random(60, 3, 4), mat.Col(nil, 0, random(60, 1, 5)))
	put("equal rows", mat.NewDense(20, 2, nil), mat.Col(nil, 0, random(20, 1, 6)))
	far, yf := line(40, math.Sin)
	far.Set(0, 0, 1e12)
	put("a far row", far, yf)

	for name, c := range cases {
		for _, k := range []kernels.Kernel{nil, kernels.RBF{Gamma: 1e-6}, kernels.RBF{Gamma: 1e6}, kernels.Linear{}, kernels.Tanh{Gamma: 0.3, Coef0: -1}} {
			for _, way := range intercepts {
				r := &Regressor{Kernel: k, InterceptPrior: way.InterceptPrior, NoIntercept: way.NoIntercept}
				done := make(chan error, 1)
				go func() { done <- r.Fit(ctx, c.x, c.y) }()
				select {
				case err := <-done:
					if err != nil {
						assert.ErrorIs(t, err, estimators.ErrNotFinite, "%s %v %v", name, k, way.intercept())
						continue
					}
				case <-time.After(time.Minute):
					t.Fatalf("%s %v %v: no end", name, k, way.intercept())
				}
				mean, variance, err := r.PredictVariance(c.x)
				require.NoError(t, err, "%s %v %v", name, k, way.intercept())
				for i, v := range variance {
					assert.True(t, check.IsFinite(mean[i]) && v >= 0, "%s %v %v: row %d: mean %v, variance %v", name, k, way.intercept(), i, mean[i], v)
				}
				assert.False(t, math.IsNaN(r.LogEvidence()), "%s %v %v", name, k, way.intercept())
				assert.True(t, r.Report().Converged, "%s %v %v: %v", name, k, way.intercept(), r.Report().Warnings)
			}
		}
	}
}

// If no column explains the targets, the model consists of the intercept, and can predict.
func TestNoRelevanceVectors(t *testing.T) {
	x := random(50, 2, 7)
	y := make([]float64, 50)
	for i := range y {
		y[i] = float64(i % 2) // independent of x
	}
	r := &Regressor{Kernel: kernels.RBF{Gamma: 1e-7}}
	require.NoError(t, r.Fit(ctx, x, y))
	if n := len(r.RelevanceIndices()); n > 0 {
		t.Skipf("%d vectors were found after all", n)
	}
	mean, variance, err := r.PredictVariance(x)
	require.NoError(t, err)
	assert.InDelta(t, 0.5, mean[0], 1e-12)
	assert.InDelta(t, 0.25*51/49, variance[0], 0.02)
	assert.Equal(t, []int{}, r.RelevanceIndices())
	assert.Nil(t, r.RelevanceVectors())
	assert.Contains(t, r.Report().Warnings[0], "no relevance vectors")
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	again := &Regressor{Kernel: kernels.RBF{Gamma: 1e-7}}
	require.NoError(t, again.UnmarshalBinary(data))
}

func TestOddClasses(t *testing.T) {
	x := random(60, 2, 8)
	labels := func(f func(i int) int) []int {
		out := make([]int, 60)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	far := mat.DenseCopyOf(x)
	far.Set(0, 0, 1e12)
	for name, c := range map[string]struct {
		x *mat.Dense
		y []int
	}{
		"separable":    {x, labels(func(i int) int { return map[bool]int{true: 1}[x.At(i, 0) > 0] })},
		"noise":        {x, labels(func(i int) int { return i % 2 })},
		"one of a":     {x, labels(func(i int) int { return map[bool]int{true: 1}[i == 5] })},
		"five classes": {x, labels(func(i int) int { return i % 5 })},
		"equal rows":   {mat.NewDense(60, 2, nil), labels(func(i int) int { return i % 2 })},
		"a far row":    {far, labels(func(i int) int { return map[bool]int{true: 1}[x.At(i, 0) > 0] })},
	} {
		for _, k := range []kernels.Kernel{nil, kernels.RBF{Gamma: 1e-6}, kernels.RBF{Gamma: 1e6}, kernels.Linear{}, kernels.Tanh{Gamma: 0.3, Coef0: -1}} {
			cl := &Classifier{Kernel: k}
			if err := cl.Fit(ctx, c.x, c.y); err != nil {
				assert.True(t, errors.Is(err, estimators.ErrNotFinite) || errors.Is(err, estimators.ErrNotPSD), "%s %v: %v", name, k, err)
				continue
			}
			p, err := cl.PredictProba(c.x)
			require.NoError(t, err, "%s %v: %+v", name, k, cl.Machines())
			n, m := p.Dims()
			for i := range n {
				sum := 0.0
				for j := range m {
					v := p.At(i, j)
					assert.True(t, v >= 0 && v <= 1, "%s %v", name, k)
					sum += v
				}
				assert.InDelta(t, 1, sum, 1e-12)
			}
			assert.True(t, cl.Report().Converged, "%s %v: %v", name, k, cl.Report().Warnings)
		}
	}
	assert.ErrorIs(t, (&Classifier{}).Fit(ctx, x, labels(func(int) int { return 3 })), estimators.ErrShape)
}
