package blocks

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Stripe is the number of rows of a block. It is a constant because the last
// bits of a product depend on how it is cut, and the result must not depend on
// the machine. 128 × 128 values stay in the second-level cache from the product
// to the pass over its elements.
const Stripe = 128

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
	levels                *levels    // of categories, nil without
	// What a Shared keeps of the pairs of blocks, nil without one; index is this
	// operand's place among those of its side.
	pairs *pairs
	index int
}

func newOperand(rows *mat.Dense, l *Layout, shift []float64) *operand {
	o := &operand{rows: rows, moved: rows, shift: shift}
	o.hold(l)
	o.addViews(l)
	return o
}

// diagonal is rows with what their diagonal takes.
func diagonal(rows *mat.Dense, l *Layout) *operand {
	o := &operand{rows: rows}
	if l.need&needDots != 0 {
		o.sq = SquaredNorms(rows)
	}
	for _, v := range l.views {
		o.views = append(o.views, diagonal(v.of(rows), &v.Layout))
	}
	return o
}

// hold makes what the layout needs, without its views.
func (o *operand) hold(l *Layout) {
	if l.need&needDots != 0 {
		o.trans, o.sq = transpose(o.rows), SquaredNorms(o.rows)
	}
	if l.need&(needManhattan|needColumns) != 0 {
		o.movedTrans = o.trans
		if o.trans == nil || o.moved != o.rows {
			o.movedTrans = transpose(o.moved)
		}
	}
	if l.need&needDistances != 0 {
		o.centred = o.less()
		o.centredTrans, o.centredSq = transpose(o.centred), SquaredNorms(o.centred)
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
func (o *operand) addViews(l *Layout) {
	if len(l.views) == 0 {
		return
	}
	less, zero := o.less(), mat.NewDense(1, len(o.shift), nil)
	for _, v := range l.views {
		of := &operand{rows: v.of(o.rows), moved: v.of(less), shift: v.of(zero).RawRowView(0)}
		if len(v.categories) > 0 {
			of.levels = newLevels(o.rows, v)
		}
		of.hold(&v.Layout)
		of.addViews(&v.Layout)
		o.views = append(o.views, of)
	}
}

// withViews returns operands with the views of a layout, which share all else with those
// given.
func withViews(ctx context.Context, side []*operand, l *Layout, workers int) ([]*operand, error) {
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

// operands prepares the rows of x, a stripe each.
func operands(ctx context.Context, l *Layout, x *mat.Dense, shift []float64, workers int) ([]*operand, error) {
	rows, _ := x.Dims()
	out := make([]*operand, (rows+Stripe-1)/Stripe)
	err := parallel.ForEach(progress.Detach(ctx), workers, len(out), func(i int) error { // little beside what they are for
		out[i] = newOperand(rowWindow(x, i*Stripe, min(Stripe, rows-i*Stripe)), l, shift)
		return nil
	})
	return out, err
}

func (o *operand) len() int {
	if o.sparse != nil {
		n, _ := o.sparse.rows.Dims()
		return n
	}
	r, _ := o.rows.Dims()
	return r
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

// SquaredNorms returns |x|² of each row.
func SquaredNorms(m *mat.Dense) []float64 {
	r, _ := m.Dims()
	out := make([]float64, r)
	for i := range out {
		out[i] = vecmath.Dot(m.RawRowView(i), m.RawRowView(i))
	}
	return out
}

// MeanRow returns the mean of the rows.
func MeanRow(m *mat.Dense) []float64 {
	r, c := m.Dims()
	out := make([]float64, c)
	for i := range r {
		for j, v := range m.RawRowView(i) {
			out[j] += v / float64(r)
		}
	}
	return out
}

func rowWindow(x *mat.Dense, i, r int) *mat.Dense {
	_, c := x.Dims()
	return window(x.RawMatrix(), i, 0, r, c)
}

// window returns r×c elements of m from (i, j) as a matrix that shares them.
func window(m blas64.General, i, j, r, c int) *mat.Dense {
	var out mat.Dense
	out.SetRawMatrix(blas64.General{
		Rows: r, Cols: c, Stride: m.Stride,
		Data: m.Data[i*m.Stride+j : (i+r-1)*m.Stride+j+c],
	})
	return &out
}
