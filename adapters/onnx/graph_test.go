package onnx_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
)

// promised is the largest error of an output, relative to its size.
const promised = 1e-10

// off returns the largest difference between two outputs. It is relative to the larger of two numbers: the wanted number and the
// size of the output on usual rows. If the shapes or the positions of NaN differ, off returns +Inf.
func off(got, want *mat.Dense, usual int) float64 {
	n, k := want.Dims()
	if r, c := got.Dims(); r != n || c != k {
		return math.Inf(1)
	}
	square, count := 0.0, 0.0
	for i := range usual {
		for j := range k {
			if v := want.At(i, j); !math.IsNaN(v) {
				square, count = square+v*v, count+1
			}
		}
	}
	size, worst := math.Sqrt(square/math.Max(count, 1)), 0.0
	for i := range n {
		for j := range k {
			a, b := got.At(i, j), want.At(i, j)
			switch {
			case math.IsNaN(a) != math.IsNaN(b):
				return math.Inf(1)
			case a != b && !math.IsNaN(a):
				worst = math.Max(worst, math.Abs(a-b)/math.Max(math.Abs(b), size))
			}
		}
	}
	return worst
}

// The graph of each model, evaluated in Go operator by operator without a runtime, has the same output as the model.
func TestGraphs(t *testing.T) {
	for _, m := range models(t) {
		t.Run(m.name, func(t *testing.T) {
			g, x := graph.New(columns)
			out, err := graph.Build(m.model, x)
			require.NoError(t, err)
			values := map[string]graph.Value{"features": out.Rows, "y": out.Mean, "probabilities": out.Proba, "scores": out.Decision}
			if !out.Decision.IsZero() {
				values["label"] = out.Decision.ArgMax()
			}
			for name, want := range m.expectations(t) {
				if name == "variance" {
					require.NotNil(t, out.Variance)
					values[name], err = out.Variance()
					require.NoError(t, err)
				}
				require.False(t, values[name].IsZero(), name)
				got, err := g.Run(m.x, values[name])
				require.NoError(t, err, name)
				if name == "label" {
					for i := range got[0].RawMatrix().Rows {
						got[0].Set(i, 0, float64(out.Classes[int(got[0].At(i, 0))]))
					}
				}
				assert.LessOrEqual(t, off(got[0], want, m.usual), promised, fmt.Sprint(name, " ", len(g.Nodes()), " operators"))
			}
		})
	}
}
