// Package graph writes what a fitted model computes as a graph of primitive operators on numbers of
// double precision: sums, products, exponentials, comparisons. It is what stands between the models of this
// module and formats that other programs run; package adapters/onnx writes it as an ONNX model.
//
// A fitted transformer or estimator that has the capability [Grapher] adds its operators to the graph of the
// value that it is given, the rows, and returns the values that it makes of them:
//
//	g, x := graph.New(d)
//	out, err := graph.Of(model, x) // model is fitted on d columns
//	y, err := g.Run(rows, out.Mean)
//
// All built-in transformers, pipelines, searches and estimators have it, with few exceptions, and so may a type of one's
// own: its Graph method computes with Values what its Predict or Transform computes with numbers. What
// cannot be written says so by an error that wraps errors.ErrUnsupported and names the type.
//
// # Values
//
// A [Value] is a matrix: of as many rows as the input has, or, where it is constant, of one or any other number of rows. Its
// methods make new values: v.Sub(w), v.Exp(). Those of two values repeat a single row or a single column as often as the
// other has rows or columns. An operator that was asked for before on the same values is not added again, so what
// several outputs have in common is computed once. A mistake, as a difference of 3 and 4 columns, is kept as the graph's
// error, which Of and Run return, so that calls can be chained.
package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Grapher is the capability of a fitted transformer or estimator to write what it computes.
type Grapher interface {
	// Graph adds to the graph of x, the rows, what Transform or Predict computes of them. Errors: ErrNotFitted,
	// ErrShape for x of another width than Fit's, and one that wraps errors.ErrUnsupported for what has no graph.
	Graph(x Value) (Outputs, error)
}

// Outputs are what a model makes of rows. Those that it does not make are the zero Value.
type Outputs struct {
	// Rows is what a transformer makes of the rows.
	Rows Value
	// Mean is what a regressor predicts, one column, or one for each target of a MultiRegressor, and the score of a detector.
	Mean Value
	// Variance returns the variance of a new observation, with a column for each of Mean's; nil where there is none. It is a
	// function because it may cost as much as the fit.
	Variance func() (Value, error)
	// Classes are the labels of a classifier, and Decision its scores: a column for each, of which Predict takes the largest,
	// the first of those that tie.
	Classes  []int
	Decision Value
	// Proba are probabilities, a column for each of Classes.
	Proba Value
}

// Build returns the outputs of a fitted model for the rows x. The error names the type of a model that has no
// graph, and wraps errors.ErrUnsupported. A type that embeds one with a graph has none by that: its Predict may be another.
func Build(model any, x Value) (Outputs, error) {
	g, ok := embedding.As[Grapher](model)
	if !ok {
		return Outputs{}, Unsupported(model, "it has no method Graph")
	}
	if x.g == nil {
		return Outputs{}, fault.Param("graph: Of", "x", "the zero Value", "a value of a graph")
	}
	out, err := g.Graph(x)
	if err == nil && x.g.err != nil {
		err = fmt.Errorf("%T: %w", model, x.g.err)
	}
	if err != nil {
		return Outputs{}, err
	}
	return out, nil
}

// Unsupported makes the error of a value that cannot be written. It wraps errors.ErrUnsupported.
func Unsupported(v any, why string) error {
	return fmt.Errorf("%T cannot be written as a graph of primitive operators, %s: %w", v, why, errors.ErrUnsupported)
}

// Columns returns an ErrShape error unless x has as many columns as a model was fitted on.
func Columns(x Value, want int) error {
	if got := x.Cols(); got != want {
		return fault.Columns("x", got, want)
	}
	return nil
}

// Kind is the type of a value's elements.
type Kind int

// The kinds.
const (
	Double Kind = iota // float64
	Bool
	Int64
)

// Node is an operator and the value that it gives. Op is the name that ONNX has for the operator, of opset
// 18; for the rows that the graph begins with it is "Input", and for a constant "Constant".
type Node struct {
	Op      string
	Inputs  []int // of which nodes
	Kind    Kind
	Rows    int // -1: as many as the input
	Cols    int
	Axis    int       // of Concat, Gather, ArgMax and of reductions, which keep it: 1
	Indices []int     // of Gather
	Data    []float64 // of Constant, row by row; not to be changed
}

