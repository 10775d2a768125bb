package blocks

import (
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// Lengths are lengths of columns.
type Lengths struct {
	Of []float64
	// Groups has the index of the length of each column. Nil: each column has its own.
	Groups []int
	// Categories are columns of which only equality counts: no part of the distance.
	Categories []int
}

// Columns returns how many columns the rows have.
func (l Lengths) Columns() int {
	if l.Groups != nil {
		return len(l.Groups)
	}
	return len(l.Of)
}

// Group returns the index of the length of a column.
func (l Lengths) Group(column int) int {
	if l.Groups != nil {
		return l.Groups[column]
	}
	return column
}

// Inverse sets dst, in the memory it has where that is enough, to one over the length of each column, of Categories to 0, and
// returns it.
func (l Lengths) Inverse(dst []float64) []float64 {
	d := l.Columns()
	dst = slices.Grow(dst[:0], d)[:d]
	for j := range dst {
		dst[j] = 1 / l.Of[l.Group(j)]
	}
	for _, j := range l.Categories {
		dst[j] = 0
	}
	return dst
}

// Rates returns one over the length of each of Categories.
func (l Lengths) Rates() []float64 {
	out := make([]float64, len(l.Categories))
	for i, j := range l.Categories {
		out[i] = 1 / l.Of[l.Group(j)]
	}
	return out
}

// SetApart sets the entries of Categories, of a row z over the lengths where x has 0, to the distances of the two rows.
func (l Lengths) SetApart(scaled, x, z []float64) {
	for _, j := range l.Categories {
		scaled[j] = 0
		if x[j] != z[j] {
			scaled[j] = 1 / l.Of[l.Group(j)]
		}
	}
}

// Scale returns what takes rows to a copy over the lengths.
func (l Lengths) Scale() func(rows *mat.Dense) *mat.Dense {
	return func(rows *mat.Dense) *mat.Dense {
		s := Scaler{Inverse: l.Inverse(nil)}
		r, c := rows.Dims()
		out := mat.NewDense(r, c, nil)
		for i := range r {
			s.Scale(out.RawRowView(i), rows.RawRowView(i))
		}
		return out
	}
}

// Scaler takes rows over lengths. It has memory for two of them.
type Scaler struct{ Inverse, X, Z []float64 }

var scalers = sync.Pool{New: func() any { return new(Scaler) }}

// Scaler borrows one, to be freed, with x over the lengths in X.
func (l Lengths) Scaler(x []float64) *Scaler {
	s := scalers.Get().(*Scaler)
	s.Inverse = l.Inverse(s.Inverse)
	d := len(s.Inverse)
	s.X, s.Z = slices.Grow(s.X[:0], d)[:d], slices.Grow(s.Z[:0], d)[:d]
	s.Scale(s.X, x)
	return s
}

// Free gives the memory back.
func (s *Scaler) Free() { scalers.Put(s) }

// Scale sets dst to a row over the lengths.
func (s *Scaler) Scale(dst, row []float64) {
	CheckColumns(len(row), len(s.Inverse))
	for j, v := range row {
		dst[j] = v * s.Inverse[j]
	}
}

// CheckColumns panics unless a row has as many columns as there are lengths of.
func CheckColumns(got, want int) {
	if got != want {
		panic(fmt.Sprintf("kernels: ARD of %d columns: a row of %d", want, got))
	}
}
