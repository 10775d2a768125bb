package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/kernels"
)

// optimal fails unless β and b are optimal within the tolerance. It checks the conditions in the package documentation with kernel
// values computed one by one.
func optimal(t require.TestingT, k kernels.Kernel, x *mat.Dense, p smo.Problem, beta []float64, b, tolerance float64) {
	n := len(p.Target)
	sum, size := 0.0, 0.0
	for i := range n {
		f := b
		for j := range n {
			f += beta[j] * k.Eval(x.RawRowView(p.Rows[i]), x.RawRowView(p.Rows[j]))
		}
		residual := p.Target[i] - f
		slack := tolerance + 1e-9*(1+math.Abs(p.Target[i]))
		assert.True(t, beta[i] >= p.Lo[i] && beta[i] <= p.Hi[i], "β[%d] = %v is not in [%v, %v]", i, beta[i], p.Lo[i], p.Hi[i])
		if beta[i] < p.Hi[i] {
			rate := residual - p.Epsilon
			if beta[i] < 0 {
				rate = residual + p.Epsilon
			}
			assert.LessOrEqual(t, rate, slack, "row %d wants to grow from %v", i, beta[i])
		}
		if beta[i] > p.Lo[i] {
			rate := residual + p.Epsilon
			if beta[i] > 0 {
				rate = residual - p.Epsilon
			}
			assert.GreaterOrEqual(t, rate, -slack, "row %d wants to shrink from %v", i, beta[i])
		}
		sum += beta[i]
		size += math.Abs(beta[i])
	}
	assert.InDelta(t, 0, sum, 1e-12*(1+size))
}

// full returns the coefficients of all training rows, which are 0 for rows that are not support vectors.
func full(n int, indices []int, coefficients []float64) []float64 {
	out := make([]float64, n)
	for k, i := range indices {
		out[i] = coefficients[k]
	}
	return out
}

func TestSolutionsAreOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := rapid.IntRange(2, 60).Draw(t, "rows")
		c := math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log C"))
		k := []kernels.Kernel{kernels.RBF{Gamma: 0.5}, kernels.RBF{Gamma: 20}, kernels.Linear{}, kernels.Laplacian{Gamma: 1}}[rapid.IntRange(0, 3).Draw(t, "kernel")]
		cache := int64(rapid.SampledFrom([]int{0, 1, 8 * 10 * n}).Draw(t, "cache"))
		x, y, labels, w := mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n), make([]float64, n)
		for i := range n {
			x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
			y[i] = x.At(i, 0) + 0.5*rng.NormFloat64()
			w[i] = 0.5 + rng.Float64()
			if labels[i] = -1; i == 0 || i > 1 && y[i] > 0 {
				labels[i] = 1
			}
		}
		p := smo.NewProblem(make([]float64, n))
		m := &Classifier{Kernel: k, C: c, CacheBytes: cache}
		require.NoError(t, m.FitWeighted(ctx, x, labels, w))
		require.True(t, m.Report().Converged)
		for i, l := range labels {
			p.Target[i], p.Lo[i], p.Hi[i] = float64(l), min(0, float64(l)*c*w[i]), max(0, float64(l)*c*w[i])
		}
		pair := m.Pairs()[0]
		optimal(t, k, x, p, full(n, m.SupportIndices(), pair.Coefficients), pair.Intercept, defaultTolerance)

		r := &Regressor{Kernel: k, C: c, Epsilon: 0.1, CacheBytes: cache}
		require.NoError(t, r.FitWeighted(ctx, x, y, w))
		require.True(t, r.Report().Converged)
		p.Target, p.Epsilon = y, 0.1
		for i := range p.Lo {
			p.Lo[i], p.Hi[i] = -c*w[i], c*w[i]
		}
		optimal(t, k, x, p, full(n, r.SupportIndices(), r.Coefficients()), r.Intercept(), defaultTolerance)
	})
}

