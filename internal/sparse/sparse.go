// Package sparse holds rows of which most values are 0, as those of words are, by the values that are not.
package sparse

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Rows are n rows of d columns. The entries of row i are Start[i] to Start[i+1], by ascending columns.
type Rows struct {
	N, D   int
	Start  []int
	Column []int
	Value  []float64
}

// Is reports whether a matrix says of its rows which values are not 0.
func Is(x mat.Matrix) bool {
	_, ok := x.(mat.RowNonZeroDoer)
	return ok && !check.IsNil(x)
}

// NewRows returns the rows of a matrix, a copy: what x says that it has where it is a [mat.RowNonZeroDoer], and what is not 0 of any
// other. Values of a place that is named more than once are added. Errors: ErrShape for an empty x and for a column that it does not
// have, ErrNotFinite.
func NewRows(name string, x mat.Matrix) (*Rows, error) {
	of, ok := x.(mat.RowNonZeroDoer)
	if !ok || check.IsNil(x) {
		d, err := check.Dense(name, x)
		if err != nil {
			return nil, err
		}
		return ofDense(d), nil
	}
	n, d := x.Dims()
	if n < 1 {
		return nil, fault.Shape(name+" has", n, "rows", "want at least 1")
	}
	if d < 1 {
		return nil, fault.Shape(name+" has", d, "columns", "want at least 1")
	}
	r := &Rows{N: n, D: d, Start: make([]int, n+1)}
	var wrong error
	for i := range n {
		first, ascending := len(r.Column), true
		of.DoRowNonZero(i, func(_, j int, v float64) {
			switch {
			case j < 0 || j >= d:
				wrong = cmp.Or(wrong, fault.Shape(name+" has an entry in column", j, "of a row", "it has %d columns", d))
				return
			case v-v != 0:
				wrong = cmp.Or(wrong, error(&fault.NotFiniteError{Name: name, Row: i, Col: j, Value: v}))
				return
			}
			ascending = ascending && (len(r.Column) == first || r.Column[len(r.Column)-1] < j)
			r.Column, r.Value = append(r.Column, j), append(r.Value, v)
		})
		if wrong != nil {
			return nil, wrong
		}
		if !ascending {
			r.sortFrom(first)
		}
		for at := first; at < len(r.Value); at++ {
			if v := r.Value[at]; v-v != 0 { // a sum
				return nil, &fault.NotFiniteError{Name: name, Row: i, Col: r.Column[at], Value: v}
			}
		}
		r.Start[i+1] = len(r.Column)
	}
	return r, nil
}

// sortFrom puts the last row in order, and adds what is of one place.
func (r *Rows) sortFrom(first int) {
	order := make([]int, len(r.Column)-first)
	for i := range order {
		order[i] = first + i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Column[a], r.Column[b]) })
	columns, values := make([]int, 0, len(order)), make([]float64, 0, len(order))
	for _, at := range order {
		if last := len(columns) - 1; last >= 0 && columns[last] == r.Column[at] {
			values[last] += r.Value[at]
			continue
		}
		columns, values = append(columns, r.Column[at]), append(values, r.Value[at])
	}
	r.Column, r.Value = append(r.Column[:first], columns...), append(r.Value[:first], values...)
}

func ofDense(x *mat.Dense) *Rows {
	n, d := x.Dims()
	r := &Rows{N: n, D: d, Start: make([]int, n+1)}
	for i := range n {
		for j, v := range x.RawRowView(i) {
			if v != 0 {
				r.Column, r.Value = append(r.Column, j), append(r.Value, v)
			}
		}
		r.Start[i+1] = len(r.Column)
	}
	return r
}

// Row returns the columns and values of a row, which are not to be changed.
func (r *Rows) Row(i int) (columns []int, values []float64) {
	return r.Column[r.Start[i]:r.Start[i+1]], r.Value[r.Start[i]:r.Start[i+1]]
}

// Slice returns the rows from one to before another, which shares the entries.
func (r *Rows) Slice(from, to int) *Rows {
	return &Rows{N: to - from, D: r.D, Start: r.Start[from : to+1], Column: r.Column, Value: r.Value}
}

