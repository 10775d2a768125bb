//go:build (amd64 || arm64) && !purego

package simd

import (
	"math"
	"runtime"

	"gonum.org/v1/gonum/blas"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

const (
	// A pass over fewer elements of a matrix is not parallel.
	parallelElements = 1 << 17
	// Number of columns that Dgemv of a transposed matrix processes at a time, so that y stays in the first-level cache.
	stripColumns = 512
	// Number of rows per task.
	rowsPerTask = 64
	// Dsymv keeps separate sums for stripes of at least stripeRows rows, at most mostStripes of them. Their number depends only on
	// the order of the matrix, so the result does not depend on the number of goroutines.
	stripeRows, mostStripes = 128, 16
	// Dtrsv uses gonum for triangles of at most this order.
	vectorTriangle = 32
)

// spans reports whether x has n ≥ 1 numbers inc apart.
func spans(n int, x []float64, inc int) bool {
	return n > 0 && inc != 0 && len(x) > (n-1)*max(inc, -inc)
}

// gather returns the n numbers of x contiguously. This is x itself, or a copy in buffer.
func gather(buffer *[]float64, n int, x []float64, inc int) []float64 {
	if inc == 1 {
		return x[:n]
	}
	*buffer = grown(*buffer, n)
	at := 0
	if inc < 0 {
		at = (1 - n) * inc
	}
	for i := range *buffer {
		(*buffer)[i] = x[at]
		at += inc
	}
	return *buffer
}

// scatter copies back what gather copied.
func scatter(copied []float64, y []float64, inc int) {
	if inc == 1 {
		return
	}
	at := 0
	if inc < 0 {
		at = (1 - len(copied)) * inc
	}
	for _, v := range copied {
		y[at] = v
		at += inc
	}
}

// forParts calls f for parts of [0, n) of the given size, in parallel if the matrix has enough elements.
func forParts(n, size, elements int, f func(from, to int)) {
	if elements < parallelElements || n <= size || runtime.GOMAXPROCS(0) == 1 {
		f(0, n)
		return
	}
	parallel.Do(0, (n+size-1)/size, func(i int) {
		f(i*size, min((i+1)*size, n))
	})
}

// Dgemv is gonum's Dgemv: y = alpha·op(A)·x + beta·y, where A is m×n.
func (impl Implementation) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64,
	y []float64, incY int) {
	trans, legal := transposes(tA)
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	if !hasVectors || alpha == 0 || !legal || !holds(a, lda, m, n) || !spans(lenX, x, incX) || !spans(lenY, y, incY) {
		impl.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	if incX == 1 && incY == 1 {
		gemv(trans, m, n, alpha, a, lda, x, beta, y)
		return
	}
	w := workspaces.Get().(*work)
	ys := gather(&w.b, lenY, y, incY)
	gemv(trans, m, n, alpha, a, lda, gather(&w.a, lenX, x, incX), beta, ys)
	scatter(ys, y, incY)
	workspaces.Put(w)
}

func gemv(trans bool, m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	switch small := m*n < parallelElements; {
	case small && trans:
		gemvColumns(m, 0, n, alpha, a, lda, x, beta, y)
	case small:
		gemvRows(0, m, n, alpha, a, lda, x, beta, y)
	case trans:
		forParts(n, stripColumns, m*n, func(from, to int) { gemvColumns(m, from, to, alpha, a, lda, x, beta, y) })
	default:
		forParts(m, rowsPerTask, m*n, func(from, to int) { gemvRows(from, to, n, alpha, a, lda, x, beta, y) })
	}
}

// gemvRows computes y[from:to] = alpha·A[from:to, :]·x + beta·y[from:to].
func gemvRows(from, to, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	var sums [4]float64
	i := from
	for ; i+4 <= to; i += 4 {
		dot4(n, &a[i*lda], lda, &x[0], &sums)
		combine(y[i:i+4], alpha, sums[:], beta)
	}
	for ; i < to; i++ {
		sums[0] = dot(n, &a[i*lda], &x[0])
		combine(y[i:i+1], alpha, sums[:1], beta)
	}
}

// combine sets y = alpha·sums + beta·y.
func combine(y []float64, alpha float64, sums []float64, beta float64) {
	if beta == 0 {
		for i := range y {
			y[i] = alpha * sums[i]
		}
		return
	}
	for i := range y {
		y[i] = alpha*sums[i] + beta*y[i]
	}
}

// gemvColumns computes y[from:to] = alpha·A[:, from:to]ᵀ·x + beta·y[from:to].
func gemvColumns(m, from, to int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	n, y := to-from, y[from:to]
	if beta == 0 {
		clear(y)
	} else if beta != 1 {
		scal(n, beta, &y[0])
	}
	i := 0
	for ; i+4 <= m; i += 4 {
		coefficients := [4]float64{alpha * x[i], alpha * x[i+1], alpha * x[i+2], alpha * x[i+3]}
		axpy4(n, &a[i*lda+from], lda, &coefficients, &y[0])
	}
	for ; i < m; i++ {
		axpy(n, alpha*x[i], &a[i*lda+from], &y[0])
	}
}

// Dsymv is gonum's Dsymv: y = alpha·A·x + beta·y, where A is symmetric of order n.
func (impl Implementation) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64,
	y []float64, incY int) {
	part, legal := triangles(ul)
	if !hasVectors || alpha == 0 || !legal || !holds(a, lda, n, n) || !spans(n, x, incX) || !spans(n, y, incY) {
		impl.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	w, own := workspaces.Get().(*work), workspaces.Get().(*work)
	xs, ys := gather(&w.a, n, x, incX), gather(&w.b, n, y, incY)
	stripes := max(1, min(n/stripeRows, mostStripes))
	own.a = grown(own.a, stripes*n)
	sums := own.a
	clear(sums)
	if stripes == 1 {
		symvRows(part, 0, n, n, a, lda, xs, sums)
	} else {
		forParts(stripes, 1, n*n/2, func(from, to int) {
			for s := from; s < to; s++ {
				symvRows(part, stripeEdge(part, n, s, stripes), stripeEdge(part, n, s+1, stripes), n, a, lda, xs, sums[s*n:(s+1)*n])
			}
		})
		for s := 1; s < stripes; s++ {
			axpy(n, 1, &sums[s*n], &sums[0])
		}
	}
	combine(ys, alpha, sums[:n], beta)
	scatter(ys, y, incY)
	workspaces.Put(own)
	workspaces.Put(w)
}

// stripeEdge returns the first row of a stripe. Stripes have about the same number of elements of the triangle.
func stripeEdge(p triangle, n, stripe, stripes int) int {
	if p == upper {
		return n - stripeEdge(lower, n, stripes-stripe, stripes)
	}
	if stripe == stripes {
		return n
	}
	return int(float64(n)*math.Sqrt(float64(stripe)/float64(stripes))) &^ 3
}

// symvRows adds the contribution of the stored elements of rows [from, to) to A·x.
func symvRows(p triangle, from, to, n int, a []float64, lda int, x, sums []float64) {
	i := from
	for ; i+4 <= to; i += 4 {
		symvSquare(p, i, 4, a, lda, x, sums)
		coefficients, products := [4]float64(x[i:i+4]), [4]float64{}
		first, count := 0, i
		if p == upper {
			first, count = i+4, n-i-4
		}
		if count > 0 {
			dotAxpy4(count, &a[i*lda+first], lda, &x[first], &products, &coefficients, &sums[first])
		}
		for r, v := range products {
			sums[i+r] += v
		}
	}
	if i == to {
		return
	}
	symvSquare(p, i, to-i, a, lda, x, sums)
	first, count := 0, i
	if p == upper {
		first, count = to, n-to
	}
	if count == 0 {
		return
	}
	for ; i < to; i++ {
		row := &a[i*lda+first]
		sums[i] += dot(count, row, &x[first])
		axpy(count, x[i], row, &sums[first])
	}
}

// symvSquare adds the contribution of the square of the given order on the diagonal whose first row is i.
func symvSquare(p triangle, i, order int, a []float64, lda int, x, sums []float64) {
	if order == 4 {
		symvSquare4(p, a[i*lda+i:], lda, x[i:i+4], sums[i:i+4])
		return
	}
	for r := i; r < i+order; r++ {
		sums[r] += a[r*lda+r] * x[r]
		for c := i; c < r; c++ {
			v := a[r*lda+c]
			if p == upper {
				v = a[c*lda+r]
			}
			sums[r] += v * x[c]
			sums[c] += v * x[r]
		}
	}
}

// symvSquare4 is symvSquare for order 4, in the same order of operations.
func symvSquare4(p triangle, a []float64, lda int, x, sums []float64) {
	row, column := lda, 1
	if p == upper {
		row, column = 1, lda
	}
	a10, a20, a30 := a[row], a[2*row], a[3*row]
	a21, a31, a32 := a[2*row+column], a[3*row+column], a[3*row+2*column]
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	sums[0] = sums[0] + a[0]*x0 + a10*x1 + a20*x2 + a30*x3
	sums[1] = sums[1] + a[lda+1]*x1 + a10*x0 + a21*x2 + a31*x3
	sums[2] = sums[2] + a[2*lda+2]*x2 + a20*x0 + a21*x1 + a32*x3
	sums[3] = sums[3] + a[3*lda+3]*x3 + a30*x0 + a31*x1 + a32*x2
}

// Dger is gonum's Dger: A += alpha·x·yᵀ, where A is m×n.
func (impl Implementation) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if !hasVectors || alpha == 0 || !holds(a, lda, m, n) || !spans(m, x, incX) || !spans(n, y, incY) {
		impl.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	w := workspaces.Get().(*work)
	xs, ys := gather(&w.a, m, x, incX), gather(&w.b, n, y, incY)
	forParts(m, rowsPerTask, m*n, func(from, to int) {
		for i := from; i < to; i++ {
			axpy(n, alpha*xs[i], &ys[0], &a[i*lda])
		}
	})
	workspaces.Put(w)
}

// Dsyr is gonum's Dsyr: A += alpha·x·xᵀ for one triangle of A, of order n.
func (impl Implementation) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	part, legal := triangles(ul)
	if !hasVectors || alpha == 0 || !legal || !holds(a, lda, n, n) || !spans(n, x, incX) {
		impl.Implementation.Dsyr(ul, n, alpha, x, incX, a, lda)
		return
	}
	w := workspaces.Get().(*work)
	xs := gather(&w.a, n, x, incX)
	forParts(n, rowsPerTask, n*n/2, func(from, to int) {
		for i := from; i < to; i++ {
			first, count := rowOf(part, i, n)
			axpy(count, alpha*xs[i], &xs[first], &a[i*lda+first])
		}
	})
	workspaces.Put(w)
}

