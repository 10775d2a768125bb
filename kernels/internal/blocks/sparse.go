package blocks

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/postings"
	"github.com/kernelearn/kernelearn/sparse"
)

// sparseSide holds sparse rows as one side of a block.
type sparseSide struct {
	rows    *sparse.Rows
	columns *postings.Lists // set for the second operand
}

// sparseStripe is the number of rows that are compared with all other rows at a time.
const sparseStripe = 32

// sparseOperand returns an operand with the rows [from, to).
func sparseOperand(rows *sparse.Rows, squared []float64, from, to int, columns *postings.Lists) *operand {
	o := &operand{sparse: &sparseSide{rows: rows.Slice(from, to)}, sq: squared[from:to]}
	if columns != nil {
		o.sparse.columns = columns.Slice(from, to)
	}
	return o
}

// SparseMatrix is Matrix for sparse rows.
func SparseMatrix(ctx context.Context, c *Compiled, rows *sparse.Rows, workers int) (*mat.SymDense, error) {
	n, _ := rows.Dims()
	squared, columns := rows.SquaredNorms(), postings.New(rows)
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

// eachSparseStripe calls the function do for each stripe of sparse rows. Its argument first is the index of the first row.
func eachSparseStripe(ctx context.Context, workers int, rows *sparse.Rows, squared []float64, do func(first int, x *operand) error) error {
	n, _ := rows.Dims()
	return parallel.ForEach(ctx, workers, (n+sparseStripe-1)/sparseStripe, func(s int) error {
		first := s * sparseStripe
		return do(first, sparseOperand(rows, squared, first, min(first+sparseStripe, n), nil))
	})
}

// PrepareSparse is Prepare for sparse rows.
func PrepareSparse(c *Compiled, rows *sparse.Rows) *Rows {
	n, d := rows.Dims()
	return &Rows{of: c, N: n, D: d, sparse: sparseOperand(rows, rows.SquaredNorms(), 0, n, postings.New(rows))}
}

// IsSparse reports whether the rows are sparse.
func (r *Rows) IsSparse() bool { return r.sparse != nil }

// SparseTo is CrossTo if at least one side is sparse.
func (r *Rows) SparseTo(ctx context.Context, dst *mat.Dense, rows *sparse.Rows, workers int) error {
	if r.sparse == nil { // converts one stripe at a time to dense rows
		n, _ := rows.Dims()
		return r.of.cross(ctx, dst, func(i int) *operand {
			return newOperand(rows.Slice(i*Stripe, min((i+1)*Stripe, n)).Dense(), &r.of.layout, r.shift)
		}, r.side, workers)
	}
	return eachSparseStripe(ctx, workers, rows, rows.SquaredNorms(), func(first int, x *operand) error {
		part := window(dst.RawMatrix(), first, 0, x.len(), r.N)
		r.of.part.block(part, x, r.sparse)
		return r.of.finite(part, first, 0)
	})
}

// sparseBlockTo is BlockTo for sparse rows.
func (r *Rows) sparseBlockTo(dst *mat.Dense, i, j int) error {
	rows, columns := dst.Dims()
	side := r.sparse.sparse
	x := sparseOperand(side.rows, r.sparse.sq, i, i+rows, nil)
	r.of.part.block(dst, x, sparseOperand(side.rows, r.sparse.sq, j, j+columns, side.columns))
	if i == j {
		r.of.setDiagonal(dst, x)
	}
	return r.of.finite(dst, i, j)
}

// SparseBlock is Block for sparse rows.
func (c *Compiled) SparseBlock(dst *mat.Dense, x, z *sparse.Rows) {
	n, _ := x.Dims()
	m, _ := z.Dims()
	c.part.block(dst, sparseOperand(x, x.SquaredNorms(), 0, n, nil), sparseOperand(z, z.SquaredNorms(), 0, m, postings.New(z)))
}

// SparseDiag is Diag for sparse rows.
func (c *Compiled) SparseDiag(dst []float64, x *sparse.Rows) {
	n, _ := x.Dims()
	c.part.diag(dst, sparseOperand(x, x.SquaredNorms(), 0, n, nil))
}
