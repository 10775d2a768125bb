//go:build (amd64 || arm64) && !purego

package simd

import "gonum.org/v1/gonum/blas"

const (
	// In products with at most thin rows or columns, or at most thinResult elements, each row or column is computed separately,
	// since the tile of a micro-kernel would be nearly empty.
	thin, thinResult = 4, 64
	// Products with few multiplications, or with a short inner dimension and a small result, use gonum, because packing takes
	// longer. (For products without packing see readInPlace.)
	small, short, smallResult = 500, 4, 2048
)

// holds reports whether a nonempty row-major matrix of this shape fits its slice. Otherwise gonum reports the error.
func holds(a []float64, lda, rows, columns int) bool {
	return rows > 0 && columns > 0 && lda >= columns && len(a) >= (rows-1)*lda+columns
}

// transposes reports whether t is a transposition, and whether it is valid.
func transposes(t blas.Transpose) (yes, legal bool) {
	yes = t == blas.Trans || t == blas.ConjTrans
	return yes, yes || t == blas.NoTrans
}

// Dgemm is gonum's Dgemm: C = alpha·op(A)·op(B) + beta·C, where op(A) is m×k, op(B) k×n and
// C m×n.
func (impl Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	aTrans, legalA := transposes(tA)
	bTrans, legalB := transposes(tB)
	rowsA, columnsA, rowsB, columnsB := m, k, k, n
	if aTrans {
		rowsA, columnsA = k, m
	}
	if bTrans {
		rowsB, columnsB = n, k
	}
	if !hasVectors || alpha == 0 || !legalA || !legalB || !holds(a, lda, rowsA, columnsA) ||
		!holds(b, ldb, rowsB, columnsB) || !holds(c, ldc, m, n) || leftToGonum(m, n, k) {
		impl.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	inPlace := readInPlace(m, n, k)
	if !inPlace && (min(m, n) <= thin || m*n <= thinResult) {
		impl.thinProduct(aTrans, bTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	p := product{
		m: m, n: n, k: k, alpha: alpha, beta: beta,
		a: operand{view: stored(a, lda, aTrans)}, b: operand{view: stored(b, ldb, !bTrans)},
		c: c, ldc: ldc,
	}
	if inPlace {
		p.runInPlace()
		return
	}
	p.run()
}

// leftToGonum reports whether gonum is faster for a small product.
func leftToGonum(m, n, k int) bool {
	return !readInPlace(m, n, k) && (m*n*k <= small || k <= short && m*n <= smallResult)
}

// thinProduct computes the rows or columns of a narrow product separately.
func (impl Implementation) thinProduct(aTrans, bTrans bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	transposition := func(t bool) blas.Transpose {
		if t {
			return blas.Trans
		}
		return blas.NoTrans
	}
	if m <= n {
		rows, columns := k, n
		if bTrans {
			rows, columns = n, k
		}
		next, inc := lda, 1
		if aTrans {
			next, inc = 1, lda
		}
		for i := range m {
			impl.Dgemv(transposition(!bTrans), rows, columns, alpha, b, ldb, a[i*next:], inc, beta, c[i*ldc:], 1)
		}
		return
	}
	rows, columns := m, k
	if aTrans {
		rows, columns = k, m
	}
	next, inc := 1, ldb
	if bTrans {
		next, inc = ldb, 1
	}
	for j := range n {
		impl.Dgemv(transposition(aTrans), rows, columns, alpha, a, lda, b[j*next:], inc, beta, c[j:], ldc)
	}
}

// triangles returns the triangle of ul, and whether ul is valid.
func triangles(ul blas.Uplo) (p triangle, legal bool) {
	if ul == blas.Upper {
		return upper, true
	}
	return lower, ul == blas.Lower
}

// Dsyrk is gonum's Dsyrk: C = alpha·op(A)·op(A)ᵀ + beta·C for one triangle of C, where op(A) is n×k.
func (impl Implementation) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64,
	ldc int) {
	trans, legalT := transposes(tA)
	part, legalU := triangles(ul)
	rows, columns := n, k
	if trans {
		rows, columns = k, n
	}
	if !hasVectors || alpha == 0 || !legalT || !legalU || !holds(a, lda, rows, columns) || !holds(c, ldc, n, n) {
		impl.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	factor := operand{view: stored(a, lda, trans)}
	p := product{m: n, n: n, k: k, alpha: alpha, beta: beta, a: factor, b: factor, c: c, ldc: ldc, part: part}
	p.run()
}

// Dsyr2k is gonum's Dsyr2k: C = alpha·(op(A)·op(B)ᵀ + op(B)·op(A)ᵀ) + beta·C for one
// triangle of C, where op(A) and op(B) are n×k.
func (impl Implementation) Dsyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	trans, legalT := transposes(tA)
	part, legalU := triangles(ul)
	rows, columns := n, k
	if trans {
		rows, columns = k, n
	}
	if !hasVectors || alpha == 0 || !legalT || !legalU || !holds(a, lda, rows, columns) ||
		!holds(b, ldb, rows, columns) || !holds(c, ldc, n, n) {
		impl.Implementation.Dsyr2k(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	first, second := operand{view: stored(a, lda, trans)}, operand{view: stored(b, ldb, trans)}
	p := product{m: n, n: n, k: k, alpha: alpha, beta: beta, a: first, b: second, c: c, ldc: ldc, part: part}
	p.run()
	p.a, p.b, p.beta = second, first, 1
	p.run()
}

// Dsymm is gonum's Dsymm: C = alpha·A·B + beta·C, or alpha·B·A + beta·C with A on the
// right, where A is symmetric and B and C are m×n.
func (impl Implementation) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	part, legalU := triangles(ul)
	k := m
	if s == blas.Right {
		k = n
	}
	if !hasVectors || alpha == 0 || s != blas.Left && s != blas.Right || !legalU || !holds(a, lda, k, k) ||
		!holds(b, ldb, m, n) || !holds(c, ldc, m, n) {
		impl.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	p := product{m: m, n: n, k: k, alpha: alpha, beta: beta, c: c, ldc: ldc}
	symmetric := operand{view: stored(a, lda, false), symmetric: part}
	if s == blas.Left {
		p.a, p.b = symmetric, operand{view: stored(b, ldb, true)}
	} else {
		p.a, p.b = operand{view: stored(b, ldb, false)}, symmetric
	}
	p.run()
}

// Dtrsm is gonum's Dtrsm: it sets B, which is m×n, to alpha·op(A)⁻¹·B, or to alpha·B·op(A)⁻¹
// with A on the right, where A is triangular.
func (impl Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int) {
	t, ok := newTriangular(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	if !ok || !t.invertible() {
		impl.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	t.solve(alpha)
}

// Dtrmm is gonum's Dtrmm: it sets B, which is m×n, to alpha·op(A)·B, or to alpha·B·op(A) with
// A on the right, where A is triangular.
func (impl Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int) {
	t, ok := newTriangular(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	if !ok {
		impl.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	t.multiply(alpha)
}
