package learning

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// Values agree with scikit-learn's GaussianProcessClassifier, and gradients with finite differences.
func TestLaplace(t *testing.T) {
	data, err := os.ReadFile("testdata/laplace.json")
	require.NoError(t, err)
	var cases []struct {
		X       [][]float64
		Y       []float64
		Lengths []float64
		Lambda  float64
		Value   float64
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.Len(t, cases, 4)
	for _, c := range cases {
		for _, weights := range [][]float64{nil, slices.Repeat([]float64{1}, len(c.Y)), laplaceWeights(len(c.Y))} {
			b, err := NewBlock(dense(c.X), Targets{Y: mat.NewDense(len(c.Y), 1, c.Y), Weights: weights, Outputs: 1}, nil)
			require.NoError(t, err)
			p := &Problem{Kind: Laplace, Kernel: kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: c.Lengths}, Blocks: []*Block{b}}
			theta := append(kernels.LogParams(p.Kernel), math.Log(c.Lambda))
			gradient := make([]float64, len(theta))
			f, err := p.Value(context.Background(), theta, gradient)
			require.NoError(t, err)
			if weights == nil || weights[0] == 1 {
				assert.InEpsilon(t, c.Value, f, 1e-7)
			}
			for j := range theta {
				difference := 0.0
				for _, side := range []float64{1, -1} {
					moved := slices.Clone(theta)
					moved[j] += side * 1e-4
					g, err := p.Value(context.Background(), moved, nil)
					require.NoError(t, err)
					difference += side * g / 2e-4
				}
				assert.InDelta(t, difference, gradient[j], 1e-6*max(1, math.Abs(difference)), "parameter %d", j)
			}
		}
	}
}

func laplaceWeights(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = .5 + float64(i%4)/2
	}
	return out
}

// A weight of 2 is equivalent to repeating the row.
func TestLaplaceOfRowsTwice(t *testing.T) {
	x := [][]float64{{0, 1}, {1, 0}, {2, 2}, {1, 3}, {.5, .4}, {1, 0}, {2, 2}}
	y := []float64{1, -1, 1, 1, -1, -1, 1}
	at := func(rows int, weights []float64) float64 {
		b, err := NewBlock(dense(x[:rows]), Targets{Y: mat.NewDense(rows, 1, slices.Clone(y[:rows])), Weights: weights, Outputs: 1}, nil)
		require.NoError(t, err)
		k := kernels.ARD{Kernel: kernels.Matern{Nu: 1.5}, Lengths: []float64{1, 2}}
		f, err := (&Problem{Kind: Laplace, Kernel: k, Blocks: []*Block{b}}).Value(context.Background(), append(kernels.LogParams(k), math.Log(.3)), nil)
		require.NoError(t, err)
		return f
	}
	assert.InDelta(t, at(7, nil), at(5, []float64{1, 2, 2, 1, 1}), 1e-9)
}
