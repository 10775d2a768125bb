package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Run computes values for the rows of x, operator by operator. It is intended for tests of Graph methods. Values of Kind Bool are
// returned as 0 and 1. A constant keeps its own number of rows. Both x and the results may contain NaN.
func (g *Graph) Run(x mat.Matrix, values ...Value) ([]*mat.Dense, error) {
	if g.err != nil {
		return nil, g.err
	}
	in, err := check.DenseGaps("x", x, check.Anywhere)
	if err != nil {
		return nil, err
	}
	if err := check.Columns("x", in, g.nodes[0].Cols); err != nil {
		return nil, err
	}
	for i, v := range values {
		if v.g != g {
			return nil, fault.Param("graph: Run", fmt.Sprintf("values[%d]", i), v.String(), "a value of this graph")
		}
	}
	have := map[int]*mat.Dense{0: in}
	for _, id := range g.Needed(values...) {
		if id == 0 {
			continue
		}
		n := g.nodes[id]
		inputs := make([]*mat.Dense, len(n.Inputs))
		for i, from := range n.Inputs {
			inputs[i] = have[from]
		}
		have[id] = n.run(inputs)
	}
	out := make([]*mat.Dense, len(values))
	for i, v := range values {
		out[i] = mat.DenseCopyOf(have[v.id])
	}
	return out, nil
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var unaries = map[string]func(a float64) float64{
	"Neg": func(a float64) float64 { return -a }, "Abs": math.Abs, "Sqrt": math.Sqrt, "Exp": math.Exp, "Log": math.Log,
	"Sin": math.Sin, "Cos": math.Cos, "Tanh": math.Tanh,
	"IsNaN": func(a float64) float64 { return truth(math.IsNaN(a)) }, "Not": func(a float64) float64 { return 1 - a },
	"Cast": func(a float64) float64 { return a },
}

var binaries = map[string]func(a, b float64) float64{
	"Add": func(a, b float64) float64 { return a + b }, "Sub": func(a, b float64) float64 { return a - b },
	"Mul": func(a, b float64) float64 { return a * b }, "Div": func(a, b float64) float64 { return a / b },
	"Max": math.Max, "Min": math.Min,
	"Less": func(a, b float64) float64 { return truth(a < b) }, "LessOrEqual": func(a, b float64) float64 { return truth(a <= b) },
	"Greater": func(a, b float64) float64 { return truth(a > b) }, "GreaterOrEqual": func(a, b float64) float64 { return truth(a >= b) },
	"Equal": func(a, b float64) float64 { return truth(a == b) },
	"And":   func(a, b float64) float64 { return a * b }, "Or": math.Max,
}

// elementOrScalar returns element i, j of m, where a single row or column of m is repeated.
func elementOrScalar(m *mat.Dense, i, j int) float64 {
	raw := m.RawMatrix()
	return raw.Data[min(i, raw.Rows-1)*raw.Stride+min(j, raw.Cols-1)]
}

// run computes one operator.
func (n Node) run(in []*mat.Dense) *mat.Dense {
	switch n.Op {
	case "Constant":
		return mat.NewDense(n.Rows, n.Cols, n.Data)
	case "MatMul":
		var out mat.Dense
		fast.Mul(&out, in[0], in[1])
		return &out
	}
	rows := 1
	for _, m := range in {
		r, _ := m.Dims()
		rows = max(rows, r)
	}
	out := mat.NewDense(rows, n.Cols, nil)
	for i := range rows {
		n.row(out.RawRowView(i), in, i)
	}
	return out
}

func (n Node) row(dst []float64, in []*mat.Dense, i int) {
	if one, ok := unaries[n.Op]; ok {
		for j := range dst {
			dst[j] = one(elementOrScalar(in[0], i, j))
		}
		return
	}
	if two, ok := binaries[n.Op]; ok {
		for j := range dst {
			dst[j] = two(elementOrScalar(in[0], i, j), elementOrScalar(in[1], i, j))
		}
		return
	}
	switch n.Op {
	case "Where":
		for j := range dst {
			dst[j] = elementOrScalar(in[2], i, j)
			if elementOrScalar(in[0], i, j) != 0 {
				dst[j] = elementOrScalar(in[1], i, j)
			}
		}
	case "Gather":
		for j, c := range n.Indices {
			dst[j] = in[0].At(i, c)
		}
	case "Concat":
		k := 0
		for _, m := range in {
			k += copy(dst[k:], m.RawRowView(i))
		}
	default:
		dst[0] = reduced(n.Op, in[0].RawRowView(i))
	}
}

func reduced(op string, row []float64) float64 {
	out, best := row[0], 0
	for j, v := range row[1:] {
		switch {
		case op == "ReduceSum":
			out += v
		case op == "ReduceMin":
			out = math.Min(out, v)
		case v > row[best]:
			best = j + 1
		}
	}
	switch op {
	case "ReduceMax":
		return row[best]
	case "ArgMax":
		return float64(best)
	}
	return out
}
