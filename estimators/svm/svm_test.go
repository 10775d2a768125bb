package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

// blobs returns k Gaussian classes on a circle, with the labels 10, 20, ...
func blobs(n, k int, spread float64, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		c := i % k
		a := 2 * math.Pi * float64(c) / float64(k)
		x.SetRow(i, []float64{math.Cos(a) + spread*rng.NormFloat64(), math.Sin(a) + spread*rng.NormFloat64()})
		y[i] = 10 * (c + 1)
	}
	return x, y
}

func sinc(n int, noise float64, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		v := 20*rng.Float64() - 10
		x.Set(i, 0, v)
		y[i] = math.Sin(v)/v + noise*rng.NormFloat64()
	}
	return x, y
}

func decisions(t *testing.T, c *Classifier, x mat.Matrix) *mat.Dense {
	t.Helper()
	f, err := c.Decision(x)
	require.NoError(t, err)
	return f
}

// The zero value is equivalent to the documented defaults set explicitly.
func TestDocumentedDefaults(t *testing.T) {
	x, y := sinc(40, 0.3, 1)
	median, err := kernels.MedianRBF(ctx, x, 0)
	require.NoError(t, err)
	zero, spelt := Regressor{}, Regressor{
		Kernel: median, MaxIterations: defaultMaxIterations, CacheBytes: defaultCacheBytes, Tolerance: defaultTolerance * stat.PopStdDev(y, nil),
	}
	require.NoError(t, zero.Fit(ctx, x, y))
	spelt.C, spelt.Epsilon = zero.ChosenC(), zero.ChosenEpsilon()
	require.NoError(t, spelt.Fit(ctx, x, y))
	assert.Equal(t, spelt.Coefficients(), zero.Coefficients())
	assert.Equal(t, spelt.Intercept(), zero.Intercept())
	assert.Equal(t, 1e-3, defaultTolerance)
	assert.Equal(t, 5, defaultFolds, "as the package's documentation says")
	assert.Equal(t, 8*8192*8192, defaultCacheBytes, "as its comment says")
	assert.Equal(t, 1000, smo.ShrinkPeriod, "as Observe says")

	xb, labels := blobs(40, 2, 0.5, 1)
	median, err = kernels.MedianRBF(ctx, xb, 0)
	require.NoError(t, err)
	c, speltC := Classifier{}, Classifier{
		Kernel: median, Tolerance: defaultTolerance, MaxIterations: defaultMaxIterations, CacheBytes: defaultCacheBytes,
	}
	require.NoError(t, c.Fit(ctx, xb, labels))
	speltC.C = c.ChosenC()
	require.NoError(t, speltC.Fit(ctx, xb, labels))
	assert.Equal(t, speltC.Pairs(), c.Pairs())
}

func TestClassWeights(t *testing.T) {
	x, y := blobs(60, 3, 0.7, 1)
	y[0], y[3], y[6] = 20, 20, 20 // unequal classes
	k := kernels.RBF{Gamma: 0.5}
	factors := map[int]float64{10: 3, 30: 0.2}
	byClass := &Classifier{Kernel: k, ClassWeights: factors, Tolerance: 1e-9}
	require.NoError(t, byClass.Fit(ctx, x, y))
	count, w := map[int]float64{}, make([]float64, len(y))
	for i, l := range y {
		count[l]++
		if w[i] = 1; factors[l] > 0 {
			w[i] = factors[l]
		}
	}
	byRow := &Classifier{Kernel: k, Tolerance: 1e-9}
	require.NoError(t, byRow.FitWeighted(ctx, x, y, w))
	assert.True(t, mat.Equal(decisions(t, byClass, x), decisions(t, byRow, x)))
	plain := &Classifier{Kernel: k, Tolerance: 1e-9}
	require.NoError(t, plain.Fit(ctx, x, y))
	assert.False(t, mat.EqualApprox(decisions(t, plain, x), decisions(t, byRow, x), 1e-3))

	balanced := &Classifier{Kernel: k, Balanced: true, Tolerance: 1e-9}
	require.NoError(t, balanced.Fit(ctx, x, y))
	spelt := &Classifier{Kernel: k, Tolerance: 1e-9, ClassWeights: map[int]float64{10: 20 / count[10], 20: 20 / count[20], 30: 20 / count[30]}}
	require.NoError(t, spelt.Fit(ctx, x, y))
	assert.True(t, mat.EqualApprox(decisions(t, spelt, x), decisions(t, balanced, x), 1e-7))
}

