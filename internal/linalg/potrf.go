package linalg

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

// A factorisation of at least spreadFrom rows goes by panels of panelRows rows, and spreads
// what is behind a panel over the processors in strips of panelStrip columns: whatever the
// number of processors, the same products.
const (
	spreadFrom = 768
	panelRows  = 192
	panelStrip = 256
)

// potrf overwrites the upper triangle of a with U of A = UᵀU; ok is false if A is not
// positive definite to rounding. The lower triangle is left alone. LAPACK's own way does
// the same panel by panel, but calls a BLAS whose triangular solves and symmetric products,
// of gonum and of OpenBLAS as it is used here, keep one processor busy.
func potrf(a blas64.Symmetric) (t blas64.Triangular, ok bool) {
	n, ld := a.N, a.Stride
	t = blas64.Triangular{N: n, Stride: ld, Data: a.Data, Uplo: blas.Upper, Diag: blas.NonUnit}
	if n < spreadFrom {
		_, ok = lapack64.Potrf(a)
		return t, ok
	}
	for k := 0; k < n; k += panelRows {
		rows := min(panelRows, n-k)
		corner, ok := lapack64.Potrf(blas64.Symmetric{N: rows, Stride: ld, Data: a.Data[k*ld+k:], Uplo: blas.Upper})
		if !ok {
			return t, false
		}
		from := k + rows
		strips := (n - from + panelStrip - 1) / panelStrip
		// The panel behind the corner, from column first on.
		panel := func(first, columns int) blas64.General {
			return blas64.General{Rows: rows, Cols: columns, Stride: ld, Data: a.Data[k*ld+first:]}
		}
		// The tasks cannot fail.
		_ = parallel.For(context.Background(), 0, strips, func(s int) error {
			first := from + s*panelStrip
			blas64.Trsm(blas.Left, blas.Trans, 1, corner, panel(first, min(panelStrip, n-first)))
			return nil
		})
		_ = parallel.For(context.Background(), 0, strips, func(s int) error {
			first := from + s*panelStrip
			columns := min(panelStrip, n-first)
			last := first + columns
			own := panel(first, columns)
			blas64.Syrk(blas.Trans, -1, own, 1, blas64.Symmetric{N: columns, Stride: ld, Data: a.Data[first*ld+first:], Uplo: blas.Upper})
			if last < n {
				to := blas64.General{Rows: columns, Cols: n - last, Stride: ld, Data: a.Data[first*ld+last:]}
				blas64.Gemm(blas.Trans, blas.NoTrans, -1, own, panel(last, n-last), 1, to)
			}
			return nil
		})
	}
	return t, true
}
