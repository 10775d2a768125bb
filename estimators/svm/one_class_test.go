package svm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

func TestOneClassAgainstScikitLearn(t *testing.T) {
	for _, ref := range loadNu(t).OneClass {
		t.Run(ref.Name, func(t *testing.T) {
			x, xt := golden.Dense(ref.X), golden.Dense(ref.Xt)
			o := &OneClass{Kernel: ref.kernel(t), Nu: ref.Nu, Tolerance: 1e-8}
			if ref.Weights != nil {
				require.NoError(t, o.FitWeighted(ctx, x, ref.Weights))
			} else {
				require.NoError(t, o.Fit(ctx, x))
			}
			require.True(t, o.Report().Converged)
			score, err := o.Score(xt)
			require.NoError(t, err)
			size := 0.0
			for _, v := range ref.Score {
				size = max(size, math.Abs(v))
			}
			assert.InDeltaSlice(t, ref.Score, score, decisionTolerance*size)
			novel, err := o.Predict(xt)
			require.NoError(t, err)
			for i, want := range ref.Predict {
				assert.Equal(t, want < 0, novel[i], "row %d", i)
			}
			assert.InEpsilon(t, ref.Objective, o.Report().Objective, objectiveTolerance)
		})
	}
}

// The solution satisfies the conditions of optimality, with kernel values computed one by one, and the limits that Nu sets.
func TestOneClassIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "rows")
		x, _, _, w := nuData(n, rapid.Uint64().Draw(t, "seed"))
		k := []kernels.Kernel{kernels.RBF{Gamma: 0.5}, kernels.RBF{Gamma: 20}, kernels.Laplacian{Gamma: 1}}[rapid.IntRange(0, 2).Draw(t, "kernel")]
		cache := int64(rapid.SampledFrom([]int{0, 1, 8 * 10 * n}).Draw(t, "cache"))
		o := &OneClass{Kernel: k, Nu: rapid.Float64Range(0.01, 1).Draw(t, "nu"), CacheBytes: cache}
		require.NoError(t, o.FitWeighted(ctx, x, w))
		require.True(t, o.Report().Converged)
		beta := full(n, o.SupportIndices(), o.Coefficients())
		assert.InDelta(t, 1, floats.Sum(beta), 1e-9)
		total := floats.Sum(w)
		slack := defaultTolerance * o.Offset()
		for i := range n {
			f := 0.0
			for j := range n {
				f += beta[j] * k.Eval(x.RawRowView(i), x.RawRowView(j))
			}
			bound := w[i] / (o.Nu * total)
			require.True(t, beta[i] >= 0 && beta[i] <= bound*(1+1e-12))
			if beta[i] < bound*(1-1e-12) {
				assert.GreaterOrEqual(t, f-o.Offset(), -slack-1e-9)
			}
			if beta[i] > 0 {
				assert.LessOrEqual(t, f-o.Offset(), slack+1e-9)
			}
		}
	})
	const n = 400
	x, _, _, _ := nuData(n, 2)
	for _, nu := range []float64{0.02, 0.1, 0.5} {
		o := &OneClass{Kernel: kernels.RBF{Gamma: 0.3}, Nu: nu, Tolerance: 1e-8}
		require.NoError(t, o.Fit(ctx, x))
		score, err := o.Score(x)
		require.NoError(t, err)
		outside := 0
		for _, v := range score {
			if v < -1e-9 {
				outside++
			}
		}
		assert.LessOrEqual(t, float64(outside), nu*n)
		assert.GreaterOrEqual(t, float64(len(o.SupportIndices())), nu*n)
		assert.Greater(t, float64(outside), nu*n-15)
	}
}

