package blocks

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/sparse"
)

// sparseSide is an operand of rows that are mostly 0.
type sparseSide struct {
	rows    *sparse.Rows
	columns *sparse.Columns // of the second operand
}

// sparseStripe rows are taken at a time against all others.
const sparseStripe = 32

// sparseOperand is rows from one to before another.
func sparseOperand(rows *sparse.Rows, squared []float64, from, to int, columns *sparse.Columns) *operand {
	o := &operand{sparse: &sparseSide{rows: rows.Slice(from, to)}, sq: squared[from:to]}
	if columns != nil {
		o.sparse.columns = columns.Tail(from)
	}
	return o
}

// SparseMatrix is Matrix of sparse rows.
func SparseMatrix(ctx context.Context, c *Compiled, rows *sparse.Rows, workers int) (*mat.SymDense, error) {
	n := rows.N
	squared, columns := rows.SquaredNorms(), rows.ByColumns()
	out := mat.NewSymDense(n, nil)
	err := eachSparseStripe(ctx, workers, rows, squared, func(first int, x *operand) error {
		dst := window(fullMatrix(out), first, first, x.len(), n-first)
		c.part.block(dst, x, sparseOperand(rows, squared, first, n, columns))
		c.setDiagonal(dst, x)
		return c.finite(dst, first, first)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// eachSparseStripe calls do for each stripe of sparse rows, which begins with the row first.
func eachSparseStripe(ctx context.Context, workers int, rows *sparse.Rows, squared []float64, do func(first int, x *operand) error) error {
	return parallel.ForEach(ctx, workers, (rows.N+sparseStripe-1)/sparseStripe, func(s int) error {
		first := s * sparseStripe
		return do(first, sparseOperand(rows, squared, first, min(first+sparseStripe, rows.N), nil))
	})
}

// PrepareSparse is Prepare of sparse rows.
func PrepareSparse(c *Compiled, rows *sparse.Rows) *Rows {
	return &Rows{of: c, N: rows.N, D: rows.D, sparse: sparseOperand(rows, rows.SquaredNorms(), 0, rows.N, rows.ByColumns())}
}

// IsSparse reports whether the rows are sparse.
func (r *Rows) IsSparse() bool { return r.sparse != nil }

// SparseTo is CrossTo where one side or both are sparse.
func (r *Rows) SparseTo(ctx context.Context, dst *mat.Dense, rows *sparse.Rows, workers int) error {
	if r.sparse == nil { // a stripe at a time as dense rows
		return r.of.cross(ctx, dst, func(i int) *operand {
			return newOperand(rows.Slice(i*Stripe, min((i+1)*Stripe, rows.N)).Dense(), &r.of.layout, r.shift)
		}, r.side, workers)
	}
	return eachSparseStripe(ctx, workers, rows, rows.SquaredNorms(), func(first int, x *operand) error {
		part := window(dst.RawMatrix(), first, 0, x.len(), r.N)
		r.of.part.block(part, x, r.sparse)
		return r.of.finite(part, first, 0)
	})
}
