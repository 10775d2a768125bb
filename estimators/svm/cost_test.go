package svm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

func sizes(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, a := range v {
		out[i] = math.Abs(a)
	}
	slices.Sort(out)
	return out
}

// C and the tube agree with values computed from the least-squares machine of package lssvm.
func TestLeastSquaresOfARegressor(t *testing.T) {
	x, y := sinc(81, 0.3, 3)
	k := kernels.RBF{Gamma: 0.5}
	l := &lssvm.Regressor{Kernel: k}
	require.NoError(t, l.Fit(ctx, x, y))
	require.Greater(t, l.ChosenRidge(), leastRidge, "which bounds it here")
	r := &Regressor{Kernel: k}
	require.NoError(t, r.Fit(ctx, x, y))
	left, err := l.LeaveOneOutResiduals(ctx)
	require.NoError(t, err)
	residuals := sizes(left)
	assert.InEpsilon(t, math.Sqrt(math.Pi/2)*stat.Mean(sizes(l.Coefficients()), nil), r.ChosenC(), 1e-9)
	assert.InEpsilon(t, 0.5*residuals[40]/0.6744897501960817, r.ChosenEpsilon(), 1e-9)

	given := &Regressor{Kernel: k, Epsilon: 0.2}
	require.NoError(t, given.Fit(ctx, x, y))
	assert.Equal(t, 0.2, given.ChosenEpsilon())
	assert.Equal(t, r.ChosenC(), given.ChosenC())
	given = &Regressor{Kernel: k, C: 3}
	require.NoError(t, given.Fit(ctx, x, y))
	assert.Equal(t, 3.0, given.ChosenC())
	assert.Equal(t, r.ChosenEpsilon(), given.ChosenEpsilon())

	// A fit with these values set, and with Tolerance in the units of the targets, returns the same machine.
	fixed := &Regressor{Kernel: k, C: r.ChosenC(), Epsilon: r.ChosenEpsilon(), Tolerance: defaultTolerance * stat.PopStdDev(y, nil)}
	require.NoError(t, fixed.Fit(ctx, x, y))
	assert.Equal(t, r.Coefficients(), fixed.Coefficients())
}

func TestLeastSquaresOfAClassifier(t *testing.T) {
	for _, classes := range []int{2, 3} {
		t.Run(fmt.Sprint(classes), func(t *testing.T) {
			x, labels := blobs(90, classes, 1.5, 1)
			var squares, count float64
			c := &Classifier{}
			require.NoError(t, c.Fit(ctx, x, labels))
			// All classes share one ridge, so it is chosen by a machine for all of them.
			ridge := &lssvm.Classifier{Kernel: c.ChosenKernel()}
			require.NoError(t, ridge.Fit(ctx, x, labels))
			for _, label := range c.Classes() {
				y := make([]float64, len(labels))
				for i, l := range labels {
					y[i] = -1
					if l == label {
						y[i] = 1
					}
				}
				one := &lssvm.Regressor{Kernel: c.ChosenKernel(), Ridge: ridge.ChosenRidge()}
				require.NoError(t, one.Fit(ctx, x, y))
				for _, a := range one.Coefficients() {
					squares += a * a
					count++
				}
			}
			assert.InEpsilon(t, 6*math.Sqrt(squares/count), c.ChosenC(), 1e-6)
		})
	}
}

// A fit to targets in other units, with another offset, results in the same machine in those units.
func TestLeastSquaresFollowsTheTargets(t *testing.T) {
	x, y := sinc(60, 0.2, 5)
	for _, scale := range []float64{1e-6, 1e5} {
		other := make([]float64, len(y))
		for i, v := range y {
			other[i] = scale*v + 7*scale
		}
		a, b := &Regressor{}, &Regressor{}
		require.NoError(t, a.Fit(ctx, x, y))
		require.NoError(t, b.Fit(ctx, x, other))
		want, err := a.Predict(x)
		require.NoError(t, err)
		got, err := b.Predict(x)
		require.NoError(t, err)
		for i := range want {
			assert.InDelta(t, want[i], got[i]/scale-7, 5e-3)
		}
		assert.InEpsilon(t, scale*a.ChosenC(), b.ChosenC(), 1e-6)
		assert.Equal(t, len(a.SupportIndices()), len(b.SupportIndices()))
	}
}

