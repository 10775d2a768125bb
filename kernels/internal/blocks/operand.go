package blocks

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Stripe is the number of rows of a block. It is a constant because the last bits of a product depend on the blocks, and the result
// must not depend on the computer. 128 × 128 values stay in the second-level cache from the product to the pass over its elements.
const Stripe = 128

// operand is one side of a block, with the numbers that would otherwise be computed again for every block.
type operand struct {
	sparse *sparseSide // used for sparse rows, together with sq
	rows   *mat.Dense  // r×d, as given by the caller or computed by a view
	// trans is d×r, the rows in columns. With it, gonum's product runs along the rows of its second factor, which is several times
	// faster than the dot products of A·Bᵀ.
	trans *mat.Dense
	sq    []float64 // squared norms of rows
	// moved holds rows that may be shifted, for parts that depend only on differences of rows. The original rows are not shifted,
	// because the differences of close rows are then exact. Views compute their rows from the shifted ones, so that an offset in a
	// column costs no digits.
	moved, movedTrans *mat.Dense
	// centred holds the moved rows minus a shift that both sides share, for distances. The formula |x|²+|z|²-2<x,z> loses digits in
	// proportion to the ratio of the norms to the distance, so the norms are made small first.
	shift                 []float64
	centred, centredTrans *mat.Dense
	centredSq             []float64
	views                 []*operand // the views of the layout
	levels                *levels    // columns of categories, or nil
	// pairs holds the kept values for pairs of blocks of a Shared, or nil. index is this operand's position on its side.
	pairs *pairs
	index int
}

func newOperand(rows *mat.Dense, l *Layout, shift []float64) *operand {
	o := &operand{rows: rows, moved: rows, shift: shift}
	o.hold(l)
	o.addViews(l)
	return o
}

// diagonal returns an operand with the contents that the diagonal needs.
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

// hold computes the contents that the layout needs, without its views.
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

// less returns the moved rows minus the shift.
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

// addViews computes the views of a layout.
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

// withViews returns operands with the views of a layout, which share everything else with the original ones.
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

// operands prepares the rows of x, one stripe for each operand.
func operands(ctx context.Context, l *Layout, x *mat.Dense, shift []float64, workers int) ([]*operand, error) {
	rows, _ := x.Dims()
	out := make([]*operand, (rows+Stripe-1)/Stripe)
	err := parallel.ForEach(progress.Detach(ctx), workers, len(out), func(i int) error { // detached: it takes little of the time
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

// window returns r×c elements of m starting at (i, j) as a matrix that shares them.
func window(m blas64.General, i, j, r, c int) *mat.Dense {
	var out mat.Dense
	out.SetRawMatrix(blas64.General{
		Rows: r, Cols: c, Stride: m.Stride,
		Data: m.Data[i*m.Stride+j : (i+r-1)*m.Stride+j+c],
	})
	return &out
}