// Pick returns a copy of some rows.
func (r *Rows) Pick(rows []int) *Rows {
	out := &Rows{N: len(rows), D: r.D, Start: make([]int, 1, len(rows)+1)}
	for _, i := range rows {
		columns, values := r.Row(i)
		out.Column, out.Value = append(out.Column, columns...), append(out.Value, values...)
		out.Start = append(out.Start, len(out.Column))
	}
	return out
}

// Dense returns the rows as a dense matrix.
func (r *Rows) Dense() *mat.Dense {
	out := mat.NewDense(r.N, r.D, nil)
	for i := range r.N {
		to := out.RawRowView(i)
		columns, values := r.Row(i)
		for at, j := range columns {
			to[j] = values[at]
		}
	}
	return out
}

// SquaredNorms are those of the rows.
func (r *Rows) SquaredNorms() []float64 {
	out := make([]float64, r.N)
	for i := range out {
		_, values := r.Row(i)
		for _, v := range values {
			out[i] += v * v
		}
	}
	return out
}

// Means are those of the columns.
func (r *Rows) Means() []float64 {
	out := make([]float64, r.D)
	for i := range r.N {
		columns, values := r.Row(i)
		for at, j := range columns {
			out[j] += values[at] / float64(r.N)
		}
	}
	return out
}

// SquaredDistance is that of the i-th row and the j-th one of others, from the differences, so that it is
// exact where they are close. Cost: the entries of both.
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

// Columns are rows by their columns: what products with other rows want.
type Columns struct {
	at    map[int]int // of a column its place in start; nil where that is the column
	start []int
	row   []int
	value []float64
	from  int // the first row that counts
}

// manyColumns for each entry are found by a map, so that memory is by the entries and not by the columns, of which hashed words may
// have billions.
const manyColumns = 8

// ByColumns returns them. Cost and memory: the entries.
func (r *Rows) ByColumns() *Columns {
	entries := r.Start[r.N] - r.Start[0]
	c := &Columns{row: make([]int, entries), value: make([]float64, entries)}
	places := r.D
	if r.D/manyColumns > entries+1<<12 {
		c.at = map[int]int{}
		for _, j := range r.Column[r.Start[0]:r.Start[r.N]] {
			if _, ok := c.at[j]; !ok {
				c.at[j] = len(c.at)
			}
		}
		places = len(c.at)
	}
	c.start = make([]int, places+1)
	for _, j := range r.Column[r.Start[0]:r.Start[r.N]] {
		c.start[c.position(j)+1]++
	}
	for j := range places {
		c.start[j+1] += c.start[j]
	}
	next := slices.Clone(c.start)
	for i := range r.N {
		columns, values := r.Row(i)
		for at, j := range columns {
			j = c.position(j)
			c.row[next[j]], c.value[next[j]] = i, values[at]
			next[j]++
		}
	}
	return c
}

// position is where a column stands in start, -1 where it has no entries.
func (c *Columns) position(column int) int {
	if c.at == nil {
		return column
	}
	if at, ok := c.at[column]; ok {
		return at
	}
	return -1
}

// Tail returns the rows from one on, which shares all.
func (c *Columns) Tail(first int) *Columns {
	out := *c
	out.from += first
	return &out
}

// Products sets dst to the inner products of a row with the rows of c. The products of an entry each are added by
// ascending columns, so that a pair has the same sum whatever the rest is, and in either order.
func (c *Columns) Products(dst []float64, columns []int, values []float64) {
	clear(dst)
	for at, j := range columns {
		if j = c.position(j); j < 0 {
			continue
		}
		rows, others := c.row[c.start[j]:c.start[j+1]], c.value[c.start[j]:c.start[j+1]]
		if c.from > 0 {
			first, _ := slices.BinarySearch(rows, c.from)
			rows, others = rows[first:], others[first:]
		}
		v := values[at]
		for k, i := range rows {
			dst[i-c.from] += v * others[k]
		}
	}
}
