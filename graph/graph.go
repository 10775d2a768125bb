// Package graph writes the computation of a fitted model as a graph of primitive operators in double precision, such as sums,
// products, exponentials and comparisons. It is the layer between the models of this module and formats that other programs run.
// Package adapters/onnx writes a graph as an ONNX model.
//
// A fitted transformer or estimator with the capability [Grapher] adds its operators to the graph of its input rows, and returns
// the resulting values:
//
//	g, x := graph.New(d)
//	out, err := graph.Build(model, x) // model is fitted to d columns
//	y, err := g.Run(rows, out.Mean)
//
// Nearly all built-in transformers, pipelines, searches and estimators implement it. A third-party type may implement it, too: its
// Graph method performs the operations of Predict or Transform on Values instead of numbers. If a model cannot be written, the
// error wraps errors.ErrUnsupported and names the type.
//
// # Values
//
// A [Value] is a matrix. It has as many rows as the input, or any number of rows if it is constant. Its methods, such as v.Sub(w)
// and v.Exp(), return new values. Operators on two values repeat a single row or a single column as often as the other value
// requires. The same operator on the same values is added only once, so that outputs share common computations. The graph keeps the
// first mistake, such as the difference of a value with 3 columns and one with 4, as its error. Build and Run return this error, so
// calls can be chained.
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

// Grapher is the capability of a fitted transformer or estimator to write its computation as a graph.
type Grapher interface {
	// Graph adds the computation of Transform or Predict to the graph of the rows x. It returns ErrNotFitted, or ErrShape if the
	// number of columns of x differs from that of the training rows. If the computation has no graph, the error wraps
	// errors.ErrUnsupported.
	Graph(x Value) (Outputs, error)
}

// Outputs holds the results of a model for the rows of a graph. Results that the model does not provide are the zero Value.
type Outputs struct {
	// Rows holds the transformed rows of a transformer.
	Rows Value
	// Mean holds the predictions of a regressor, the predictions of a MultiRegressor with a column for each target, or the score of
	// a detector.
	Mean Value
	// Variance returns the variance of a new observation, with a column for each column of Mean. It is nil if the model has no
	// variance. It is a function because it may cost as much as the fit.
	Variance func() (Value, error)
	// Classes lists the labels of a classifier. Decision holds their scores, with a column for each label. Predict chooses the
	// label with the largest score, or the first one in a tie.
	Classes  []int
	Decision Value
	// Proba holds probabilities, with a column for each label in Classes.
	Proba Value
}

// Build returns the outputs of a fitted model for the rows x. If the model has no graph, the error names its type and wraps
// errors.ErrUnsupported. A type that embeds a Grapher does not inherit its graph, because its Predict may differ.
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

// Unsupported returns the error for a value that cannot be written as a graph. It wraps errors.ErrUnsupported.
func Unsupported(v any, why string) error {
	return fmt.Errorf("%T cannot be written as a graph of primitive operators, %s: %w", v, why, errors.ErrUnsupported)
}

// Columns returns an ErrShape error unless x has the number of columns to which a model was fitted.
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

// Node is an operator and its result. Op is the operator's name in opset 18 of ONNX, "Input" for the rows of the graph, or
// "Constant".
type Node struct {
	Op      string
	Inputs  []int // indices of nodes
	Kind    Kind
	Rows    int // number of rows, or Batch
	Cols    int
	Axis    int       // for Concat, Gather, ArgMax and reductions, which keep the axis with length 1
	Indices []int     // of Gather
	Data    []float64 // for Constant, row by row; must not be changed
}

// Graph is a directed graph of operators. New returns one.
type Graph struct {
	nodes []Node
	known map[string]int // nodes by their operator and inputs
	err   error
}

// Value is the result of an operator. The zero value belongs to no graph.
type Value struct {
	g  *Graph
	id int
}

// Batch is the number of rows of a value that has as many rows as the input.
const Batch = -1

// New returns a graph and its input, a Value with the given number of columns.
func New(columns int) (*Graph, Value) {
	g := &Graph{known: map[string]int{}}
	return g, g.add(Node{Op: "Input", Rows: Batch, Cols: columns}, "")
}

// Nodes returns the operators in an order in which each follows its inputs. The caller must not change them.
func (g *Graph) Nodes() []Node { return g.nodes }

// Err returns the first mistake in the construction of the graph, or nil.
func (g *Graph) Err() error { return g.err }

// Needed returns the indices of the operators on which these values depend, in ascending order.
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

// add adds a node and returns its value. If the graph contains an equal node, add returns the value of that node. data
// distinguishes constants.
func (g *Graph) add(n Node, data string) Value {
	if g == nil { // v is the zero Value
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

// Constant returns the matrix m as a constant in the graph of v.
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

// Row returns a constant with one row, in the graph of v.
func (v Value) Row(values []float64) Value { return v.constant(1, len(values), slices.Clone(values)) }

// Number returns a constant with one element, in the graph of v.
func (v Value) Number(n float64) Value { return v.constant(1, 1, []float64{n}) }

func (v Value) constant(rows, cols int, data []float64) Value {
	bytes := make([]byte, 0, 8*len(data))
	for _, f := range data {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(f))
	}
	digest := sha256.Sum256(bytes)
	return v.g.add(Node{Op: "Constant", Rows: rows, Cols: cols, Data: data}, string(digest[:]))
}

// IsZero reports whether v is the zero Value. Operators on the zero Value return the zero Value.
func (v Value) IsZero() bool { return v.g == nil }

// ID returns the index of the operator among the Nodes of its graph.
func (v Value) ID() int { return v.id }

// Graph returns the graph of the value. It is nil for the zero Value.
func (v Value) Graph() *Graph { return v.g }

// Cols returns the number of columns. It is 0 for the zero Value.
func (v Value) Cols() int {
	if v.IsZero() {
		return 0
	}
	return v.node().Cols
}

// node returns the operator of v. It is empty for the zero Value.
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
