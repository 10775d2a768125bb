package graph

import "slices"

// broadcast returns the common size of a dimension of two values. It returns false if the sizes are incompatible.
func broadcast(a, b int) (int, bool) {
	switch {
	case a == b, b == 1:
		return a, true
	case a == 1:
		return b, true
	}
	return 0, false
}

// elementwise adds an operator on values of compatible shapes.
func elementwise(op string, kind Kind, values ...Value) Value {
	first := values[0]
	n := Node{Op: op, Kind: kind, Rows: 1, Cols: 1}
	for _, v := range values {
		if v.g != first.g || v.g == nil {
			return first.g.fail("%s of values from different graphs", op)
		}
		in, okRows, okCols := v.node(), false, false
		if n.Rows, okRows = broadcast(n.Rows, in.Rows); okRows {
			n.Cols, okCols = broadcast(n.Cols, in.Cols)
		}
		if !okRows || !okCols {
			return first.g.fail("%s of %v", op, values)
		}
		n.Inputs = append(n.Inputs, v.id)
	}
	return first.g.add(n, "")
}

// Add returns v + w.
func (v Value) Add(w Value) Value { return elementwise("Add", Double, v, w) }

// Sub returns v - w.
func (v Value) Sub(w Value) Value { return elementwise("Sub", Double, v, w) }

// Mul returns v times w, element by element.
func (v Value) Mul(w Value) Value { return elementwise("Mul", Double, v, w) }

// Div returns v / w.
func (v Value) Div(w Value) Value { return elementwise("Div", Double, v, w) }

// Max returns the larger of v and w. Neither may be NaN.
func (v Value) Max(w Value) Value { return elementwise("Max", Double, v, w) }

// Min returns the smaller of v and w. Neither may be NaN.
func (v Value) Min(w Value) Value { return elementwise("Min", Double, v, w) }

// Times returns v times a number.
func (v Value) Times(n float64) Value {
	if n == 1 {
		return v
	}
	return v.Mul(v.Number(n))
}

// Plus returns the sum of v and a number.
func (v Value) Plus(n float64) Value {
	if n == 0 {
		return v
	}
	return v.Add(v.Number(n))
}

// Neg returns -v.
func (v Value) Neg() Value { return elementwise("Neg", Double, v) }

// Abs returns |v|.
func (v Value) Abs() Value { return elementwise("Abs", Double, v) }

// Sqrt returns √v.
func (v Value) Sqrt() Value { return elementwise("Sqrt", Double, v) }

// Exp returns e to the power of v.
func (v Value) Exp() Value { return elementwise("Exp", Double, v) }

// Log returns ln v.
func (v Value) Log() Value { return elementwise("Log", Double, v) }

// Sin returns the sine.
func (v Value) Sin() Value { return elementwise("Sin", Double, v) }

// Cos returns the cosine.
func (v Value) Cos() Value { return elementwise("Cos", Double, v) }

// Tanh returns the hyperbolic tangent.
func (v Value) Tanh() Value { return elementwise("Tanh", Double, v) }

// Square returns v times v.
func (v Value) Square() Value { return v.Mul(v) }

// Less returns whether v < w, as a value of Kind Bool.
func (v Value) Less(w Value) Value { return elementwise("Less", Bool, v, w) }

// LessOrEqual returns whether v ≤ w.
func (v Value) LessOrEqual(w Value) Value { return elementwise("LessOrEqual", Bool, v, w) }

// Greater returns whether v > w.
func (v Value) Greater(w Value) Value { return elementwise("Greater", Bool, v, w) }

// GreaterOrEqual returns whether v ≥ w.
func (v Value) GreaterOrEqual(w Value) Value { return elementwise("GreaterOrEqual", Bool, v, w) }

// Equal returns whether v = w.
func (v Value) Equal(w Value) Value { return elementwise("Equal", Bool, v, w) }

// IsNaN returns whether v is NaN.
func (v Value) IsNaN() Value { return elementwise("IsNaN", Bool, v) }

// And returns whether v and w are true.
func (v Value) And(w Value) Value { return elementwise("And", Bool, v, w) }

// Or returns whether v or w is true.
func (v Value) Or(w Value) Value { return elementwise("Or", Bool, v, w) }

// Not returns whether v is false.
func (v Value) Not() Value { return elementwise("Not", Bool, v) }

// Where returns the elements of yes where v, of Kind Bool, is true, and the elements of no elsewhere.
func (v Value) Where(yes, no Value) Value { return elementwise("Where", Double, v, yes, no) }

// Indicator returns 1 where v, of Kind Bool, is true, and 0 elsewhere.
func (v Value) Indicator() Value { return elementwise("Cast", Double, v) }

// MatMul returns the matrix product of v and w. The number of rows of w must equal the number of columns of v.
func (v Value) MatMul(w Value) Value {
	a, b := v.node(), w.node()
	if a.Cols != b.Rows || v.g != w.g {
		return v.g.fail("MatMul of %v and %v", v, w)
	}
	return v.g.add(Node{Op: "MatMul", Inputs: []int{v.id, w.id}, Rows: a.Rows, Cols: b.Cols}, "")
}

// reduce adds an operator that reduces all columns to one.
func (v Value) reduce(op string, kind Kind) Value {
	return v.g.add(Node{Op: op, Inputs: []int{v.id}, Kind: kind, Rows: v.node().Rows, Cols: 1, Axis: 1}, "")
}

// Sum returns the sum of the columns, as one column.
func (v Value) Sum() Value { return v.reduce("ReduceSum", Double) }

// Largest returns the largest value among the columns, as one column.
func (v Value) Largest() Value { return v.reduce("ReduceMax", Double) }

// Least returns the smallest value among the columns, as one column.
func (v Value) Least() Value { return v.reduce("ReduceMin", Double) }

// ArgMax returns the index of the largest column, or of the first one in a tie, of Kind Int64.
func (v Value) ArgMax() Value { return v.reduce("ArgMax", Int64) }

// Select returns the columns with these indices, in this order.
func (v Value) Select(columns ...int) Value {
	n := v.node()
	identity := len(columns) == n.Cols
	for i, c := range columns {
		if c < 0 || c >= n.Cols {
			return v.g.fail("column %d of %v", c, v)
		}
		identity = identity && i == c
	}
	if identity {
		return v
	}
	return v.g.add(Node{Op: "Gather", Inputs: []int{v.id}, Kind: n.Kind, Rows: n.Rows, Cols: len(columns), Axis: 1,
		Indices: slices.Clone(columns)}, "")
}

// Concat returns the columns of all values side by side. The values must have the same number of rows.
func Concat(values ...Value) Value {
	switch len(values) {
	case 0:
		return Value{}
	case 1:
		return values[0]
	}
	first := values[0].node()
	n := Node{Op: "Concat", Kind: first.Kind, Rows: first.Rows, Axis: 1}
	for _, v := range values {
		in := v.node()
		if v.g != values[0].g || in.Rows != first.Rows || in.Kind != first.Kind {
			return values[0].g.fail("Concat of %v", values)
		}
		n.Inputs, n.Cols = append(n.Inputs, v.id), n.Cols+in.Cols
	}
	return values[0].g.add(n, "")
}
