package blocks

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// ColumnValue returns the value for a column, from one value for each column or one for all.
func ColumnValue(values []float64, column int) float64 {
	switch len(values) {
	case 0:
		return 1
	case 1:
		return values[0]
	}
	return values[column]
}

// Circles compiles the RBF exp(-s/2) of the rows as points on circles of radius 1/l, whose squared distances s are 4 sin²(πD/p)/l².
// The slices lengths and periods hold a value for each column or one for all columns. If they are empty, 1 is used. The parameters
// are the lengths and the periods.
func (l *Layout) Circles(lengths, periods []float64) Part {
	p := periodic{lengths: lengths, periods: periods}
	p.view = l.rowsView(needDistances|needColumns, func(rows *mat.Dense) *mat.Dense {
		r, d := rows.Dims()
		out := mat.NewDense(r, 2*d, nil)
		for i := range r {
			oi := out.RawRowView(i)
			for j, v := range rows.RawRowView(i) {
				s, c := math.Sincos(2 * math.Pi * v / ColumnValue(periods, j))
				radius := 1 / ColumnValue(lengths, j)
				oi[2*j], oi[2*j+1] = c*radius, s*radius
			}
		}
		return out
	})
	return p
}

// periodic holds points on circles. The view contains the cosine and the sine of each column in turn.
type periodic struct {
	lengths, periods []float64
	view             int
}

// gaussian computes exp(-s/2), which is its own slope.
func gaussian(dst, squared []float64) { vecmath.Exp(dst, -0.5, squared) }

func (p periodic) diag(dst []float64, _ *operand) { setAll(dst, 1) }

func (p periodic) block(dst *mat.Dense, x, z *operand) {
	Radial{Values: gaussian}.block(dst, x.views[p.view], z.views[p.view])
}

func (p periodic) params() int       { return max(len(p.lengths), 1) + max(len(p.periods), 1) }
func (p periodic) stretchable() bool { return true }

func (p periodic) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	_, d := x.rows.Dims()
	lengths, periods := make([]float64, d), make([]float64, d)
	p.columns(lengths, periods, w, x, z)
	n := max(len(p.lengths), 1)
	for j := range d {
		dst[min(j, n-1)] += lengths[j]
		dst[n+min(j, len(dst)-n-1)] += periods[j]
	}
}

// stretch adds the derivatives for lengths through the periods: a column divided by a length has a longer period.
func (p periodic) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	p.columns(make([]float64, len(dst)), dst, w, x, z)
}

// columns adds the derivatives with respect to the lengths and the periods of all columns. With G = w∘k and the points c, s on
// circles, the derivative for a length is radial's stretch of c and s, and that for a period is
//
//	2π/p Σ_ij G[i,j] (x[i]-z[j]) (s[i] c[j] - c[i] s[j])
//
// which is four sums of products. Rows that are close on all circles are summed one by one.
func (p periodic) columns(lengths, periods []float64, w *mat.Dense, x, z *operand) {
	g := borrow(w)
	defer g.free()
	circles := make([]float64, 2*len(lengths))
	stretchSquares(circles, g, w, x.views[p.view], z.views[p.view], gaussian, func(i, j int, g float64) {
		p.addPair(lengths, periods, g, x.rows.RawRowView(i), z.rows.RawRowView(j))
	})
	for j := range lengths {
		lengths[j] += circles[2*j] + circles[2*j+1]
	}
	p.addPeriods(periods, g.Dense, x, z)
}

// addPair adds the derivatives of one pair, where g is the weight times the kernel.
func (p periodic) addPair(lengths, periods []float64, g float64, x, z []float64) {
	if g == 0 {
		return
	}
	for j, v := range x {
		angle := math.Pi * (v - z[j]) / ColumnValue(p.periods, j)
		s, c := math.Sincos(angle)
		l := ColumnValue(p.lengths, j)
		lengths[j] += 4 * g * s * s / (l * l)
		periods[j] += 4 * g * angle * s * c / (l * l)
	}
}

// addPeriods adds the derivatives with respect to the periods, for pairs with weights g.
func (p periodic) addPeriods(periods []float64, g *mat.Dense, x, z *operand) {
	xv, zv := x.views[p.view], z.views[p.view]
	xd, zd := timesRows(xv.movedTrans, x), timesRows(zv.movedTrans, z)
	r, c := 2*len(periods), z.len()
	circles, weighted := mat.NewDense(r, c, nil), mat.NewDense(r, c, nil)
	product(circles, 1, xv.movedTrans, g)
	product(weighted, 1, xd, g)
	for j := range periods {
		cos, sin := 2*j, 2*j+1
		periods[j] += 2 * math.Pi / ColumnValue(p.periods, j) *
			(floats.Dot(weighted.RawRowView(sin), zv.movedTrans.RawRowView(cos)) -
				floats.Dot(weighted.RawRowView(cos), zv.movedTrans.RawRowView(sin)) -
				floats.Dot(circles.RawRowView(sin), zd.RawRowView(cos)) +
				floats.Dot(circles.RawRowView(cos), zd.RawRowView(sin)))
	}
}

// timesRows returns the points of circles, in columns, multiplied by the shifted rows.
func timesRows(circles *mat.Dense, o *operand) *mat.Dense {
	out := mat.DenseCopyOf(circles)
	for i := range o.len() {
		for j, v := range o.rows.RawRowView(i) {
			out.RawRowView(2 * j)[i] *= v - o.shift[j]
			out.RawRowView(2*j + 1)[i] *= v - o.shift[j]
		}
	}
	return out
}
