package features

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// The polynomials are orthonormal over the weighted rows, in any units.
func TestPolynomialsAreOrthonormal(t *testing.T) {
	v, own := make([]float64, 40), make([]float64, 40)
	for i := range v {
		v[i], own[i] = 1e6+math.Exp(3*math.Sin(float64(i))), 0.1+float64(i%3)
	}
	rows := weights.NewCounts(own, 40)
	p, ok := newPolynomial(v, rows, maxDegree)
	require.True(t, ok)
	var gram [maxDegree + 1][maxDegree + 1]float64
	out := make([]float64, maxDegree+1)
	for i, e := range v {
		p.values(out, e)
		for a := range gram {
			for b := range gram {
				gram[a][b] += own[i] / rows.Total * out[a] * out[b]
			}
		}
	}
	for a := range gram {
		for b := range gram {
			want := 0.0
			if a == b {
				want = 1
			}
			assert.InDelta(t, want, gram[a][b], 1e-9)
		}
	}
}

// Polynomials that are equal over the rows share one coefficient, that of the polynomial with the lowest degree.
func TestTrendLeavesOutWhatOthersAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	wide := mat.NewDense(30, 5, nil)
	for i := range 30 {
		a := rng.NormFloat64()
		// The columns are: an ordinary column, a column with two values, a constant, the first column in other units, and the
		// square of the first column.
		wide.SetRow(i, []float64{a, float64(i % 2), 4, 1 - 1000*a, a * a})
	}
	kept := func(x *mat.Dense, degree int) (out [][]int) {
		of, err := NewTrend(context.Background(), "test", x, weights.NewCounts(nil, 30), degree)
		require.NoError(t, err)
		for _, p := range of {
			out = append(out, append([]int{p.Column}, p.Kept...))
		}
		return out
	}
	assert.Equal(t, [][]int{{0, 1}, {1, 1}, {4, 1}}, kept(wide, 1))
	assert.Equal(t, [][]int{{0, 1}, {1, 1}, {4, 1, 2}}, kept(wide, 2), "the first's parabola is the last's line")
	assert.Equal(t, [][]int{{0, 1, 3}, {1, 1}, {4, 1, 2, 3}}, kept(wide, 3))
	assert.Nil(t, kept(mat.NewDense(30, 2, nil), 2))
}

// A row with an integer weight is equivalent to that number of copies.
func TestScalingOfWeightedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	x, y := mat.NewDense(60, 2, nil), make([]float64, 60)
	for i := range y {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		y[i] = rng.NormFloat64()
	}
	var own, repeatedY []float64
	var of []int
	for i := range y {
		w := 1 + i%4/2 + i%3/2
		own = append(own, float64(w))
		for range w {
			of, repeatedY = append(of, i), append(repeatedY, y[i])
		}
	}
	rows, plain := weights.NewCounts(own, 60), weights.NewCounts(nil, len(of))
	scaled, all := NewScaling(x, false, rows), NewScaling(linalg.Rows(x, of), false, plain)
	assert.LessOrEqual(t, golden.MaxError(scaled.Mean, all.Mean), 1e-12)
	assert.LessOrEqual(t, golden.MaxError(scaled.Inverse, all.Inverse), 1e-12)
	mean, deviation, _ := Moments(y, rows)
	wantMean, wantDeviation, _ := Moments(repeatedY, plain)
	assert.InDelta(t, wantMean, mean, 1e-12)
	assert.InDelta(t, wantDeviation, deviation, 1e-12)
}

func TestCancelledTrend(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	x := mat.NewDense(6, 1, []float64{1, 2, 4, 7, 11, 16})
	_, err := NewTrend(cancelled, "test", x, weights.NewCounts(nil, 6), 1)
	assert.ErrorIs(t, err, context.Canceled)
}