func TestShrinkingDoesNotChangeTheSolution(t *testing.T) {
	x, y := blobs(400, 2, 0.8, 1)
	c := &Classifier{Kernel: kernels.RBF{Gamma: 0.5}, C: 100, Tolerance: 1e-6}
	require.NoError(t, c.Fit(ctx, x, y))
	plain := &Classifier{Kernel: c.Kernel, C: c.C, Tolerance: c.Tolerance, NoShrinking: true}
	require.NoError(t, plain.Fit(ctx, x, y))
	assert.Greater(t, c.Report().Iterations, 2*smo.ShrinkPeriod, "long enough for something to be set aside")
	assert.InEpsilon(t, plain.Report().Objective, c.Report().Objective, 1e-9)
	f, err := plain.Decision(x)
	require.NoError(t, err)
	g, err := c.Decision(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(f, g, 1e-4))

	xr, yr := sinc(400, 0.2, 1)
	r := &Regressor{Kernel: kernels.RBF{Gamma: 0.5}, C: 100, Tolerance: 1e-6}
	require.NoError(t, r.Fit(ctx, xr, yr))
	plainR := &Regressor{Kernel: r.Kernel, C: r.C, Tolerance: r.Tolerance, NoShrinking: true}
	require.NoError(t, plainR.Fit(ctx, xr, yr))
	assert.Greater(t, r.Report().Iterations, 2*smo.ShrinkPeriod)
	fr, err := plainR.Predict(xr)
	require.NoError(t, err)
	gr, err := r.Predict(xr)
	require.NoError(t, err)
	assert.InDeltaSlice(t, fr, gr, 1e-4)
}

// A small cache limits the memory and does not change the solution.
func TestSmallCaches(t *testing.T) {
	const n = 200
	x, y := blobs(n, 2, 0.8, 1)
	want := &Classifier{Kernel: kernels.RBF{Gamma: 0.5}, C: 10, Tolerance: 1e-8}
	require.NoError(t, want.Fit(ctx, x, y))
	f, err := want.Decision(x)
	require.NoError(t, err)
	for name, bytes := range map[string]int64{
		"two rows": 1, "twenty rows": 20 * 8 * n, "all but one": (n - 1) * 8 * n, "all": n * n * 8,
	} {
		for _, noShrinking := range []bool{false, true} {
			c := &Classifier{Kernel: want.Kernel, C: want.C, Tolerance: want.Tolerance, CacheBytes: bytes, NoShrinking: noShrinking}
			require.NoError(t, c.Fit(ctx, x, y))
			g, err := c.Decision(x)
			require.NoError(t, err)
			assert.True(t, mat.EqualApprox(f, g, 1e-6), name)
		}
	}
}

func TestKernelsThatAreNotPositiveSemiDefinite(t *testing.T) {
	x, y := blobs(120, 2, 0.5, 3)
	tanh := &Classifier{Kernel: kernels.Tanh{Gamma: 2, Coef0: -1}, C: 5, MaxIterations: 200000}
	require.NoError(t, tanh.Fit(ctx, x, y))
	assert.True(t, tanh.Report().Converged)
	labels, err := tanh.Predict(x)
	require.NoError(t, err)
	assert.Len(t, labels, 120)
	pair := tanh.Pairs()[0]
	p := smo.NewProblem(make([]float64, 120))
	for i, l := range y {
		p.Target[i], p.Hi[i] = 1, 5
		if l == 10 {
			p.Target[i], p.Hi[i], p.Lo[i] = -1, 0, -5
		}
	}
	optimal(t, tanh.Kernel, x, p, full(120, tanh.SupportIndices(), pair.Coefficients), pair.Intercept, defaultTolerance)

	// With a curvature that is zero or negative, all coefficients are at their bounds.
	for _, v := range []float64{0, -1} {
		k := mat.NewSymDense(6, nil)
		for i := range 6 {
			k.SetSym(i, i, v)
		}
		c := &Classifier{C: 3}
		require.NoError(t, c.FitMatrix(ctx, k, []int{0, 1, 0, 1, 0, 1}))
		assert.True(t, c.Report().Converged)
		sum := 0.
		for _, b := range c.Pairs()[0].Coefficients {
			sum += math.Abs(b)
		}
		assert.Equal(t, 18.0, sum) // 3 for each of six rows
	}
}

func TestNotConvergingIsReported(t *testing.T) {
	x, y := blobs(100, 2, 0.8, 1)
	c := &Classifier{MaxIterations: 3}
	require.NoError(t, c.Fit(ctx, x, y))
	r := c.Report()
	assert.False(t, r.Converged)
	assert.Equal(t, 3, r.Iterations)
	require.Len(t, r.Warnings, 1)
	assert.Contains(t, r.Warnings[0], "1 of 1 machines ended")

	// If the tolerance is below the rounding errors of the kernel values, the solver still ends.
	m := &Classifier{Kernel: kernels.RBF{Gamma: 1}, C: 1e3, Tolerance: 1e-18}
	require.NoError(t, m.Fit(ctx, x, y))
	assert.Less(t, m.Report().Iterations, defaultMaxIterations)
	assert.False(t, m.Report().Converged)
	t.Log(m.Report())
}
