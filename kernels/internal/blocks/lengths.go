package blocks

import (
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// Lengths holds the lengths of columns.
type Lengths struct {
	Of []float64
	// Groups holds the index of the length of each column. If it is nil, each column has its own length.
	Groups []int
	// Categories are columns in which only equality matters. They are not part of the distance.
	Categories []int
}

// Columns returns the number of columns of the rows.
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

// Inverse sets dst to the reciprocal of the length of each column, and to 0 for Categories, and returns it. It reuses the memory of
// dst if that suffices.
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

// Rates returns the reciprocal of the length of each of Categories.
func (l Lengths) Rates() []float64 {
	out := make([]float64, len(l.Categories))
	for i, j := range l.Categories {
		out[i] = 1 / l.Of[l.Group(j)]
	}
	return out
}

// SetApart sets the entries of Categories in a scaled row to the distances between x and z. The other scaled row has 0 there.
func (l Lengths) SetApart(scaled, x, z []float64) {
	for _, j := range l.Categories {
		scaled[j] = 0
		if x[j] != z[j] {
			scaled[j] = 1 / l.Of[l.Group(j)]
		}
	}
}

// Scale returns a function that returns a copy of rows divided by the lengths.
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

// Scaler divides rows by lengths. It holds memory for two rows.
type Scaler struct{ Inverse, X, Z []float64 }

var scalers = sync.Pool{New: func() any { return new(Scaler) }}

// Scaler returns a Scaler whose X holds x divided by the lengths. The caller must free it.
func (l Lengths) Scaler(x []float64) *Scaler {
	s := scalers.Get().(*Scaler)
	s.Inverse = l.Inverse(s.Inverse)
	d := len(s.Inverse)
	s.X, s.Z = slices.Grow(s.X[:0], d)[:d], slices.Grow(s.Z[:0], d)[:d]
	s.Scale(s.X, x)
	return s
}

// Free returns the memory.
func (s *Scaler) Free() { scalers.Put(s) }

// Scale sets dst to a row divided by the lengths.
func (s *Scaler) Scale(dst, row []float64) {
	CheckColumns(len(row), len(s.Inverse))
	for j, v := range row {
		dst[j] = v * s.Inverse[j]
	}
}

// CheckColumns panics unless a row has a column for each length.
func CheckColumns(got, want int) {
	if got != want {
		panic(fmt.Sprintf("kernels: ARD of %d columns: a row of %d", want, got))
	}
}