// Graph is made by New.
type Graph struct {
	nodes []Node
	known map[string]int // by what they compute
	err   error
}

// Value is what an operator gives. The zero value is none.
type Value struct {
	g  *Graph
	id int
}

// Batch is the number of rows of a value that has as many as the input.
const Batch = -1

// New returns a graph and its input, rows of so many columns.
func New(columns int) (*Graph, Value) {
	g := &Graph{known: map[string]int{}}
	return g, g.add(Node{Op: "Input", Rows: Batch, Cols: columns}, "")
}

// Nodes returns the operators in an order in which each comes after its inputs. They are not to be changed.
func (g *Graph) Nodes() []Node { return g.nodes }

// Err returns the first mistake that was made, nil where there was none.
func (g *Graph) Err() error { return g.err }

// Needed returns the indices of the operators that these values need, ascending.
func (g *Graph) Needed(values ...Value) []int {
	need := make([]bool, len(g.nodes))
	for _, v := range values {
		if v.g == g {
			need[v.id] = true
		}
	}
	var out []int
	for i := len(need) - 1; i >= 0; i-- {
		if need[i] {
			out = append(out, i)
			for _, in := range g.nodes[i].Inputs {
				need[in] = true
			}
		}
	}
	slices.Reverse(out)
	return out
}

// add returns the value of a node, which is that of an equal one where there is one. data tells constants apart.
func (g *Graph) add(n Node, data string) Value {
	if g == nil { // of operators on the zero Value
		return Value{}
	}
	key := fmt.Sprint(n.Op, n.Inputs, n.Rows, n.Cols, n.Kind, n.Indices, data)
	if id, ok := g.known[key]; ok {
		return Value{g, id}
	}
	g.nodes = append(g.nodes, n)
	g.known[key] = len(g.nodes) - 1
	return Value{g, len(g.nodes) - 1}
}

func (g *Graph) fail(format string, a ...any) Value {
	if g == nil {
		return Value{}
	}
	if g.err == nil {
		g.err = fmt.Errorf("graph: "+format+": %w", append(a, fault.ErrShape)...)
	}
	return Value{g, 0}
}

// Constant returns a value of numbers that are known.
func (v Value) Constant(m mat.Matrix) Value {
	r, c := m.Dims()
	data := make([]float64, 0, r*c)
	for i := range r {
		for j := range c {
			data = append(data, m.At(i, j))
		}
	}
	return v.constant(r, c, data)
}

// Row returns a constant of one row.
func (v Value) Row(values []float64) Value { return v.constant(1, len(values), slices.Clone(values)) }

// Number returns a constant of one number.
func (v Value) Number(n float64) Value { return v.constant(1, 1, []float64{n}) }

func (v Value) constant(rows, cols int, data []float64) Value {
	bytes := make([]byte, 0, 8*len(data))
	for _, f := range data {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(f))
	}
	digest := sha256.Sum256(bytes)
	return v.g.add(Node{Op: "Constant", Rows: rows, Cols: cols, Data: data}, string(digest[:]))
}

// IsZero reports whether v is the zero Value, of which operators make the zero Value again.
func (v Value) IsZero() bool { return v.g == nil }

// ID is the index of the operator among the Nodes of its graph.
func (v Value) ID() int { return v.id }

// Graph returns the graph that the value belongs to; nil for the zero Value.
func (v Value) Graph() *Graph { return v.g }

// Cols is the number of columns, 0 of the zero Value.
func (v Value) Cols() int {
	if v.IsZero() {
		return 0
	}
	return v.node().Cols
}

// node is empty for the zero Value.
func (v Value) node() (none Node) {
	if v.g == nil {
		return none
	}
	return v.g.nodes[v.id]
}

// String returns, for example, "Exp[-1×3]".
func (v Value) String() string {
	if v.IsZero() {
		return "none"
	}
	n := v.node()
	return strings.TrimSpace(fmt.Sprintf("%s[%d×%d]", n.Op, n.Rows, n.Cols))
}
