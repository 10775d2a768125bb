package sparse

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Rows is an immutable matrix of n rows and d columns in compressed row storage. It stores the nonzero entries of each row by
// ascending columns, with 16 bytes for each entry and 8 for each row. It implements [mat.Matrix] and [mat.RowNonZeroDoer], and is
// safe for concurrent use. The zero value has no rows.
type Rows struct {
	n, d   int
	start  []int // the entries of row i are those from start[i] up to but excluding start[i+1]
	column []int
	value  []float64
}

var (
	_ mat.Matrix         = (*Rows)(nil)
	_ mat.RowNonZeroDoer = (*Rows)(nil)
)

// NewRows returns the matrix with d columns whose row i has the values value[start[i]:start[i+1]] in the ascending columns
// column[start[i]:start[i+1]]. It takes ownership of the slices. It returns ErrShape if the slices do not match each other or d, or
// ErrNotFinite.
func NewRows(d int, start, column []int, value []float64) (*Rows, error) {
	if d < 1 {
		return nil, fault.Shape("sparse: Rows have", d, "columns", "want at least 1")
	}
	if len(start) < 1 || start[0] != 0 || start[len(start)-1] != len(value) || len(column) != len(value) || !slices.IsSorted(start) {
		return nil, fault.Shape("sparse: start has", len(start), "entries", "want one more than rows, ascending from 0 to %d values, "+
			"and as many columns (%d)", len(value), len(column))
	}
	for i := range len(start) - 1 {
		least := 0
		for at := start[i]; at < start[i+1]; at++ {
			if column[at] < least || column[at] >= d {
				return nil, fault.Shape("sparse: a row has an entry in column", column[at], "",
					"row %d has %d columns, and its entries ascend", i, d)
			}
			if v := value[at]; v-v != 0 {
				return nil, &fault.NotFiniteError{Name: "sparse: Rows", Row: i, Col: column[at], Value: v}
			}
			least = column[at] + 1
		}
	}
	return &Rows{n: len(start) - 1, d: d, start: start, column: column, value: value}, nil
}

// Is reports whether x lists the nonzero entries of its rows, as a [mat.RowNonZeroDoer] does.
func Is(x mat.Matrix) bool {
	_, ok := x.(mat.RowNonZeroDoer)
	return ok && !check.IsNil(x)
}

// From returns the rows of a matrix. It returns x itself if x is a *Rows, a copy of the entries if x is a [mat.RowNonZeroDoer], and
// otherwise a copy of the nonzero values. If a position occurs more than once, its values are added. It returns ErrShape if x is
// empty or has an entry outside its columns, or ErrNotFinite. Errors contain name.
func From(name string, x mat.Matrix) (*Rows, error) {
	doer, ok := x.(mat.RowNonZeroDoer)
	if !ok || check.IsNil(x) {
		d, err := check.Dense(name, x)
		if err != nil {
			return nil, err
		}
		return fromDense(d), nil
	}
	n, d := x.Dims()
	if n < 1 {
		return nil, fault.Shape(name+" has", n, "rows", "want at least 1")
	}
	if d < 1 {
		return nil, fault.Shape(name+" has", d, "columns", "want at least 1")
	}
	if r, ok := x.(*Rows); ok {
		return r, nil
	}
	return fromDoer(name, doer, n, d)
}

func fromDoer(name string, x mat.RowNonZeroDoer, n, d int) (*Rows, error) {
	r := &Rows{n: n, d: d, start: make([]int, n+1)}
	var wrong error
	for i := range n {
		first, ascending := len(r.column), true
		x.DoRowNonZero(i, func(_, j int, v float64) {
			switch {
			case j < 0 || j >= d:
				wrong = cmp.Or(wrong, fault.Shape(name+" has an entry in column", j, "of a row", "it has %d columns", d))
				return
			case v-v != 0:
				wrong = cmp.Or(wrong, error(&fault.NotFiniteError{Name: name, Row: i, Col: j, Value: v}))
				return
			}
			ascending = ascending && (len(r.column) == first || r.column[len(r.column)-1] < j)
			r.column, r.value = append(r.column, j), append(r.value, v)
		})
		if wrong != nil {
			return nil, wrong
		}
		if !ascending {
			r.sortFrom(first)
		}
		for at := first; at < len(r.value); at++ {
			if v := r.value[at]; v-v != 0 { // a sum may overflow
				return nil, &fault.NotFiniteError{Name: name, Row: i, Col: r.column[at], Value: v}
			}
		}
		r.start[i+1] = len(r.column)
	}
	return r, nil
}

// sortFrom sorts the entries of the last row, which begin at first, and adds values with the same position.
func (r *Rows) sortFrom(first int) {
	order := make([]int, len(r.column)-first)
	for i := range order {
		order[i] = first + i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.column[a], r.column[b]) })
	columns, values := make([]int, 0, len(order)), make([]float64, 0, len(order))
	for _, at := range order {
		if last := len(columns) - 1; last >= 0 && columns[last] == r.column[at] {
			values[last] += r.value[at]
			continue
		}
		columns, values = append(columns, r.column[at]), append(values, r.value[at])
	}
	r.column, r.value = append(r.column[:first], columns...), append(r.value[:first], values...)
}