// If all weights have a common factor, a chosen C is divided by it, so that the bounds stay the same.
func TestLeastSquaresOfWeights(t *testing.T) {
	x, y := sinc(60, 0.2, 5)
	w, labels := make([]float64, len(y)), make([]int, len(y))
	for i := range w {
		w[i] = 0.5 + float64(i%4)
		if y[i] > 0.3 {
			labels[i] = 1
		}
	}
	twice := slices.Clone(w)
	for i := range twice {
		twice[i] *= 2
	}
	a, b := &Regressor{}, &Regressor{}
	require.NoError(t, a.FitWeighted(ctx, x, y, w))
	require.NoError(t, b.FitWeighted(ctx, x, y, twice))
	assert.InEpsilon(t, a.ChosenC(), 2*b.ChosenC(), 1e-9)
	assert.InEpsilon(t, a.ChosenEpsilon(), b.ChosenEpsilon(), 1e-9)
	plain := &Regressor{}
	require.NoError(t, plain.Fit(ctx, x, y))
	assert.NotEqual(t, plain.ChosenEpsilon(), a.ChosenEpsilon())

	c, d := &Classifier{}, &Classifier{ClassWeights: map[int]float64{0: 3, 1: 3}}
	require.NoError(t, c.FitWeighted(ctx, x, labels, w))
	require.NoError(t, d.FitWeighted(ctx, x, labels, w))
	assert.InEpsilon(t, c.ChosenC(), 3*d.ChosenC(), 1e-9)
	e := &Classifier{Balanced: true}
	require.NoError(t, e.FitWeighted(ctx, x, labels, w))
	assert.NotEqual(t, c.ChosenC(), e.ChosenC())
}

// With many rows, C and the tube from a sample are close to those from all rows, and do not depend on the number of workers.
func TestLeastSquaresOfManyRows(t *testing.T) {
	x, y := sinc(leastSquaresRows+500, 0.3, 1)
	median, err := kernels.MedianRBF(ctx, x, 0)
	require.NoError(t, err)
	l := &lssvm.Regressor{Kernel: median}
	require.NoError(t, l.Fit(ctx, x, y))
	var all []float64
	for _, r := range []*Regressor{
		{Workers: 1}, {Workers: 3}, {Seed: 1}, {CacheBytes: 1 << 20},
	} {
		require.NoError(t, r.Fit(ctx, x, y))
		all = append(all, r.ChosenC())
		assert.InEpsilon(t, math.Sqrt(math.Pi/2)*stat.Mean(sizes(l.Coefficients()), nil), r.ChosenC(), 0.4)
		assert.InEpsilon(t, 0.15, r.ChosenEpsilon(), 0.15)
	}
	assert.Equal(t, all[0], all[1])
	assert.NotEqual(t, all[0], all[2])
	assert.InEpsilon(t, all[0], all[3], 1e-6, "rows that are asked for one by one")
}

// If a tenth of the targets are outliers, predictions with the absolute loss change less than those with the squared loss.
func TestLeastSquaresKeepsTheAbsoluteLoss(t *testing.T) {
	x, y := sinc(200, 0.1, 2)
	clean := slices.Clone(y)
	rng := rand.New(rand.NewPCG(3, 0))
	for i := 0; i < len(y); i += 10 {
		y[i] += 3 + rng.Float64()
	}
	left := func(r estimators.Regressor) float64 {
		require.NoError(t, r.Fit(ctx, x, y))
		p, err := r.Predict(x)
		require.NoError(t, err)
		v, err := metrics.NMSE(clean, p, nil)
		require.NoError(t, err)
		return v
	}
	assert.Less(t, left(&Regressor{}), 0.5*left(&lssvm.Regressor{}))
}

