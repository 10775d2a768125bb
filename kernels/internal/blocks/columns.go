package blocks

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Columns compiles a kernel of some columns of the rows.
func (l *Layout) Columns(of []int, compile func(l *Layout) Part) Part {
	p := selected{of: of}
	p.inner, p.view = l.view(compile, SelectColumns(of))
	return p
}

// SelectColumns returns a function that copies the columns with these indices from a matrix of rows.
func SelectColumns(of []int) func(rows *mat.Dense) *mat.Dense {
	return func(rows *mat.Dense) *mat.Dense {
		r, _ := rows.Dims()
		out := mat.NewDense(r, len(of), nil)
		for i := range r {
			oi, row := out.RawRowView(i), rows.RawRowView(i)
			for c, j := range of {
				oi[c] = row[j]
			}
		}
		return out
	}
}

// selected is a part on some columns.
type selected struct {
	of    []int
	inner Part
	view  int // index of the view among the operands
}

func (p selected) diag(dst []float64, x *operand) { p.inner.diag(dst, x.views[p.view]) }

func (p selected) block(dst *mat.Dense, x, z *operand) {
	p.inner.block(dst, x.views[p.view], z.views[p.view])
}

func (p selected) params() int       { return p.inner.params() }
func (p selected) stretchable() bool { return p.inner.stretchable() }

func (p selected) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	addGradient(p.inner, dst, w, x.views[p.view], z.views[p.view])
}

func (p selected) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	columns := make([]float64, len(p.of))
	p.inner.stretch(columns, w, x.views[p.view], z.views[p.view])
	for i, j := range p.of {
		dst[j] += columns[i]
	}
}

// Lengths compiles a kernel of rows divided by lengths. The parameter with index skip is not learnt, unless skip is -1. Lengths
// reports whether the kernel has the required derivatives.
func (l *Layout) Lengths(of Lengths, skip int, compile func(l *Layout) Part) (_ Part, ok bool) {
	p := stretched{of: of, skip: skip}
	p.inner, p.view = l.view(compile, of.Scale())
	if len(of.Categories) > 0 {
		l.dense = true
		v := l.views[p.view]
		v.categories, v.rates = slices.Clone(of.Categories), of.Rates()
	}
	return p, !l.derivatives || p.stretchable()
}

// stretched is a part on rows divided by lengths.
type stretched struct {
	of    Lengths
	skip  int // as in learnt
	inner Part
	view  int // index of the view among the operands
}

func (p stretched) diag(dst []float64, x *operand) { p.inner.diag(dst, x.views[p.view]) }

func (p stretched) block(dst *mat.Dense, x, z *operand) {
	p.inner.block(dst, x.views[p.view], z.views[p.view])
}

func (p stretched) params() int       { return len(p.of.Of) + learnt(p.inner, p.skip) }
func (p stretched) stretchable() bool { return p.inner.stretchable() }

func (p stretched) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	columns := make([]float64, p.of.Columns())
	p.inner.stretch(columns, w, x.views[p.view], z.views[p.view])
	for j, v := range columns {
		dst[p.of.Group(j)] += v
	}
	addLearnt(p.inner, p.skip, dst[len(p.of.Of):], w, x.views[p.view], z.views[p.view])
}

// learnt returns the number of parameters of a part that are learnt: all except the one with index skip, unless skip is -1.
func learnt(p Part, skip int) int {
	if skip < 0 {
		return p.params()
	}
	return p.params() - 1
}

// addLearnt is like addGradient, for the parameters that are learnt.
func addLearnt(p Part, skip int, dst []float64, w *mat.Dense, x, z *operand) {
	if len(dst) == 0 {
		return
	}
	inner := make([]float64, p.params())
	addGradient(p, inner, w, x, z)
	floats.Add(dst, skipping(inner, skip))
}

// skipping returns the values without the one with index skip, unless skip is -1.
func skipping(values []float64, skip int) []float64 {
	if skip < 0 {
		return values
	}
	return append(slices.Clone(values[:skip]), values[skip+1:]...)
}

// stretch adds the derivatives with respect to further lengths around these lengths. Both apply to the same columns, except those
// of categories, whose distances stay the same.
func (p stretched) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	columns := make([]float64, p.of.Columns())
	p.inner.stretch(columns, w, x.views[p.view], z.views[p.view])
	for _, j := range p.of.Categories {
		columns[j] = 0
	}
	floats.Add(dst, columns)
}
