package svm

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/platt"
	"github.com/kernelearn/kernelearn/kernels"
)

// For two Gaussians on a line at a distance of two, the odds at v are exp(2v).
func TestProbabilitiesAreCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	const n = 800
	x, y := mat.NewDense(n, 1, nil), make([]int, n)
	for i := range n {
		y[i] = i % 2
		x.Set(i, 0, rng.NormFloat64()+float64(2*y[i]-1))
	}
	c := &Classifier{Kernel: kernels.Linear{}, Probabilities: true}
	require.NoError(t, c.Fit(ctx, x, y))
	at := mat.NewDense(5, 1, []float64{-2, -0.5, 0, 0.5, 2})
	p, err := c.PredictProba(at)
	require.NoError(t, err)
	for i := range 5 {
		assert.InDelta(t, 1/(1+math.Exp(-2*at.At(i, 0))), p.At(i, 1), 0.05, "at %v", at.At(i, 0))
	}
}

func TestProbabilitiesNeedTheirField(t *testing.T) {
	x, y := blobs(30, 3, 0.3, 1)
	c := &Classifier{}
	_, err := c.PredictProba(x)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, c.Fit(ctx, x, y))
	assert.False(t, estimators.Supports(c, estimators.Proba))
	_, err = c.PredictProba(x)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "Probabilities")
	_, err = c.PredictProbaMatrix(x)
	require.ErrorIs(t, err, errors.ErrUnsupported)

	// If Probabilities was set, a file contains the sigmoids.
	c = &Classifier{Probabilities: true}
	assert.True(t, estimators.Supports(c, estimators.Proba))
	require.NoError(t, c.Fit(ctx, x, y))
	want, err := c.PredictProba(x)
	require.NoError(t, err)
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	read := &Classifier{}
	require.NoError(t, read.UnmarshalBinary(data))
	assert.True(t, estimators.Supports(read, estimators.Proba))
	got, err := read.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(want, got))
	assert.False(t, estimators.Supports(estimators.Clone(read), estimators.Proba))
}

func TestProbabilitiesOnAMatrix(t *testing.T) {
	x, y := blobs(60, 3, 0.5, 1)
	c := &Classifier{Kernel: kernels.RBF{Gamma: 1}, Probabilities: true, Tolerance: 1e-9}
	require.NoError(t, c.Fit(ctx, x, y))
	want, err := c.PredictProba(x)
	require.NoError(t, err)
	k, err := kernels.Matrix(ctx, c.Kernel, x, nil)
	require.NoError(t, err)
	m := estimators.Clone(c)
	require.NoError(t, m.FitMatrix(ctx, k, y))
	got, err := m.PredictProbaMatrix(k)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-6))
}

// If a class has a single row, the fold that leaves it out has rows of only one class.
func TestProbabilitiesOfFewRows(t *testing.T) {
	for _, y := range [][]int{{0, 1}, {0, 1, 1}, {0, 1, 1, 1, 1, 1, 1}, {0, 1, 2}} {
		x := mat.NewDense(len(y), 1, nil)
		for i := range y {
			x.Set(i, 0, float64(i))
		}
		c := &Classifier{Probabilities: true}
		require.NoError(t, c.Fit(ctx, x, y))
		p, err := c.PredictProba(x)
		require.NoError(t, err)
		for i := range y {
			assert.InDelta(t, 1, mat.Sum(p.Slice(i, i+1, 0, len(c.Classes()))), 1e-12)
		}
	}
}

// If the probabilities of pairs follow from probabilities of classes, couple returns the latter.
func TestCouplingOfConsistentProbabilities(t *testing.T) {
	want := []float64{0.5, 0.3, 0.15, 0.05}
	f := mat.NewDense(2, 6, nil)
	links := make([]platt.Sigmoid, 6)
	pair := 0
	for a := range want {
		for b := a + 1; b < 4; b++ {
			links[pair] = platt.Sigmoid{Slope: 1}
			f.Set(0, pair, math.Log(want[b]/want[a]))
			f.Set(1, pair, 1e9) // certain of the greater class in each pair
			pair++
		}
	}
	p := mat.NewDense(2, 4, nil)
	couple(p, f, links, 4)
	assert.InDeltaSlice(t, want, p.RawRowView(0), 1e-12)
	assert.InDeltaSlice(t, []float64{0, 0, 0, 1}, p.RawRowView(1), 1e-5)
}

// For contradictory probabilities of pairs, the result of couple minimises the documented sum of squares.
func TestCouplingIsAMinimum(t *testing.T) {
	r := []float64{0.9, 0.2, 0.7} // P(1 | 0 or 1), P(2 | 0 or 2), P(2 | 1 or 2)
	f := mat.NewDense(1, 3, nil)
	for k, v := range r {
		f.Set(0, k, math.Log(v/(1-v)))
	}
	loss := func(p []float64) float64 {
		sq := func(v float64) float64 { return v * v }
		return sq(r[0]*p[0]-(1-r[0])*p[1]) + sq(r[1]*p[0]-(1-r[1])*p[2]) + sq(r[2]*p[1]-(1-r[2])*p[2])
	}
	p := make([]float64, 3)
	couple(mat.NewDense(1, 3, p), f, []platt.Sigmoid{{Slope: 1}, {Slope: 1}, {Slope: 1}}, 3)
	for _, d := range [][]float64{{1, -1, 0}, {-1, 1, 0}, {0, 1, -1}, {0, -1, 1}, {1, 0, -1}, {-1, 0, 1}} {
		q := make([]float64, 3)
		for k := range q {
			q[k] = p[k] + 1e-4*d[k]
		}
		assert.Greater(t, loss(q), loss(p))
	}
}
