package graph_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
)

// on returns the results of f for a column of numbers.
func on(t *testing.T, values []float64, f func(x graph.Value) graph.Value) []float64 {
	t.Helper()
	g, x := graph.New(1)
	out, err := g.Run(mat.NewDense(len(values), 1, values), f(x))
	require.NoError(t, err)
	return mat.Col(nil, 0, out[0])
}

// Functions that combine several operators agree with package math, both near 0 and for large arguments.
func TestFunctions(t *testing.T) {
	numbers := []float64{-30, -3, -1, -.9, -.5, -.49, -1e-3, -1e-9, -1e-17, 0, 1e-17, 1e-9, 1e-3, .3, .5, .51, .99, 1, 2, 30, 700}
	for _, c := range []struct {
		name     string
		f        func(graph.Value) graph.Value
		want     func(float64) float64
		from, to float64
	}{
		{"Log1p", graph.Value.Log1p, math.Log1p, -.99, 1e300},
		{"Expm1", graph.Value.Expm1, math.Expm1, -1e300, 700},
		{"Sigmoid", graph.Value.Sigmoid, func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }, -40, 1e300},
		{"Asin", graph.Value.Asin, math.Asin, -1, 1},
		{"Power", func(x graph.Value) graph.Value { return x.Power(5) }, func(v float64) float64 { return math.Pow(v, 5) }, -40, 40},
		{"Power of 0", func(x graph.Value) graph.Value { return x.Power(0).Mul(x.Fill(1)) }, func(float64) float64 { return 1 }, -40, 40},
		{"Horner", func(x graph.Value) graph.Value { return x.Horner(1, 2, 3) }, func(v float64) float64 { return 1 + 2*v + 3*v*v }, -40, 40},
		{"Clamp", func(x graph.Value) graph.Value { return x.Clamp(x.Number(-1), x.Number(1)) }, func(v float64) float64 { return max(-1, min(v, 1)) }, -40, 40},
		{"Each", func(x graph.Value) graph.Value { return x.Fill(7) }, func(float64) float64 { return 7 }, -40, 40},
	} {
		var in, want []float64
		for _, v := range numbers {
			if v >= c.from && v <= c.to {
				in, want = append(in, v), append(want, c.want(v))
			}
		}
		for i, got := range on(t, in, c.f) {
			assert.InDelta(t, want[i], got, 4e-15*math.Abs(want[i]), "%s of %v", c.name, in[i])
		}
	}
	clamped := on(t, []float64{math.NaN()}, func(x graph.Value) graph.Value { return x.Clamp(x.Number(-1), x.Number(1)) })
	assert.True(t, math.IsNaN(clamped[0]), "a gap stays one")
	assert.Equal(t, []float64{7}, on(t, []float64{math.NaN()}, func(x graph.Value) graph.Value { return x.Fill(7) }))
}

// SolveUpper refines the solution if the triangular matrix is ill-conditioned.
func TestSolveUpper(t *testing.T) {
	for _, small := range []float64{1, 1e-9} {
		u := blas64.Triangular{N: 3, Stride: 3, Uplo: blas.Upper, Diag: blas.NonUnit, Data: []float64{2, 1, -1, 0, 1, 3, 0, 0, small}}
		want := mat.NewDense(1, 3, []float64{1, -2, 3})
		var product mat.Dense
		product.Mul(want, mat.NewDense(3, 3, u.Data))
		g, x := graph.New(3)
		out, err := g.Run(&product, x.SolveUpper(u))
		require.NoError(t, err)
		for j := range 3 {
			assert.InDelta(t, want.At(0, j), out[0].At(0, j), 1e-15/small)
		}
	}
}

// The graph keeps the first mistake, and Run and Build return it.
func TestMistakes(t *testing.T) {
	for name, wrong := range map[string]func(x graph.Value) graph.Value{
		"shapes":  func(x graph.Value) graph.Value { return x.Add(x.Row([]float64{1, 2})).Exp() },
		"product": func(x graph.Value) graph.Value { return x.MatMul(x.Constant(mat.NewDense(2, 1, nil))) },
		"column":  func(x graph.Value) graph.Value { return x.Select(3) },
		"rows":    func(x graph.Value) graph.Value { return graph.Concat(x, x.Number(1)) },
		"graphs": func(x graph.Value) graph.Value {
			_, other := graph.New(3)
			return x.Sub(other)
		},
	} {
		g, x := graph.New(3)
		out := wrong(x)
		require.ErrorIs(t, g.Err(), estimators.ErrShape, name)
		_, err := g.Run(mat.NewDense(1, 3, nil), out)
		assert.ErrorIs(t, err, estimators.ErrShape, name)
		_, err = graph.Build(does(func(x graph.Value) (graph.Outputs, error) { return graph.Outputs{Rows: x}, nil }), x)
		assert.ErrorIs(t, err, estimators.ErrShape, name)
	}
	g, x := graph.New(3)
	_, err := g.Run(mat.NewDense(1, 2, nil), x)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, other := graph.New(3)
	_, err = g.Run(mat.NewDense(1, 3, nil), other)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = graph.Build(does(nil), graph.Value{})
	assert.ErrorIs(t, err, estimators.ErrParam)
}

// Operators on the zero Value return the zero Value, so that a Graph called with it does not panic.
func TestZeroValue(t *testing.T) {
	var none graph.Value
	for _, v := range []graph.Value{
		none.Add(none), none.Exp(), none.Plus(1), none.Softmax(), none.Select(2), none.MatMul(none), none.Asin(), none.Fill(1), none.Scores(),
		none.Shares(), none.Constant(mat.NewDense(1, 1, nil)), none.Clamp(none, none), none.SquaredDistances(mat.NewDense(2, 2, nil)),
		none.OverDifferences(mat.NewDense(2, 2, nil), graph.Value.Abs), graph.Concat(), graph.Concat(none, none), none.Power(3),
	} {
		assert.True(t, v.IsZero())
	}
	assert.Equal(t, "none", none.String())
	assert.ErrorIs(t, graph.Columns(none, 2), estimators.ErrShape)
}

type does func(x graph.Value) (graph.Outputs, error)

func (d does) Graph(x graph.Value) (graph.Outputs, error) { return d(x) }

// A type that embeds a Grapher may have its own Predict, so it has no graph.
func TestEmbeddedIsNotWritten(t *testing.T) {
	_, x := graph.New(1)
	_, err := graph.Build(struct{ does }{func(x graph.Value) (graph.Outputs, error) { return graph.Outputs{Rows: x}, nil }}, x)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}
