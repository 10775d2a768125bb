package graph_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
)

// halfRange is a fitted third-party transformer. It replaces values below its limit by 0, and other values by their square root.
type halfRange struct{ limit float64 }

// Graph implements graph.Grapher. It performs the operations of Transform on Values instead of numbers.
func (h halfRange) Graph(x graph.Value) (graph.Outputs, error) {
	above := x.Plus(-h.limit)
	zero := x.Number(0)
	return graph.Outputs{Rows: above.Greater(zero).Where(above.Max(zero).Sqrt(), zero)}, nil
}

func ExampleGrapher() {
	g, x := graph.New(2)
	out, err := graph.Build(halfRange{limit: 1}, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := g.Run(mat.NewDense(2, 2, []float64{0, 2, 5, 10}), out.Rows)
	fmt.Println(mat.Formatted(z[0]), err)
	_, err = graph.Build(3, x)
	fmt.Println(err)
	// Output:
	// ⎡0  1⎤
	// ⎣2  3⎦ <nil>
	// int cannot be written as a graph of primitive operators, it has no method Graph: unsupported operation
}

func ExampleGraph() {
	g, x := graph.New(3)
	var norm graph.Value = x.Square().Sum().Sqrt()
	for _, id := range g.Needed(norm) {
		var n graph.Node = g.Nodes()[id]
		fmt.Println(n.Op, n.Inputs, n.Cols)
	}
	var kind graph.Kind = graph.Bool
	less := x.Less(norm)
	fmt.Println(g.Nodes()[less.ID()].Kind == kind, x.Square().Sum().Sqrt() == norm)
	var out graph.Outputs
	fmt.Println(out.Mean.IsZero())
	// Output:
	// Input [] 3
	// Mul [0 0] 3
	// ReduceSum [1] 1
	// Sqrt [2] 1
	// true true
	// true
}
