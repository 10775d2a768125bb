//go:build (amd64 || arm64) && !purego

package simd

// dot returns the sum of x[i]·y[i].
//
//go:noescape
func dot(n int, x, y *float64) float64

// axpy adds alpha·x to y.
//
//go:noescape
func axpy(n int, alpha float64, x, y *float64)

// axpy2 adds alpha·x + beta·y to z.
//
//go:noescape
func axpy2(n int, alpha float64, x *float64, beta float64, y, z *float64)

// scal multiplies x by alpha.
//
//go:noescape
func scal(n int, alpha float64, x *float64)

// dot4 sets sums to the products of four rows of A with x.
//
//go:noescape
func dot4(n int, a *float64, lda int, x *float64, sums *[4]float64)

// axpy4 adds four rows of A, each times its coefficient, to y.
//
//go:noescape
func axpy4(n int, a *float64, lda int, coefficients *[4]float64, y *float64)

// dotAxpy4 does dot4 and axpy4 in one pass over A.
//
//go:noescape
func dotAxpy4(n int, a *float64, lda int, x *float64, sums, coefficients *[4]float64, y *float64)
