//go:build !purego

package simd

// hasInPlace is whether there are kernels that read factors where they are.
const hasInPlace = true

// inPlace24 computes C = alpha·A·B + beta·C of so many rows and width columns, 1 to 24, C overwritten
// if beta is 0, with factors that are not packed: element (i, j) of A is a[i*aRow+j*aColumn], and B
// is row-major. There is at least a row, and k ≥ 1. It needs AVX-512. Each element of the result goes
// through the operations of the packed kernels.
//
//go:noescape
func inPlace24(rows, k int, a *float64, aRow, aColumn int, b *float64, ldb int, c *float64, ldc, width int, alpha, beta float64)

// inPlace12 is inPlace24 for 1 to 12 columns, with AVX2.
//
//go:noescape
func inPlace12(rows, k int, a *float64, aRow, aColumn int, b *float64, ldb int, c *float64, ldc, width int, alpha, beta float64)

// inPlace is inPlace24 for a strip as wide as kernelShape says.
func inPlace(rows, k int, a *float64, aRow, aColumn int, b *float64, ldb int, c *float64, ldc, width int, alpha, beta float64) {
	if hasAVX512 {
		inPlace24(rows, k, a, aRow, aColumn, b, ldb, c, ldc, width, alpha, beta)
	} else {
		inPlace12(rows, k, a, aRow, aColumn, b, ldb, c, ldc, width, alpha, beta)
	}
}
