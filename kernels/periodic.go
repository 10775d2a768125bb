package kernels

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Periodic is the kernel of functions that repeat themselves in each column:
//
//	k(x, z) = exp(-2 Σ sin²(π(x[j]-z[j])/p[j]) / l[j]²)
//
// positive definite: the RBF of the columns as points on circles (D. J. C. MacKay, Introduction to Gaussian
// Processes, 1998, section 5.2). The periods are in feature units; the lengths have none, and say how much happens
// in a period: much for small ones. A season that changes over the years is a Product with an RBF or a Matern.
//
// See also [RBF], [Product].
type Periodic struct {
	// Periods has the period p > 0 of each column, or one for all. If it is nil, all are 1.
	Periods []float64

	// Lengths has the length l > 0 of each column, or one for all. If it is nil, all are 1.
	Lengths []float64
}

var _ interface {
	Differentiable
	compiler
	Validator
	ColumnValidator
} = Periodic{}

// shared returns the value of a column, of values for each or for all.
func shared(values []float64, column int) float64 {
	switch len(values) {
	case 0:
		return 1
	case 1:
		return values[0]
	}
	return values[column]
}

// Eval returns k(x, z). The cost is O(d) sines.
func (k Periodic) Eval(x, z []float64) float64 {
	checkLen(x, z)
	sum := 0.0
	for j, v := range x {
		s := math.Sin(math.Pi*(v-z[j])/shared(k.Periods, j)) / shared(k.Lengths, j)
		sum += s * s
	}
	return math.Exp(-2 * sum)
}

// String returns, for example, "Periodic(periods=[12], lengths=[1])".
func (k Periodic) String() string {
	return fmt.Sprintf("Periodic(periods=%s, lengths=%s)", list(orOne(k.Periods)), list(orOne(k.Lengths)))
}

func orOne(values []float64) []float64 {
	if len(values) == 0 {
		return []float64{1}
	}
	return values
}

// Validate returns an ErrParam error unless all are positive and finite, and there is one of
// each, or as many periods as lengths.
func (k Periodic) Validate() error {
	if err := validateLengths("Periodic", "Periods", orOne(k.Periods)); err != nil {
		return err
	}
	if err := validateLengths("Periodic", "Lengths", orOne(k.Lengths)); err != nil {
		return err
	}
	if p, l := len(k.Periods), len(k.Lengths); p > 1 && l > 1 && p != l {
		return fault.Param("kernels: Periodic", "len(Lengths)", l, fmt.Sprintf("1, or %d as of Periods", p))
	}
	return nil
}

// ValidateColumns returns an ErrShape error unless rows have a period and a length for each
// column.
func (k Periodic) ValidateColumns(d int) error {
	if want := max(len(k.Periods), len(k.Lengths)); want > 1 && d != want {
		return fault.Shape("rows have", d, "columns", "Periodic is of %d", want)
	}
	return nil
}

// Params returns the lengths and the periods: "length[j]" and "period[j]", or "length" and
// "period" of what is one for all columns.
func (k Periodic) Params() []Param {
	return append(vectorParams("length", KindShape, k.Lengths), vectorParams("period", KindPeriod, k.Periods)...)
}

func vectorParams(name string, kind ParamKind, values []float64) []Param {
	if len(values) <= 1 {
		return []Param{{Name: name, Kind: kind, Value: shared(values, 0)}}
	}
	out := make([]Param, len(values))
	for j, v := range values {
		out[j] = Param{Name: fmt.Sprintf("%s[%d]", name, j), Kind: kind, Columns: []int{j}, Value: v}
	}
	return out
}

// WithParams returns the Periodic of other lengths and periods.
func (k Periodic) WithParams(values []float64) Kernel {
	n := max(len(k.Lengths), 1)
	checkParams(k, len(values), n+max(len(k.Periods), 1))
	return Periodic{Lengths: slices.Clone(values[:n]), Periods: slices.Clone(values[n:])}
}

// EvalGradient implements Differentiable. With D = x[j]-z[j] it is 4k sin²(πD/p)/l² in ln l[j]
// and k 2πD/(pl²) sin(2πD/p) in ln p[j].
func (k Periodic) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

// compile takes the rows as points on circles of radius 1/l, whose squared distances are
// 4 sin²(πD/p)/l².
func (k Periodic) compile(l *layout) blockKernel {
	p := periodic{Periodic: k}
	p.view = l.rowsView(needDistances|needColumns, func(rows *mat.Dense) *mat.Dense {
		r, d := rows.Dims()
		out := mat.NewDense(r, 2*d, nil)
		for i := range r {
			oi := out.RawRowView(i)
			for j, v := range rows.RawRowView(i) {
				s, c := math.Sincos(2 * math.Pi * v / shared(k.Periods, j))
				radius := 1 / shared(k.Lengths, j)
				oi[2*j], oi[2*j+1] = c*radius, s*radius
			}
		}
		return out
	})
	return p
}

