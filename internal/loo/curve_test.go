package loo

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// curveProblem returns the same problem twice: on the kernel matrix of rows z, and on z as features. The targets have k columns.
func curveProblem(n, d, k int, weights []float64, noise float64, seed uint64) (*Problem, *Linear) {
	rng := rand.New(rand.NewPCG(seed, 1))
	z, t := mat.NewDense(n, d, nil), mat.NewDense(n, k, nil)
	for i := range n {
		for j := range d {
			z.Set(i, j, rng.NormFloat64())
		}
		for j := range k {
			t.Set(i, j, z.At(i, j%d)+.3*z.At(i, 0)*z.At(i, 0)+noise*rng.NormFloat64())
		}
	}
	w := weights
	if w == nil {
		w = slices.Repeat([]float64{1}, n)
	}
	total := 0.0
	for _, v := range w {
		total += v
	}
	centre := func(m *mat.Dense) *mat.Dense {
		_, c := m.Dims()
		out := mat.DenseCopyOf(m)
		for j := range c {
			mean := 0.0
			for i := range n {
				mean += w[i] * m.At(i, j) / total
			}
			for i := range n {
				out.Set(i, j, math.Sqrt(w[i])*(m.At(i, j)-mean))
			}
		}
		return out
	}
	gram := mat.NewSymDense(n, nil)
	gram.SymOuterK(1, z)
	zc, tc := centre(z), centre(t)
	inner := mat.NewSymDense(d, nil)
	inner.SymOuterK(1, zc.T())
	leverage := make([]float64, n)
	for i, v := range w {
		leverage[i] = v / total
	}
	plain := must(New(ctx, gram, t, weights, 1))
	return plain, must(NewLinear(ctx, inner, zc, tc, leverage, total, plain.scale, 1))
}

// The curve contains the smallest error of a fine grid and the ridge of the largest evidence, with few evaluations. The same holds
// for features.
func TestCurve(t *testing.T) {
	weights := make([]float64, 60)
	for i := range weights {
		weights[i] = .5 + float64(i%3)
	}
	for _, c := range []struct {
		k       int
		weights []float64
		noise   float64
	}{{1, nil, .3}, {1, weights, .3}, {3, nil, .3}, {3, weights, 2}, {1, nil, 30}} {
		p, features := curveProblem(60, 5, c.k, c.weights, c.noise, 3)
		evaluations, err := Curve(context.Background(), p, 0)
		require.NoError(t, err)
		least, ok := Least(evaluations)
		require.True(t, ok)
		assert.LessOrEqual(t, len(evaluations), 31)
		assert.True(t, slices.IsSortedFunc(evaluations, func(a, b Evaluation) int { return cmp.Compare(a.Ridge, b.Ridge) }))
		best, evidence := math.Inf(1), math.Inf(-1)
		for u := -8.0; u <= 4; u += .05 {
			ridge := p.scale * math.Pow(10, u)
			e, err := p.Error(context.Background(), ridge)
			require.NoError(t, err)
			best, evidence = min(best, e), max(evidence, p.Evidence(ridge))
		}
		assert.LessOrEqual(t, least.Error, best*1.01)
		highest := math.Inf(-1)
		for _, l := range evaluations {
			highest = max(highest, l.Evidence)
			e, err := p.Error(context.Background(), l.Ridge)
			require.NoError(t, err)
			assert.InEpsilon(t, e, l.Error, 1e-9)
		}
		assert.InDelta(t, evidence, highest, 1)
		one, err := features.Evaluate(context.Background(), least.Ridge)
		require.NoError(t, err)
		assert.InEpsilon(t, least.Error, one.Error, 1e-6)
		assert.InEpsilon(t, least.StandardError, one.StandardError, 1e-6)
		assert.InEpsilon(t, least.Evidence, one.Evidence, 1e-6)
		floor := 30 * p.scale
		above, err := Curve(context.Background(), p, floor)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, above[0].Ridge, floor*(1-1e-6))
	}
}

// The evidence agrees with its definition, which uses the inverse and the determinant.
func TestEvidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	n := 12
	z := mat.NewDense(n, 3, nil)
	y := mat.NewDense(n, 1, nil)
	weights := make([]float64, n)
	for i := range n {
		for j := range 3 {
			z.Set(i, j, rng.NormFloat64())
		}
		y.Set(i, 0, rng.NormFloat64())
		weights[i] = .5 + rng.Float64()
	}
	gram := mat.NewSymDense(n, nil)
	gram.SymOuterK(1, z)
	c := mat.NewDense(n, n, nil)
	c.Copy(gram)
	for i := range n {
		c.Set(i, i, c.At(i, i)+.7/weights[i])
	}
	det, _ := mat.LogDet(c)
	var inverse mat.Dense
	require.NoError(t, inverse.Inverse(c))
	s := mat.Sum(&inverse)
	var eta, a mat.Dense
	eta.Mul(&inverse, mat.NewDense(n, 1, slices.Repeat([]float64{1}, n)))
	a.Mul(&inverse, y)
	q := mat.Dot(a.ColView(0), y.ColView(0)) - math.Pow(mat.Dot(eta.ColView(0), y.ColView(0)), 2)/s
	f := float64(n - 1)
	want := -f/2*math.Log(2*math.Pi*q/f) - det/2 - math.Log(s)/2 - f/2
	assert.InDelta(t, want, must(New(ctx, gram, y, weights, 1)).Evidence(.7), 1e-9)
}