// Dsyr2 is gonum's Dsyr2: A += alpha·(x·yᵀ + y·xᵀ) for one triangle of A, of order n.
func (impl Implementation) Dsyr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	part, legal := triangles(ul)
	if !hasVectors || alpha == 0 || !legal || !holds(a, lda, n, n) || !spans(n, x, incX) || !spans(n, y, incY) {
		impl.Implementation.Dsyr2(ul, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	w := workspaces.Get().(*work)
	xs, ys := gather(&w.a, n, x, incX), gather(&w.b, n, y, incY)
	forParts(n, rowsPerTask, n*n/2, func(from, to int) {
		for i := from; i < to; i++ {
			first, count := rowOf(part, i, n)
			axpy2(count, alpha*xs[i], &ys[first], alpha*ys[i], &xs[first], &a[i*lda+first])
		}
	})
	workspaces.Put(w)
}

// rowOf returns the index of the first element of row i of a triangle, and the number of elements.
func rowOf(p triangle, i, n int) (first, count int) {
	if p == upper {
		return i, n - i
	}
	return 0, i + 1
}

// Dtrsv is gonum's Dtrsv: it sets x = op(A)⁻¹·x, where A is triangular of order n.
func (impl Implementation) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	trans, legalT := transposes(tA)
	part, legalU := triangles(ul)
	if !hasVectors || n <= vectorTriangle || !legalT || !legalU || d != blas.Unit && d != blas.NonUnit ||
		!holds(a, lda, n, n) || !spans(n, x, incX) {
		impl.Implementation.Dtrsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	w := workspaces.Get().(*work)
	xs := gather(&w.a, n, x, incX)
	blocks := (n + vectorTriangle - 1) / vectorTriangle
	for b := range blocks {
		backwards := (part == upper) != trans
		if backwards {
			b = blocks - 1 - b
		}
		from := b * vectorTriangle
		to := min(from+vectorTriangle, n)
		// count unknowns from other on have already been computed or, if trans is set, are still to be computed.
		other, count := 0, from
		if backwards != trans {
			other, count = to, n-to
		}
		if !trans && count > 0 {
			gemv(false, to-from, count, -1, a[from*lda+other:], lda, xs[other:other+count], 1, xs[from:to])
		}
		impl.Implementation.Dtrsv(ul, tA, d, to-from, a[from*lda+from:], lda, xs[from:to], 1)
		if trans && count > 0 {
			gemv(true, to-from, count, -1, a[from*lda+other:], lda, xs[from:to], 1, xs[other:other+count])
		}
	}
	scatter(xs, x, incX)
	workspaces.Put(w)
}