func fromDense(x *mat.Dense) *Rows {
	n, d := x.Dims()
	r := &Rows{n: n, d: d, start: make([]int, n+1)}
	for i := range n {
		for j, v := range x.RawRowView(i) {
			if v != 0 {
				r.column, r.value = append(r.column, j), append(r.value, v)
			}
		}
		r.start[i+1] = len(r.column)
	}
	return r
}

// Dims returns the numbers of rows and columns.
func (r *Rows) Dims() (n, d int) { return r.n, r.d }

// At returns an element. Its cost is logarithmic in the number of entries in the row.
func (r *Rows) At(i, j int) float64 {
	columns, values := r.Row(i)
	if at, ok := slices.BinarySearch(columns, j); ok {
		return values[at]
	}
	return 0
}

// T returns the transpose, which does not list nonzero entries.
func (r *Rows) T() mat.Matrix { return mat.Transpose{Matrix: r} }

// DoRowNonZero calls f with each entry of row i, by ascending columns.
func (r *Rows) DoRowNonZero(i int, f func(i, j int, v float64)) {
	columns, values := r.Row(i)
	for at, j := range columns {
		f(i, j, values[at])
	}
}

// Entries returns the number of entries of all rows.
func (r *Rows) Entries() int {
	if r.n == 0 {
		return 0
	}
	return r.start[r.n] - r.start[0]
}

// Row returns the columns and values of the entries of row i. The caller must not change them.
func (r *Rows) Row(i int) (columns []int, values []float64) {
	return r.column[r.start[i]:r.start[i+1]], r.value[r.start[i]:r.start[i+1]]
}

// Slice returns the rows first to last-1, which share the memory of r.
func (r *Rows) Slice(first, last int) *Rows {
	return &Rows{n: last - first, d: r.d, start: r.start[first : last+1], column: r.column, value: r.value}
}

// Pick returns a copy of the rows with the given numbers, in the order of these numbers.
func (r *Rows) Pick(rows []int) *Rows {
	out := &Rows{n: len(rows), d: r.d, start: make([]int, 1, len(rows)+1)}
	for _, i := range rows {
		columns, values := r.Row(i)
		out.column, out.value = append(out.column, columns...), append(out.value, values...)
		out.start = append(out.start, len(out.column))
	}
	return out
}

// Map returns rows with entries at the same positions and new values. The function f receives the columns and values of a row and
// sets dst to the new values. If a value is not finite, Map returns ErrNotFinite.
func (r *Rows) Map(name string, f func(dst []float64, columns []int, values []float64)) (*Rows, error) {
	from, to := r.start[0], r.start[r.n]
	out := &Rows{n: r.n, d: r.d, start: make([]int, r.n+1), column: r.column[from:to], value: make([]float64, to-from)}
	for i := range r.n {
		columns, values := r.Row(i)
		first, last := r.start[i]-from, r.start[i+1]-from
		out.start[i+1] = last
		f(out.value[first:last], columns, values)
		for at, v := range out.value[first:last] {
			if v-v != 0 {
				return nil, &fault.NotFiniteError{Name: name, Row: i, Col: columns[at], Value: v}
			}
		}
	}
	return out, nil
}

// Dense returns the rows as a dense matrix of n·d numbers. It does not limit the size of this matrix.
func (r *Rows) Dense() *mat.Dense {
	out := mat.NewDense(r.n, r.d, nil)
	for i := range r.n {
		r.ScatterTo(out.RawRowView(i), i)
	}
	return out
}

// ScatterTo sets the elements of dst (d) in which row i has entries, and leaves the other elements unchanged.
func (r *Rows) ScatterTo(dst []float64, i int) {
	columns, values := r.Row(i)
	for at, j := range columns {
		dst[j] = values[at]
	}
}

// SquaredNorms returns the squared lengths of the rows.
func (r *Rows) SquaredNorms() []float64 {
	out := make([]float64, r.n)
	for i := range out {
		_, values := r.Row(i)
		for _, v := range values {
			out[i] += v * v
		}
	}
	return out
}

// Means returns the means of the columns.
func (r *Rows) Means() []float64 {
	out := make([]float64, r.d)
	for i := range r.n {
		columns, values := r.Row(i)
		for at, j := range columns {
			out[j] += values[at] / float64(r.n)
		}
	}
	return out
}

// SquaredDistance returns the squared distance between row i of r and row j of others. It sums the squared differences, and is
// accurate for close rows. Its cost is proportional to the number of entries in the two rows.
func (r *Rows) SquaredDistance(i int, others *Rows, j int) float64 {
	xc, xv := r.Row(i)
	zc, zv := others.Row(j)
	sum, a, b := 0.0, 0, 0
	for a < len(xc) && b < len(zc) {
		var v float64
		switch {
		case xc[a] < zc[b]:
			v = xv[a]
			a++
		case xc[a] > zc[b]:
			v = zv[b]
			b++
		default:
			v = xv[a] - zv[b]
			a, b = a+1, b+1
		}
		sum += v * v
	}
	for _, v := range xv[a:] {
		sum += v * v
	}
	for _, v := range zv[b:] {
		sum += v * v
	}
	return sum
}
