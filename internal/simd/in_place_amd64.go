//go:build !purego

package simd

// hasInPlace reports whether there are kernels that read factors in place.
const hasInPlace = true

// inPlace24 computes C = alpha·A·B + beta·C for unpacked factors, with rows ≥ 1, width from 1 to 24 and k ≥ 1. If beta is 0, it
// overwrites C. Element (i, j) of A is a[i*aRow+j*aColumn], and B is row-major. It needs AVX-512. Each element goes through the
// same operations as in the packed kernels.
//
//go:noescape
func inPlace24(rows, k int, a *float64, aRow, aColumn int, b *float64, ldb int, c *float64, ldc, width int, alpha, beta float64)

// inPlace12 is inPlace24 for 1 to 12 columns, with AVX2.
//
//go:noescape
func inPlace12(rows, k int, a *float64, aRow, aColumn int, b *float64, ldb int, c *float64, ldc, width int, alpha, beta float64)

// inPlace is inPlace24 for a strip of the width that kernelShape returns.
func inPlace(rows, k int, a *float64, aRow, aColumn int, b *float64, ldb int, c *float64, ldc, width int, alpha, beta float64) {
	if hasAVX512 {
		inPlace24(rows, k, a, aRow, aColumn, b, ldb, c, ldc, width, alpha, beta)
	} else {
		inPlace12(rows, k, a, aRow, aColumn, b, ldb, c, ldc, width, alpha, beta)
	}
}