func TestOneClassShrinkingAndScale(t *testing.T) {
	x, _ := blobs(800, 2, 0.9, 1)
	o := &OneClass{Kernel: kernels.RBF{Gamma: 20}, Nu: 0.4, Tolerance: 1e-7}
	require.NoError(t, o.Fit(ctx, x))
	score, err := o.Score(x)
	require.NoError(t, err)
	for _, other := range []*OneClass{
		{Kernel: o.Kernel, Nu: o.Nu, Tolerance: o.Tolerance, NoShrinking: true},
		{Kernel: o.Kernel, Nu: o.Nu, Tolerance: o.Tolerance, CacheBytes: 1},
	} {
		require.NoError(t, other.Fit(ctx, x))
		got, err := other.Score(x)
		require.NoError(t, err)
		assert.InDeltaSlice(t, score, got, 1e-6*o.Offset())
	}
	for _, by := range []float64{1e-60, 1e60} {
		scaled := &OneClass{Kernel: kernels.Scaled{Kernel: o.Kernel, Factor: by}, Nu: o.Nu, Tolerance: o.Tolerance}
		require.NoError(t, scaled.Fit(ctx, x))
		require.True(t, scaled.Report().Converged)
		got, err := scaled.Score(x)
		require.NoError(t, err)
		floats.Scale(1/by, got)
		assert.InDeltaSlice(t, score, got, 1e-5*o.Offset())
	}
}

func TestOneClassOddData(t *testing.T) {
	one := &OneClass{}
	require.NoError(t, one.Fit(ctx, mat.NewDense(1, 2, []float64{3, 4})))
	novel, err := one.Predict(mat.NewDense(2, 2, []float64{3, 4, 9, 9}))
	require.NoError(t, err)
	assert.Equal(t, []bool{false, true}, novel)
	require.NoError(t, one.Fit(ctx, mat.NewDense(30, 2, nil)))
	// With Nu = 1 all rows are at their bound.
	x, _, _, w := nuData(30, 1)
	all := &OneClass{Nu: 1}
	require.NoError(t, all.Fit(ctx, x))
	assert.Len(t, all.SupportIndices(), 30)
	// With a linear kernel and rows around the origin, no half space excludes the origin.
	linear := &OneClass{Kernel: kernels.Linear{}, Nu: 0.5, MaxIterations: 100000}
	require.NoError(t, linear.Fit(ctx, x))
	score, err := linear.Score(x)
	require.NoError(t, err)
	assert.Zero(t, floats.Sum(score)-floats.Sum(score))

	for _, o := range []*OneClass{{Nu: -0.1}, {Nu: 1.1}, {Nu: math.NaN()}, {Tolerance: -1}, {Workers: -1}, {CacheBytes: -1}} {
		assert.ErrorIs(t, o.Fit(ctx, x), estimators.ErrParam)
	}
	o := &OneClass{}
	assert.ErrorIs(t, o.FitWeighted(ctx, x, nil), estimators.ErrShape)
	assert.ErrorIs(t, o.FitWeighted(ctx, x, w[1:]), estimators.ErrShape)
	w[2] = 0
	assert.ErrorIs(t, o.FitWeighted(ctx, x, w), estimators.ErrParam)
}

func TestOneClassFiles(t *testing.T) {
	x, at := mat.NewDense(8, 1, []float64{-3, -2, -1, -0.5, 0.5, 1, 2, 3}), mat.NewDense(3, 1, []float64{-2.5, 0, 7})
	k := kernels.RBF{Gamma: 0.5}
	o := &OneClass{Kernel: k, Nu: 0.3, Tolerance: 1e-8}
	require.NoError(t, o.Fit(ctx, x))
	want, err := o.Score(at)
	require.NoError(t, err)
	for v := 1; v <= oneClassVersion; v++ {
		read := &OneClass{Kernel: k}
		require.NoError(t, read.UnmarshalBinary(golden.Model(t, fmt.Sprintf("OneClass-v%d.keln", v), o.MarshalBinary)))
		got, err := read.Score(at)
		require.NoError(t, err)
		assert.InDeltaSlice(t, want, got, 1e-6)
	}
	data, err := o.MarshalBinary()
	require.NoError(t, err)
	assert.ErrorIs(t, (&OneClass{}).UnmarshalBinary(data), estimators.ErrBadModel, "another kernel")
	assert.ErrorIs(t, (&Regressor{Kernel: k}).UnmarshalBinary(data), estimators.ErrBadModel)
	var s stored
	_, err = codec.Unmarshal(data, oneClassKind, oneClassVersion, &s)
	require.NoError(t, err)
	s.Matrix, s.Vectors, s.Width = true, codec.Matrix{}, 100
	data, err = codec.Marshal(oneClassKind, oneClassVersion, s)
	require.NoError(t, err)
	assert.ErrorIs(t, (&OneClass{Kernel: k}).UnmarshalBinary(data), estimators.ErrBadModel, "of a matrix")
}

