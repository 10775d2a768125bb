package featuremap

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers/internal/projection"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// fitSparse fits r to sparse rows.
func (r *RandomFourier) fitSparse(ctx context.Context, x mat.Matrix, count int) error {
	rows, err := sparse.From("x", x)
	if err != nil {
		return err
	}
	m, err := r.draw(ctx, x, count, func() codec.Floats { return rows.Means() })
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.state.Fitted, r.state.Sums = m, nil
	return nil
}

// sparseTo sets dst to the features of sparse rows. It computes <w, x - shift> as the sum <w, x> over the nonzero entries, minus
// <w, shift>.
func (r *RandomFourier) sparseTo(dst *mat.Dense, x mat.Matrix) error {
	m := r.state.Fitted
	rows, err := sparse.From("x", x)
	if err != nil {
		return err
	}
	n, d := rows.Dims()
	from, to := m.Widths()
	if d != from {
		return fault.Columns("x", d, from)
	}
	if dst != nil && dst.IsEmpty() {
		if err := check.Numbers(fmt.Sprintf("%s: %d rows of %d columns", m.TypeName(), n, to), float64(n)*float64(to),
			"map fewer rows at a time"); err != nil {
			return err
		}
	}
	if err := rowmap.ShapeResult(dst, n, to); err != nil {
		return err
	}
	base := make([]float64, m.W.Rows)
	projection.Row(base, m.W, m.Shift, make([]float64, from)) // -<w, shift>
	var columns *mat.Dense                                    // of w, in rows
	if n > projection.ChunkRows {
		columns = mat.DenseCopyOf(mat.NewDense(m.W.Rows, m.W.Cols, m.W.Data).T())
	}
	return parallel.ForEach(context.Background(), r.Workers, (n+projection.ChunkRows-1)/projection.ChunkRows, func(c int) error {
		first, last := c*projection.ChunkRows, min((c+1)*projection.ChunkRows, n)
		products, sin := make([]float64, m.W.Rows), make([]float64, m.W.Rows)
		for i := first; i < last; i++ {
			copy(products, base)
			at, values := rows.Row(i)
			for k, j := range at {
				if columns != nil {
					linalg.Axpy(values[k], columns.RawRowView(j), products)
					continue
				}
				for f := range products {
					products[f] += values[k] * m.W.Data[f*m.W.Cols+j]
				}
			}
			for f, b := range m.Phases {
				products[f] += b
			}
			m.waves(dst.RawRowView(i), products, sin)
		}
		return rowmap.CheckFinite(m, dst.Slice(first, last, 0, to).(*mat.Dense), first, false)
	})
}