// periodic is the part of a Periodic, an RBF on the view of rows as points on circles, which
// has the columns cos, sin of column 0, cos, sin of column 1, and so on.
type periodic struct {
	Periodic
	view int
}

func (p periodic) diag(dst []float64, _ *mat.Dense) {
	for i := range dst {
		dst[i] = 1
	}
}

func (p periodic) block(dst *mat.Dense, x, z *operand) {
	radial{Radial: RBF{Gamma: 0.5}}.block(dst, x.views[p.view], z.views[p.view])
}

func (p periodic) params() int       { return max(len(p.Lengths), 1) + max(len(p.Periods), 1) }
func (p periodic) stretchable() bool { return true }

func (p periodic) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	_, d := x.rows.Dims()
	lengths, periods := make([]float64, d), make([]float64, d)
	p.columns(lengths, periods, w, x, z)
	n := max(len(p.Lengths), 1)
	for j := range d {
		dst[min(j, n-1)] += lengths[j]
		dst[n+min(j, len(dst)-n-1)] += periods[j]
	}
}

// stretch is the derivative in the periods: a column over a length is one of a longer period.
func (p periodic) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	p.columns(make([]float64, len(dst)), dst, w, x, z)
}

// columns adds the derivatives in the lengths and the periods of all columns. With G = w∘k and
// the points c, s of circles, that in a length is radial's stretch of c and s, and that in a
// period
//
//	2π/p Σ_ij G[i,j] (x[i]-z[j]) (s[i] c[j] - c[i] s[j])
//
// which is four sums of products. Rows that are close on all circles are summed one by one.
func (p periodic) columns(lengths, periods []float64, w *mat.Dense, x, z *operand) {
	memory, g := borrow(w), borrow(w)
	defer memory.free()
	defer g.free()
	xv, zv := x.views[p.view], z.views[p.view]
	squared := squaredDistances(memory.Dense, xv, zv)
	ofX, ofZ := make([]float64, x.len()), make([]float64, z.len())
	for i, sx := range xv.centredSq {
		gi, wi, si := g.RawRowView(i), w.RawRowView(i), squared.RawRowView(i)
		RBF{Gamma: 0.5}.OfSquaredDistances(gi, si)
		for j, sz := range zv.centredSq {
			v := gi[j] * wi[j]
			if !(si[j] > cancellation*(sx+sz)) {
				p.addPair(lengths, periods, v, x.rows.RawRowView(i), z.rows.RawRowView(j))
				v = 0
			}
			gi[j] = v
			ofX[i] += v
			ofZ[j] += v
		}
	}
	circles := make([]float64, 2*len(lengths))
	stretchSquares(circles, ofX, xv.centredTrans)
	stretchSquares(circles, ofZ, zv.centredTrans)
	stretchProducts(circles, -2, xv.centredTrans, g.Dense, zv.centredTrans)
	for j := range lengths {
		lengths[j] += circles[2*j] + circles[2*j+1]
	}
	p.addPeriods(periods, g.Dense, x, z)
}

// addPair adds the derivatives of one pair, of which g is the weight times the kernel.
func (p periodic) addPair(lengths, periods []float64, g float64, x, z []float64) {
	if g == 0 {
		return
	}
	for j, v := range x {
		angle := math.Pi * (v - z[j]) / shared(p.Periods, j)
		s, c := math.Sincos(angle)
		l := shared(p.Lengths, j)
		lengths[j] += 4 * g * s * s / (l * l)
		periods[j] += 4 * g * angle * s * c / (l * l)
	}
}

// addPeriods adds the derivatives in the periods of pairs of weights g.
func (p periodic) addPeriods(periods []float64, g *mat.Dense, x, z *operand) {
	xv, zv := x.views[p.view], z.views[p.view]
	xd, zd := timesRows(xv.movedTrans, x), timesRows(zv.movedTrans, z)
	r, c := 2*len(periods), z.len()
	circles, weighted := mat.NewDense(r, c, nil), mat.NewDense(r, c, nil)
	product(circles, 1, xv.movedTrans, g)
	product(weighted, 1, xd, g)
	for j := range periods {
		cos, sin := 2*j, 2*j+1
		periods[j] += 2 * math.Pi / shared(p.Periods, j) *
			(floats.Dot(weighted.RawRowView(sin), zv.movedTrans.RawRowView(cos)) -
				floats.Dot(weighted.RawRowView(cos), zv.movedTrans.RawRowView(sin)) -
				floats.Dot(circles.RawRowView(sin), zd.RawRowView(cos)) +
				floats.Dot(circles.RawRowView(cos), zd.RawRowView(sin)))
	}
}

// timesRows returns the points of circles, in columns, times the rows less their shift.
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
