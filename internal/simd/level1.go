//go:build (amd64 || arm64) && !purego

package simd

import "math"

// leastSquares and mostSquares bound the sums of squares from which the vector loop computes the norm. Between them nothing has
// overflowed, and the error by underflow is smaller than rounding.
const leastSquares, mostSquares = 0x1p-900, 0x1p1000

// contiguous reports whether x has n ≥ 1 contiguous numbers.
func contiguous(n int, x []float64, inc int) bool { return n > 0 && inc == 1 && len(x) >= n }

// Ddot is gonum's Ddot, the sum of x[i]·y[i].
func (impl Implementation) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if hasVectors && contiguous(n, x, incX) && contiguous(n, y, incY) {
		return dot(n, &x[0], &y[0])
	}
	return impl.Implementation.Ddot(n, x, incX, y, incY)
}

// Daxpy is gonum's Daxpy: y[i] += alpha·x[i].
func (impl Implementation) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if hasVectors && alpha != 0 && contiguous(n, x, incX) && contiguous(n, y, incY) {
		axpy(n, alpha, &x[0], &y[0])
		return
	}
	impl.Implementation.Daxpy(n, alpha, x, incX, y, incY)
}

// Dscal is gonum's Dscal: x[i] *= alpha.
func (impl Implementation) Dscal(n int, alpha float64, x []float64, incX int) {
	if hasVectors && alpha != 0 && contiguous(n, x, incX) {
		scal(n, alpha, &x[0])
		return
	}
	impl.Implementation.Dscal(n, alpha, x, incX)
}

// Dnrm2 is gonum's Dnrm2, the Euclidean norm of x, without intermediate overflow or underflow.
func (impl Implementation) Dnrm2(n int, x []float64, incX int) float64 {
	if hasVectors && contiguous(n, x, incX) {
		if s := dot(n, &x[0], &x[0]); s >= leastSquares && s <= mostSquares {
			return math.Sqrt(s)
		}
	}
	return impl.Implementation.Dnrm2(n, x, incX)
}
