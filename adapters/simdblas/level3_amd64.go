//go:build !purego

package simdblas

import "gonum.org/v1/gonum/blas"

// holds reports whether a row-major matrix of this shape, with at least a row and a
// column, fits its slice. What does not is gonum's to refuse.
func holds(a []float64, lda, rows, columns int) bool {
	return rows > 0 && columns > 0 && lda >= columns && len(a) >= (rows-1)*lda+columns
}

// transposes reports whether t is a transposition, and whether it is legal at all.
func transposes(t blas.Transpose) (yes, legal bool) {
	yes = t == blas.Trans || t == blas.ConjTrans
	return yes, yes || t == blas.NoTrans
}

// Dgemm is gonum's Dgemm: C = alpha·op(A)·op(B) + beta·C, where op(A) is m×k, op(B) k×n and
// C m×n.
func (impl Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	aTrans, legalA := transposes(tA)
	bTrans, legalB := transposes(tB)
	rowsA, columnsA, rowsB, columnsB := m, k, k, n
	if aTrans {
		rowsA, columnsA = k, m
	}
	if bTrans {
		rowsB, columnsB = n, k
	}
	if !hasAVX2 || alpha == 0 || !legalA || !legalB || !holds(a, lda, rowsA, columnsA) ||
		!holds(b, ldb, rowsB, columnsB) || !holds(c, ldc, m, n) {
		impl.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	p := product{
		m: m, n: n, k: k, alpha: alpha, beta: beta,
		a: stored(a, lda, aTrans), b: stored(b, ldb, !bTrans),
		c: c, ldc: ldc,
	}
	p.run()
}