func TestPairsGiveTheDecision(t *testing.T) {
	x, y := blobs(80, 4, 0.5, 1)
	c := &Classifier{Kernel: kernels.RBF{Gamma: 1}}
	require.NoError(t, c.Fit(ctx, x, y))
	f, err := c.PairDecision(x)
	require.NoError(t, err)
	pairs, vectors := c.Pairs(), c.SupportVectors()
	require.Len(t, pairs, 6)
	require.Equal(t, [2]int{10, 40}, [2]int{pairs[2].Negative, pairs[2].Positive})
	require.Equal(t, [2]int{20, 30}, [2]int{pairs[3].Negative, pairs[3].Positive})
	for p, pair := range pairs {
		for i := range 80 {
			want := pair.Intercept
			for k, b := range pair.Coefficients {
				want += b * c.Kernel.Eval(x.RawRowView(i), vectors.RawRowView(pair.Support[k]))
			}
			assert.InDelta(t, want, f.At(i, p), 1e-10)
		}
		for k, i := range c.SupportIndices() {
			assert.Equal(t, x.RawRowView(i), vectors.RawRowView(k))
		}
		for k, at := range pair.Support {
			assert.NotZero(t, pair.Coefficients[k])
			assert.Contains(t, []int{pair.Negative, pair.Positive}, y[c.SupportIndices()[at]])
		}
	}
}

func TestVotes(t *testing.T) {
	c := &Classifier{classes: []int{1, 2, 3}}
	f := mat.NewDense(2, 3, []float64{
		-1, -1, -1, // 1 beats both
		1, -2, 5, // 2 beats 1, 1 beats 3, 3 beats 2: the sums 1, -4, 3 decide
	})
	s, err := c.scores(func(v visit) error { return v(2, 0, f) })
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{2 + 2./9, 1, -2. / 9}, s.RawRowView(0), 1e-12)
	assert.Equal(t, []int{1, 3}, classes.Predicted(c.classes, s))
	assert.InDelta(t, 1-4./15, s.At(1, 1), 1e-12)
}

// Results with different numbers of workers are bit-identical, also if rows of the kernel matrix are evaluated one by one.
func TestWorkers(t *testing.T) {
	x, y := blobs(150, 3, 0.6, 1)
	for _, cache := range []int64{0, 8 * 150 * 90} {
		fit := func(workers int) *Classifier {
			c := &Classifier{C: 3, Probabilities: true, Workers: workers, CacheBytes: cache}
			require.NoError(t, c.Fit(ctx, x, y))
			return c
		}
		one, two := fit(1), fit(2)
		assert.Equal(t, one.Pairs(), two.Pairs())
		assert.Equal(t, one.links, two.links)
		assert.Equal(t, one.Report(), two.Report())
	}
}

func TestOddData(t *testing.T) {
	x, y := blobs(30, 2, 0.5, 1)
	target := mat.Col(nil, 0, x)
	constant := mat.NewDense(30, 2, nil)
	doubled := mat.NewDense(60, 2, nil)
	for i := range 60 {
		doubled.SetRow(i, x.RawRowView(i/2))
	}
	var labels2 []int
	var target2 []float64
	for i := range 60 {
		labels2, target2 = append(labels2, y[i/2]), append(target2, target[i/2])
	}
	// Each row occurs in both classes.
	contrary := append([]int(nil), labels2...)
	for i := 1; i < 60; i += 2 {
		contrary[i] = 30 - contrary[i]
	}
	for name, d := range map[string]struct {
		x      *mat.Dense
		labels []int
		y      []float64
	}{"constant": {constant, y, target}, "doubled": {doubled, labels2, target2}, "contrary": {doubled, contrary, target2}} {
		for _, c := range []float64{1e-12, 1, 1e12, math.MaxFloat64 / 1e200} {
			m := &Classifier{C: c, MaxIterations: 20000, Kernel: kernels.RBF{Gamma: 1}}
			if err := m.Fit(ctx, d.x, d.labels); err != nil {
				require.ErrorIs(t, err, estimators.ErrNotFinite, name)
			} else {
				f := decisions(t, m, d.x)
				assert.Zero(t, mat.Sum(f)-mat.Sum(f), "%s, C = %v", name, c)
			}
			r := &Regressor{C: c, Epsilon: 0.1, MaxIterations: 20000, Kernel: kernels.RBF{Gamma: 1}}
			if err := r.Fit(ctx, d.x, d.y); err != nil {
				require.ErrorIs(t, err, estimators.ErrNotFinite, name)
				continue
			}
			p, err := r.Predict(d.x)
			require.NoError(t, err)
			for _, v := range p {
				assert.Zero(t, v-v, "%s, C = %v", name, c)
			}
		}
	}
	// For a constant target there are no support vectors.
	r := &Regressor{}
	y7 := make([]float64, 30)
	for i := range y7 {
		y7[i] = 7
	}
	require.NoError(t, r.Fit(ctx, x, y7))
	p, err := r.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, y7, p)
	assert.Empty(t, r.SupportIndices())
	assert.Nil(t, r.SupportVectors())
	// If all rows are equal, the larger class is predicted.
	c := &Classifier{}
	y[0] = 20
	require.NoError(t, c.Fit(ctx, constant, y))
	labels, err := c.Predict(constant.Slice(0, 1, 0, 2))
	require.NoError(t, err)
	assert.Equal(t, []int{20}, labels)
}