// At most a share Nu of the training rows is novel. This holds for rows exactly on the edge too, and for any number of rows per
// prediction.
func TestOneClassKeepsItsShare(t *testing.T) {
	discrete := func(n int, levels ...int) *mat.Dense {
		x := mat.NewDense(n, len(levels), nil)
		x.Apply(func(i, j int, _ float64) float64 { return float64(i % levels[j]) }, x)
		return x
	}
	normal := func(n int) *mat.Dense { x, _, _, _ := nuData(n, 3); return x }
	far := discrete(300, 4, 3)
	far.Apply(func(_, _ int, v float64) float64 { return v + 1e6 }, far)
	cases := map[string]struct {
		x  *mat.Dense
		nu float64
		k  kernels.Kernel
	}{
		"six different rows":          {discrete(1000, 3, 2), 0.05, kernels.RBF{Gamma: 0.5}},
		"fewer rows than one allowed": {normal(2000), 1e-6, kernels.RBF{Gamma: 0.5}},
		"few rows":                    {normal(100), 0.05, kernels.RBF{Gamma: 20}},
		"two different rows":          {discrete(50, 2), 0.1, nil},
		"one row many times":          {discrete(50, 1), 0.1, nil},
		"far from the origin":         {far, 0.1, kernels.RBF{Gamma: 0.5}},
		"inner products":              {discrete(200, 5, 7), 0.2, kernels.Linear{}},
		"zero value":                  {normal(400), 0.05, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			n, d := c.x.Dims()
			o := &OneClass{Kernel: c.k, Nu: c.nu}
			require.NoError(t, o.Fit(ctx, c.x))
			for _, at := range []int{1, 7, n} {
				count := 0
				for i := 0; i < n; i += at {
					novel, err := o.Predict(c.x.Slice(i, min(n, i+at), 0, d))
					require.NoError(t, err)
					for _, v := range novel {
						if v {
							count++
						}
					}
				}
				assert.LessOrEqual(t, float64(count), c.nu*float64(n), "%d rows at a time", at)
			}
		})
	}
	// The limit holds for the share of the weights. Rows of weight 3 count three times.
	x, w := discrete(300, 3, 2, 5), make([]float64, 300)
	for i := range w {
		w[i] = float64(1 + i%3)
	}
	o := &OneClass{Kernel: kernels.RBF{Gamma: 0.5}, Nu: 0.1}
	require.NoError(t, o.FitWeighted(ctx, x, w))
	novel, err := o.Predict(x)
	require.NoError(t, err)
	sum := 0.0
	for i, v := range novel {
		if v {
			sum += w[i]
		}
	}
	assert.LessOrEqual(t, sum, 0.1*floats.Sum(w))
}

// Observe is called after every 1000 steps.
func TestOneClassObserve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(3000, 2, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	last := estimators.Step{}
	o := &OneClass{Nu: 0.5, Tolerance: 1e-6, Observe: func(s estimators.Step) { last = s }}
	require.NoError(t, o.Fit(ctx, x))
	require.Positive(t, last.Iteration)
	assert.GreaterOrEqual(t, last.Objective, o.Report().Objective*(1-1e-6))
}