// EvaluateOnce agrees with Evaluate.
func TestEvaluateOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, k := range []int{1, 3} {
		for _, weighted := range []bool{false, true} {
			n := 40
			z, y := mat.NewDense(n, 4, nil), mat.NewDense(n, k, nil)
			var weights []float64
			for i := range n {
				for j := range 4 {
					z.Set(i, j, rng.NormFloat64())
				}
				for j := range k {
					y.Set(i, j, 3+rng.NormFloat64())
				}
				if weighted {
					weights = append(weights, .5+rng.Float64())
				}
			}
			gram := mat.NewSymDense(n, nil)
			gram.SymOuterK(1, z)
			own := mat.NewSymDense(n, nil)
			own.CopySym(gram)
			want, err := must(New(ctx, own, y, weights, 1)).Evaluate(context.Background(), .3)
			require.NoError(t, err)
			got := must(EvaluateOnce(ctx, gram, y, weights, .3))
			assert.InEpsilonSlice(t, []float64{want.Ridge, want.Error, want.StandardError, want.Evidence}, []float64{got.Ridge, got.Error, got.StandardError, got.Evidence}, 1e-8)
		}
	}
}

// The fraction of wrong leave-one-out classes agrees with machines that are fitted without the row, in all three forms.
func TestWrong(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	n := 30
	z := mat.NewDense(n, 3, nil)
	for _, k := range []int{1, 3} {
		y, weights := mat.NewDense(n, k, nil), make([]float64, n)
		for i := range n {
			for j := range 3 {
				z.Set(i, j, rng.NormFloat64())
			}
			for j := range k {
				y.Set(i, j, -1)
			}
			switch v := z.At(i, 0) + .5*rng.NormFloat64(); {
			case k == 1 && v > .3:
				y.Set(i, 0, 1)
			case k == 3:
				y.Set(i, int(math.Min(2, math.Max(0, math.Floor(v+1)))), 1)
			}
			weights[i] = .5 + rng.Float64()
		}
		gram := mat.NewSymDense(n, nil)
		gram.SymOuterK(1, z)
		want, total := 0.0, 0.0
		for i := range n {
			total += weights[i]
			if wrong(y.RawRowView(i), withoutRow(t, gram, y, weights, .5, i), nil) {
				want += weights[i]
			}
		}
		require.Positive(t, want)
		own := mat.NewSymDense(n, nil)
		own.CopySym(gram)
		l, err := must(New(ctx, own, y, weights, 1)).Evaluate(context.Background(), .5)
		require.NoError(t, err)
		assert.InDelta(t, want/total, l.Wrong, 1e-12)
		own.CopySym(gram)
		assert.InDelta(t, want/total, must(EvaluateOnce(ctx, own, y, weights, .5)).Wrong, 1e-12)

		zc, tc, means := mat.NewDense(n, 3, nil), mat.NewDense(n, k, nil), make([]float64, k)
		leverage := make([]float64, n)
		centre := func(to, from *mat.Dense, means []float64) {
			_, c := from.Dims()
			for j := range c {
				mean := 0.0
				for i := range n {
					mean += weights[i] / total * from.At(i, j)
				}
				for i := range n {
					to.Set(i, j, math.Sqrt(weights[i])*(from.At(i, j)-mean))
				}
				if means != nil {
					means[j] = mean
				}
			}
		}
		centre(zc, z, nil)
		centre(tc, y, means)
		for i, w := range weights {
			leverage[i] = w / total
		}
		inner := mat.NewSymDense(3, nil)
		inner.SymOuterK(1, zc.T())
		p := must(NewLinear(ctx, inner, zc, tc, leverage, total, 1, 1))
		p.OfClasses(means)
		l, err = p.Evaluate(context.Background(), .5)
		require.NoError(t, err)
		assert.InDelta(t, want/total, l.Wrong, 1e-12)
	}
}

// withoutRow returns the residuals of a row for a machine that is fitted to all other rows.
func withoutRow(t *testing.T, gram *mat.SymDense, y *mat.Dense, weights []float64, ridge float64, row int) []float64 {
	n, k := y.Dims()
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, k, nil) // the last row and column are the intercept
	var rest []int
	for i := range n {
		if i != row {
			rest = append(rest, i)
		}
	}
	for r, i := range rest {
		for c, j := range rest {
			a.Set(r, c, gram.At(i, j))
		}
		a.Set(r, r, a.At(r, r)+ridge/weights[i])
		a.Set(r, n-1, 1)
		a.Set(n-1, r, 1)
		b.SetRow(r, y.RawRowView(i))
	}
	var solved mat.Dense
	require.NoError(t, solved.Solve(a, b))
	out := make([]float64, k)
	for j := range k {
		f := solved.At(n-1, j)
		for r, i := range rest {
			f += gram.At(row, i) * solved.At(r, j)
		}
		out[j] = y.At(row, j) - f
	}
	return out
}

// Each ridge is evaluated once, however the search reaches it.
func TestCurveLooksOnceAtARidge(t *testing.T) {
	for seed := range uint64(40) {
		p, _ := curveProblem(40, 3, 1, nil, .3, seed)
		evaluations, err := Curve(context.Background(), p, 0)
		require.NoError(t, err)
		for i := 1; i < len(evaluations); i++ {
			require.Greater(t, evaluations[i].Ridge/evaluations[i-1].Ridge, 1+1e-6, "seed %d, evaluations %d and %d of %d", seed, i-1, i, len(evaluations))
		}
	}
}