func TestErrors(t *testing.T) {
	x, y := blobs(10, 2, 0.3, 1)
	target := mat.Col(nil, 0, x)
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []*Classifier{
		{C: -1}, {C: inf}, {C: nan}, {Tolerance: -1}, {Tolerance: nan}, {MaxIterations: -1}, {CacheBytes: -1},
		{Kernel: kernels.RBF{Gamma: -1}}, {ClassWeights: map[int]float64{10: 0}}, {ClassWeights: map[int]float64{10: inf}},
	} {
		assert.ErrorIs(t, c.Fit(ctx, x, y), estimators.ErrParam)
		assert.ErrorIs(t, c.FitMatrix(ctx, mat.NewSymDense(10, nil), y), estimators.ErrParam)
	}
	for _, r := range []*Regressor{{C: -1}, {Epsilon: -1}, {Epsilon: nan}, {Tolerance: inf}, {MaxIterations: -1}, {CacheBytes: -1}, {Kernel: kernels.RBF{Gamma: -1}}} {
		assert.ErrorIs(t, r.Fit(ctx, x, target), estimators.ErrParam)
		assert.ErrorIs(t, r.FitMatrix(ctx, mat.NewSymDense(10, nil), target), estimators.ErrParam)
	}
	c, r := &Classifier{}, &Regressor{}
	assert.ErrorIs(t, c.Fit(ctx, x, make([]int, 10)), estimators.ErrShape, "a single class")
	assert.ErrorIs(t, c.FitMatrix(ctx, nil, y), estimators.ErrShape)
	assert.ErrorIs(t, c.FitMatrix(ctx, mat.NewSymDense(9, nil), y), estimators.ErrShape)
	assert.ErrorIs(t, c.FitMatrix(ctx, mat.NewSymDense(10, nil), make([]int, 10)), estimators.ErrShape)
	assert.ErrorIs(t, r.FitMatrix(ctx, mat.NewSymDense(9, nil), target), estimators.ErrShape)
	bad := mat.NewSymDense(10, nil)
	bad.SetSym(3, 7, nan)
	var place *estimators.NotFiniteError
	require.ErrorAs(t, c.FitMatrix(ctx, bad, y), &place)
	assert.Equal(t, [2]int{3, 7}, [2]int{place.Row, place.Col})
	assert.ErrorIs(t, r.FitMatrix(ctx, mat.NewSymDense(10, nil), append([]float64{nan}, target[1:]...)), estimators.ErrNotFinite)

	k, err := kernels.Matrix(ctx, kernels.RBF{}, x, nil)
	require.NoError(t, err)
	_, err = c.PredictMatrix(k)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, c.FitMatrix(ctx, k, y))
	_, err = c.Predict(x)
	assert.ErrorIs(t, err, estimators.ErrNotFitted, "there are no rows to compare with")
	_, err = c.PredictMatrix(x)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = c.PredictMatrix(nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	assert.Nil(t, c.ChosenKernel())
	require.NoError(t, c.Fit(ctx, x, y))
	_, err = c.PredictMatrix(k)
	assert.ErrorIs(t, err, estimators.ErrNotFitted, "the model is one of rows")
	require.NoError(t, r.FitMatrix(ctx, k, target))
	_, err = r.Predict(x)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
}

// If a kernel overflows, the error names the rows, whether the matrix is in memory or not.
func TestKernelOverflow(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{1, 2, 1e200, 3})
	for _, cache := range []int64{0, 1} {
		c := &Classifier{Kernel: kernels.Polynomial{Degree: 2, Coef0: 1}, CacheBytes: cache}
		var at *estimators.NotFiniteError
		require.ErrorAs(t, c.Fit(ctx, x, []int{0, 1, 0, 1}), &at)
		assert.Equal(t, 2, at.Col)
	}
}

// packed is a symmetric matrix of a type that gonum does not know.
type packed struct{ mat.Symmetric }

func TestAnySymmetricMatrix(t *testing.T) {
	x, y := blobs(30, 2, 0.5, 1)
	k, err := kernels.Matrix(ctx, kernels.RBF{}, x, nil)
	require.NoError(t, err)
	// FitMatrix must not read the entries of a SymDense below the diagonal.
	raw := k.RawSymmetric()
	for i := range 30 {
		for j := range i {
			raw.Data[i*raw.Stride+j] = math.NaN()
		}
	}
	c, p := &Classifier{}, &Classifier{}
	require.NoError(t, c.FitMatrix(ctx, k, y))
	require.NoError(t, p.FitMatrix(ctx, packed{k}, y))
	assert.Equal(t, c.Pairs(), p.Pairs())
	assert.True(t, math.IsNaN(raw.Data[raw.Stride]), "nothing was written")
}

func TestObserveAndCancel(t *testing.T) {
	x, y := blobs(400, 2, 0.8, 1)
	var calls atomic.Int64
	c := &Classifier{C: 100, Observe: func(s estimators.Step) {
		if s.Between {
			return
		}
		calls.Add(1)
		assert.Negative(t, s.Objective)
		assert.Positive(t, s.Iteration)
	}}
	require.NoError(t, c.Fit(ctx, x, y))
	assert.Positive(t, calls.Load())
	before := c.Report()

	// A Fit that is cancelled leaves the model unchanged.
	cancellable, cancel := context.WithCancel(ctx)
	c.Observe = func(estimators.Step) { cancel() }
	c.C = 1000
	require.ErrorIs(t, c.Fit(cancellable, x, y), context.Canceled)
	assert.Equal(t, before, c.Report())
}