func TestLeastSquaresOfOddData(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4})
	r := &Regressor{}
	require.NoError(t, r.Fit(ctx, x, []float64{3, 3, 3, 3, 3}))
	p, err := r.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{3, 3, 3, 3, 3}, p, 1e-9)
	assert.Positive(t, r.ChosenC())

	require.NoError(t, r.Fit(ctx, x.Slice(0, 1, 0, 1), []float64{2}))
	assert.Equal(t, 1.0, r.ChosenC())
	require.NoError(t, r.Fit(ctx, x.Slice(0, 2, 0, 1), []float64{2, 3}))
	assert.Positive(t, r.ChosenC())
	c := &Classifier{}
	require.NoError(t, c.Fit(ctx, x.Slice(0, 2, 0, 1), []int{4, 9}))
	assert.Positive(t, c.ChosenC())
	same := mat.NewDense(4, 1, []float64{1, 1, 1, 1})
	require.NoError(t, c.Fit(ctx, same, []int{4, 9, 4, 9}))
	assert.Positive(t, c.ChosenC())
	require.NoError(t, r.Fit(ctx, same, []float64{1, 2, 3, 4}))
	assert.Positive(t, r.ChosenC())
}

func TestLeastSquaresErrors(t *testing.T) {
	x, y := sinc(20, 0.2, 1)
	r := &Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	before := r.ChosenC()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, r.Fit(ended, x, y), context.Canceled)
	assert.Equal(t, before, r.ChosenC())
	require.ErrorIs(t, r.Fit(ctx, x, append([]float64{1e200}, y[1:]...)), estimators.ErrNotFinite)
	assert.Equal(t, before, r.ChosenC())
}

// If a kernel matrix is far from positive semi-definite, there may be no least-squares machine. The fit then uses the fallback, and
// Report contains a warning.
func TestNoLeastSquaresMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	without := 0
	for range 20 {
		k := mat.NewSymDense(12, nil)
		y, labels := make([]float64, 12), make([]int, 12)
		for i := range 12 {
			y[i] = 100 * rng.NormFloat64()
			labels[i] = i % 2
			for j := i; j < 12; j++ {
				k.SetSym(i, j, rng.NormFloat64())
			}
		}
		r := &Regressor{MaxIterations: 1000}
		require.NoError(t, r.FitMatrix(ctx, k, y))
		require.Positive(t, r.ChosenC())
		if warned := strings.Join(r.Report().Warnings, " "); strings.Contains(warned, "no least-squares machine") {
			without++
			assert.InEpsilon(t, stat.PopStdDev(y, nil), r.ChosenC(), 1e-12)
			assert.InEpsilon(t, stat.PopStdDev(y, nil)/10, r.ChosenEpsilon(), 1e-12)
			given := &Regressor{C: 2, MaxIterations: 1000}
			require.NoError(t, given.FitMatrix(ctx, k, y))
			assert.Equal(t, 2.0, given.ChosenC())
			assert.Equal(t, r.ChosenEpsilon(), given.ChosenEpsilon())
		}
		c := &Classifier{MaxIterations: 1000}
		require.NoError(t, c.FitMatrix(ctx, k, labels))
		if strings.Contains(strings.Join(c.Report().Warnings, " "), "no least-squares machine") {
			without++
			assert.Equal(t, 1.0, c.ChosenC())
		}
		both := &Regressor{C: 2, Epsilon: 1, MaxIterations: 1000}
		require.NoError(t, both.FitMatrix(ctx, k, y))
		assert.NotContains(t, strings.Join(both.Report().Warnings, " "), "least-squares")
	}
	assert.Greater(t, without, 4, "the matrices are indefinite enough")
}

func TestLeastSquaresOfAMatrix(t *testing.T) {
	k := kernels.RBF{Gamma: 0.5}
	x, y := sinc(30, 0.2, 1)
	gram, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	a, b := &Regressor{}, &Regressor{Kernel: k}
	require.NoError(t, a.FitMatrix(ctx, gram, y))
	require.NoError(t, b.Fit(ctx, x, y))
	assert.InEpsilon(t, b.ChosenC(), a.ChosenC(), 1e-9)
}
