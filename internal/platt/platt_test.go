package platt_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/platt"
)

// drawn returns random scores of n rows for k classes, the true class of each row, and random weights. The score of the true class
// tends to be larger.
func drawn(n, k int, size float64) (*mat.Dense, []int, []float64) {
	rng := rand.New(rand.NewPCG(2, 0))
	f, at, w := mat.NewDense(n, k, nil), make([]int, n), make([]float64, n)
	for i := range n {
		at[i] = i * i % k
		w[i] = 0.5 + rng.Float64()
		for c := range k {
			v := 1.5 * rng.NormFloat64()
			if c == at[i] {
				v++
			}
			f.Set(i, c, size*v)
		}
	}
	return f, at, w
}

// entropy computes the loss from its definition.
func entropy(l platt.Link, f *mat.Dense, at []int, w []float64) float64 {
	n, k := f.Dims()
	count := make([]float64, k)
	for i, c := range at {
		count[c] += w[i]
	}
	p, sum := mat.DenseCopyOf(f), 0.0
	l.Apply(p)
	for i := range n {
		own := at[i]
		for c := range k {
			target := 1 / (count[own] + 2) / float64(k-1)
			if c == own {
				target = (count[own] + 1) / (count[own] + 2)
			}
			sum -= w[i] * target * math.Log(p.At(i, c))
		}
	}
	return sum
}

func TestFitIsAMinimum(t *testing.T) {
	for _, k := range []int{2, 3, 5} {
		for _, size := range []float64{1e-6, 1, 1e6} {
			f, at, w := drawn(200, k, size)
			l := platt.Fit(f, at, w)
			require.Positive(t, l.Slope)
			require.Zero(t, l.Offset[0])
			least := entropy(l, f, at, w)
			for _, e := range []float64{-1e-3, 1e-3} {
				assert.Greater(t, entropy(platt.Link{Slope: l.Slope + e/size, Offset: l.Offset}, f, at, w), least, "%d classes, size %v", k, size)
				for c := 1; c < k; c++ {
					moved := slices.Clone(l.Offset)
					moved[c] += e
					assert.Greater(t, entropy(platt.Link{Slope: l.Slope, Offset: moved}, f, at, w), least, "%d classes, size %v", k, size)
				}
			}
		}
	}
}

// A weight of 2 is equivalent to repeating the row, and nil weights to weights of 1.
func TestWeights(t *testing.T) {
	f, at, _ := drawn(60, 3, 1)
	var both mat.Dense
	both.Stack(f, f)
	twice := platt.Fit(&both, slices.Concat(at, at), nil)
	doubled := platt.Fit(f, at, slices.Repeat([]float64{2}, 60))
	assert.InEpsilon(t, twice.Slope, doubled.Slope, 1e-6)
	assert.InDeltaSlice(t, twice.Offset, doubled.Offset, 1e-6)
	assert.Equal(t, platt.Fit(f, at, nil), platt.Fit(f, at, slices.Repeat([]float64{1}, 60)))
}

// FitSigmoid finds slope 0.03 and offset -1 if the odds of a single score of two classes are exp(0.03 f - 1).
func TestSigmoid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	f, at := make([]float64, 3000), make([]int, 3000)
	for i := range f {
		f[i] = 100 * rng.NormFloat64()
		if rng.Float64() < 1/(1+math.Exp(1-0.03*f[i])) {
			at[i] = 1
		}
	}
	s := platt.FitSigmoid(f, at, nil)
	assert.InDelta(t, 0.03, s.Slope, 0.003)
	assert.InDelta(t, -1, s.Offset, 0.15)
	assert.InDelta(t, 1/(1+math.Exp(-(s.Slope*50+s.Offset))), s.Value(50), 1e-15)
	assert.Equal(t, 1.0, s.Value(1e9))
	assert.Zero(t, s.Value(-1e9))
}

// If scores are worse than none, all 0, or not finite, the slope is 0, and the probabilities are the smoothed class frequencies.
func TestUselessScores(t *testing.T) {
	at := []int{1, 1, 0, 1}
	for name, v := range map[string][]float64{
		"the wrong way": {1, -1, 1, -1, -1, 1, -1, 1},
		"none":          make([]float64, 8),
		"not finite":    {0, 1, 0, math.Inf(1), 1, 0, 0, 2},
		"that overflow": {0, 1, 0, 1e300, 1, 0, 0, 2},
	} {
		l := platt.Fit(mat.NewDense(4, 2, v), at, nil)
		assert.Zero(t, l.Slope, name)
		p := mat.NewDense(1, 2, []float64{5, -7})
		l.Apply(p)
		// Three rows with target 4/5 and one with 1/3.
		assert.InDelta(t, (3*4.0/5+1.0/3)/4, p.At(0, 1), 1e-12, name)
	}
}
