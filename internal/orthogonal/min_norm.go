// Package orthogonal factors matrices with Householder reflectors, and solves least-squares problems of any rank with them.
package orthogonal

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// MinNorm returns A⁺B for a (m×n) and b (m×k): among all X that minimise |AX - B|² the one with the smallest |X|². It also returns
// the numerical rank of A and the minimum |AX - B|². It overwrites both arguments.
//
// A is factored by QR with column pivoting. A column whose remainder is at most max(m, n)·2⁻⁵² times that of the first counts as
// dependent on the columns before it. The remaining rows are factored from the other side, which gives a complete orthogonal
// decomposition. A singular value decomposition would determine the rank slightly more accurately, at about ten times the cost. The
// cost is about 4mn·min(m, n). For a tall A it is only 2n²m + 4n³/3, with memory for a copy of both. In that case R of A = QR is
// factored, whose columns have the same products. It returns ctx's error.
func MinNorm(ctx context.Context, a, b *mat.Dense) (x *mat.Dense, rank int, residual float64, err error) {
	rows, n := a.Dims()
	_, k := b.Dims()
	rest := ctx
	if rows >= tall*(n+k) {
		var reduction context.Context
		reduction, rest = progress.Two(ctx, float64(rows), 2*float64(n))
		if a, b, residual, err = triangular(reduction, a, b); err != nil {
			return nil, 0, 0, err
		}
	}
	m, _ := a.Dims()
	x = mat.NewDense(n, k, nil)
	parts := progress.Parts(rest, 3, float64(k)/float64(n), 1)
	pivoted, err := newPivotedQR(parts[0], a)
	if err != nil {
		return nil, 0, 0, err
	}
	limit := float64(max(rows, n)) * 0x1p-52 * math.Abs(a.At(0, 0))
	for rank < min(m, n) && math.Abs(a.At(rank, rank)) > limit {
		rank++
	}
	if err := pivoted.rotate(parts[1], b); err != nil {
		return nil, 0, 0, err
	}
	for i := rank; i < m; i++ {
		for _, v := range b.RawRowView(i) {
			residual += v * v
		}
	}
	if rank == 0 {
		return x, rank, residual, nil
	}
	solution := b.Slice(0, rank, 0, k).(*mat.Dense)
	if rank == n {
		err = fast.TrsmContext(parts[2], blas.Left, blas.NoTrans, 1, triangle(a, n), solution.RawMatrix())
	} else {
		solution, err = leastOf(parts[2], a, rank, solution)
	}
	if err != nil {
		return nil, 0, 0, err
	}
	for i, from := range pivoted.order {
		x.SetRow(from, solution.RawRowView(i))
	}
	return x, rank, residual, nil
}

// tall is the ratio of rows to columns from which it is faster to reduce a matrix first without pivoting, with matrix products.
const tall = 2

// triangular returns R and Q'B for A = QR (m×n) and B (m×k), m ≥ n+k, and the squared norm of the component of B outside the column
// space of A. All of them are in the triangular factor of [A B]. It returns ctx's error.
func triangular(ctx context.Context, a, b *mat.Dense) (r, inside *mat.Dense, outside float64, err error) {
	m, n := a.Dims()
	_, k := b.Dims()
	both := mat.NewDense(m, n+k, nil)
	for i := range m {
		copy(both.RawRowView(i)[copy(both.RawRowView(i), a.RawRowView(i)):], b.RawRowView(i))
	}
	whole, _, err := reduceColumns(ctx, both)
	if err != nil {
		return nil, nil, 0, err
	}
	for i := n; i < n+k; i++ {
		for _, v := range whole.RawRowView(i)[i:] {
			outside += v * v
		}
	}
	return mat.DenseCopyOf(whole.Slice(0, n, 0, n)), mat.DenseCopyOf(whole.Slice(0, n, n, n+k)), outside, nil
}

// leastOf returns the minimum norm solution of RX = B for the first rows of a pivoted R, which has more columns than rows. It
// returns ctx's error.
func leastOf(ctx context.Context, a *mat.Dense, rank int, b *mat.Dense) (*mat.Dense, error) {
	_, n := a.Dims()
	t := mat.NewDense(n, rank, nil) // R' = ZS
	for i := range rank {
		for j := i; j < n; j++ {
			t.Set(j, i, a.At(i, j))
		}
	}
	s, err := ThinQR(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := fast.TrsmContext(ctx, blas.Left, blas.Trans, 1, triangle(s, rank), b.RawMatrix()); err != nil {
		return nil, err
	}
	var out mat.Dense
	return &out, fast.MulContext(ctx, &out, t, b)
}

func triangle(a *mat.Dense, n int) blas64.Triangular {
	raw := a.RawMatrix()
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Data: raw.Data, Stride: raw.Stride}
}
