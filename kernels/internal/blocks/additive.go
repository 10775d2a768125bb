package blocks

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Additive compiles a sum over columns of a radial kernel. Each column has a length and a variance. The parameter with index skip
// of the radial kernel is not learnt, unless skip is -1. Additive reports whether the radial kernel has the required derivatives.
func (l *Layout) Additive(lengths, variances []float64, of Radial, skip int) (_ Part, ok bool) {
	p := additive{variances: variances, inner: of, skip: skip, view: l.rowsView(needColumns, Lengths{Of: lengths}.Scale())}
	return p, !l.derivatives || of.stretchable()
}

// additive makes a pass over the pairs for each column.
type additive struct {
	variances []float64
	inner     Radial
	skip      int
	view      int // view of the rows divided by their lengths
}

func (p additive) diag(dst []float64, _ *operand) {
	total, zero := 0.0, []float64{0}
	p.inner.Values(zero, zero)
	for j := range p.variances {
		total += p.variances[j] * zero[0]
	}
	setAll(dst, total)
}

// eachColumn calls the function do for each column, with the squared distances of row i of x and all rows of z.
func (p additive) eachColumn(x, z *operand, do func(i, column int, squared []float64)) {
	squared := make([]float64, z.len())
	rows, columns := x.views[p.view].moved, z.views[p.view].movedTrans
	for i := range x.len() {
		for c, v := range rows.RawRowView(i) {
			for j, u := range columns.RawRowView(c) {
				squared[j] = (v - u) * (v - u)
			}
			do(i, c, squared)
		}
	}
}

func (p additive) block(dst *mat.Dense, x, z *operand) {
	for i := range x.len() {
		clear(dst.RawRowView(i))
	}
	p.eachColumn(x, z, func(i, c int, squared []float64) {
		p.inner.Values(squared, squared)
		floats.AddScaled(dst.RawRowView(i), p.variances[c], squared)
	})
}

func (p additive) params() int       { return 2*len(p.variances) + learnt(p.inner, p.skip) }
func (p additive) stretchable() bool { return p.inner.stretchable() }

func (p additive) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	d := len(p.variances)
	values, inner := make([]float64, z.len()), make([]float64, p.inner.params())
	p.eachColumn(x, z, func(i, c int, squared []float64) {
		wi, v := w.RawRowView(i), p.variances[c]
		p.inner.Values(values, squared)
		dst[d+c] += v * floats.Dot(wi, values)
		if len(dst) > 2*d {
			clear(inner)
			p.shapes(inner, wi, squared)
			for q, g := range skipping(inner, p.skip) {
				dst[2*d+q] += v * g
			}
		}
		p.inner.Slopes(values, squared)
		floats.Mul(values, squared)
		dst[c] += v * floats.Dot(wi, values)
	})
}

// shapes adds the derivatives with respect to the parameters of κ at squared distances, with weights w.
func (p additive) shapes(dst, w, squared []float64) {
	row := make([]float64, len(squared))
	if p.inner.ParamSlopes != nil {
		for q := range dst {
			p.inner.ParamSlopes(q, row, squared)
			dst[q] += floats.Dot(w, row)
		}
		return
	}
	pair := make([]float64, len(dst))
	for j, s := range squared {
		p.inner.EvalGradient(pair, []float64{math.Sqrt(s)}, []float64{0})
		floats.AddScaled(dst, w[j], pair)
	}
}

func (p additive) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	values := make([]float64, z.len())
	p.eachColumn(x, z, func(i, c int, squared []float64) {
		p.inner.Slopes(values, squared)
		floats.Mul(values, squared)
		dst[c] += p.variances[c] * floats.Dot(w.RawRowView(i), values)
	})
}
