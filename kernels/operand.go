package kernels

import (
	"context"
	"math/bits"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// layout is what an operand has to hold for a kernel.
type layout struct {
	need  need
	views []*view
	// derivatives asks parts for theirs; an error in one says that it has none.
	derivatives bool
	err         error
}

// view is the rows that a part takes in the place of those given to it: scaled, or some
// columns of them.
type view struct {
	layout
	of func(rows *mat.Dense) *mat.Dense // a new matrix of as many rows
}

// view enters one, for which the kernel inside is compiled. index is its place among the
// views of an operand.
func (l *layout) view(k Kernel, of func(rows *mat.Dense) *mat.Dense) (p blockKernel, index int) {
	v := &view{of: of, layout: layout{derivatives: l.derivatives}}
	l.views = append(l.views, v)
	return v.layout.compile(k), len(l.views) - 1
}

// rowsView enters a view for a part that reads it itself.
func (l *layout) rowsView(n need, of func(rows *mat.Dense) *mat.Dense) (index int) {
	l.views = append(l.views, &view{of: of, layout: layout{need: n}})
	return len(l.views) - 1
}

// viewCount is the number of views, and of views in views.
func (l *layout) viewCount() (n int) {
	for _, v := range l.views {
		n += 1 + v.viewCount()
	}
	return n
}

// keeps is the number of things that pairs of operands keep of what they have.
func (l *layout) keeps() int {
	n := bits.OnesCount(uint(l.need & (needDots | needDistances | needManhattan)))
	for _, v := range l.views {
		n += v.keeps()
	}
	return n
}

// fault returns the first error of the layout and its views.
func (l *layout) fault() error {
	if l.err != nil {
		return l.err
	}
	for _, v := range l.views {
		if err := v.fault(); err != nil {
			return err
		}
	}
	return nil
}

// need says which parts of an operand a kernel reads.
type need int

const (
	needDots      need = 1 << iota // inner products of the rows as given
	needDistances                  // squared Euclidean distances
	needManhattan                  // Manhattan distances
	needColumns                    // the moved rows in columns
)

// operand is one side of a block, with what every block it takes part in would
// otherwise compute again.
type operand struct {
	sparse *sparseSide // in the place of all else but sq, where rows are mostly 0
	rows   *mat.Dense  // r×d, as the caller gave them, or as a view makes of those
	// trans is d×r, the rows in columns: gonum's product runs along the rows of
	// its second factor, several times faster than the dot products of A·Bᵀ.
	trans *mat.Dense
	sq    []float64 // squared norms of rows
	// For what depends on differences of rows alone, rows that may be moved. Those given
	// are not: their differences are exact where they are close. Views make them of the
	// rows less the shift, so that an offset in a column costs no digits.
	moved, movedTrans *mat.Dense
	// The same less a shift common to both sides, for distances:
	// |x-z|² is taken from |x|²+|z|²-2<x,z>, which loses digits in the measure
	// that the norms exceed the distance, so the norms are made small first.
	shift                 []float64
	centred, centredTrans *mat.Dense
	centredSq             []float64
	views                 []*operand // those of the layout
	// What a Shared keeps of the pairs of blocks, nil without one; index is this
	// operand's place among those of its side.
	pairs *pairs
	index int
}

func newOperand(rows *mat.Dense, l *layout, shift []float64) *operand {
	o := &operand{rows: rows, moved: rows, shift: shift}
	o.hold(l)
	o.addViews(l)
	return o
}

// hold makes what the layout needs, without its views.
func (o *operand) hold(l *layout) {
	if l.need&needDots != 0 {
		o.trans, o.sq = transpose(o.rows), squaredNorms(o.rows)
	}
	if l.need&(needManhattan|needColumns) != 0 {
		o.movedTrans = o.trans
		if o.trans == nil || o.moved != o.rows {
			o.movedTrans = transpose(o.moved)
		}
	}
	if l.need&needDistances != 0 {
		o.centred = o.less()
		o.centredTrans, o.centredSq = transpose(o.centred), squaredNorms(o.centred)
	}
}

// less returns the moved rows less the shift.
func (o *operand) less() *mat.Dense {
	if o.centred != nil {
		return o.centred
	}
	out := mat.DenseCopyOf(o.moved)
	r, _ := out.Dims()
	for i := range r {
		oi := out.RawRowView(i)
		for j, s := range o.shift {
			oi[j] -= s
		}
	}
	return out
}

// addViews makes the views of a layout.
func (o *operand) addViews(l *layout) {
	if len(l.views) == 0 {
		return
	}
	less, zero := o.less(), mat.NewDense(1, len(o.shift), nil)
	for _, v := range l.views {
		of := &operand{rows: v.of(o.rows), moved: v.of(less), shift: v.of(zero).RawRowView(0)}
		of.hold(&v.layout)
		of.addViews(&v.layout)
		o.views = append(o.views, of)
	}
}

// withViews returns operands with the views of a layout, which share all else with those
// given.
func withViews(ctx context.Context, side []*operand, l *layout, workers int) ([]*operand, error) {
	if len(l.views) == 0 {
		return side, nil
	}
	out := make([]*operand, len(side))
	err := parallel.ForEach(progress.Detach(ctx), workers, len(side), func(i int) error {
		o := *side[i]
		o.views = nil
		o.addViews(l)
		out[i] = &o
		return nil
	})
	return out, err
}

func transpose(m *mat.Dense) *mat.Dense {
	r, c := m.Dims()
	out := mat.NewDense(c, r, nil)
	raw := out.RawMatrix()
	for i := range r {
		for j, v := range m.RawRowView(i) {
			raw.Data[j*raw.Stride+i] = v
		}
	}
	return out
}

func squaredNorms(m *mat.Dense) []float64 {
	r, _ := m.Dims()
	out := make([]float64, r)
	for i := range out {
		out[i] = vecmath.Dot(m.RawRowView(i), m.RawRowView(i))
	}
	return out
}

func meanRow(m *mat.Dense) []float64 {
	r, c := m.Dims()
	out := make([]float64, c)
	for i := range r {
		for j, v := range m.RawRowView(i) {
			out[j] += v / float64(r)
		}
	}
	return out
}

// dots returns <x[i], z[j]>, in dst or elsewhere as keep.
func dots(dst *mat.Dense, x, z *operand) *mat.Dense {
	if x.sparse != nil {
		sparseProducts(dst, x, z)
		return dst
	}
	return keep(pairDots, dst, x, z, func(dst *mat.Dense) { product(dst, 1, x.rows, z.trans) })
}

// product sets dst = alpha·a·b. It goes to BLAS directly: mat.Dense.Mul would
// compare the memory of its arguments first, and dst is a window into a matrix.
func product(dst *mat.Dense, alpha float64, a, b *mat.Dense) {
	fast.Gemm(blas.NoTrans, blas.NoTrans, alpha, a.RawMatrix(), b.RawMatrix(), 0, dst.RawMatrix())
}

// cancellation is the ratio of squared distance to squared norms below which
// the distance is computed again from the differences. What remains above it
// has lost at most ten bits.
const cancellation = 1e-3

// squaredDistances returns |x[i]-z[j]|², in dst or elsewhere as keep.
func squaredDistances(dst *mat.Dense, x, z *operand) *mat.Dense {
	if x.sparse != nil {
		sparseSquaredDistances(dst, x, z)
		return dst
	}
	return keep(pairDistances, dst, x, z, func(dst *mat.Dense) { computeSquaredDistances(dst, x, z) })
}

// computeSquaredDistances sets dst[i,j] = |x[i]-z[j]|², with a relative error of about
// 1e-13 at worst, and exactly 0 for equal rows.
func computeSquaredDistances(dst *mat.Dense, x, z *operand) {
	product(dst, -2, x.centred, z.centredTrans)
	for i, sx := range x.centredSq {
		di := dst.RawRowView(i)
		if vecmath.AddNorms(di, sx, z.centredSq, cancellation) {
			continue
		}
		for j, sz := range z.centredSq {
			// The negated comparison also catches the NaN of norms that overflowed.
			if !(di[j] > cancellation*(sx+sz)) {
				di[j] = vecmath.SquaredDistance(x.moved.RawRowView(i), z.moved.RawRowView(j))
			}
		}
	}
}
