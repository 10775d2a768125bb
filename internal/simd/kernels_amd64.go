//go:build !purego

package simd

// kernel8x24 computes an 8×24 tile C = alpha·A·B + beta·C, C overwritten if beta is 0.
// a and b are packed: k times 8, and k times 24 numbers; k ≥ 1. It needs AVX-512.
//
//go:noescape
func kernel8x24(k int, a, b, c *float64, ldc int, alpha, beta float64)

// kernel4x12 is kernel8x24 for a 4×12 tile with AVX2 and FMA. Each element of the result
// goes through the same operations.
//
//go:noescape
func kernel4x12(k int, a, b, c *float64, ldc int, alpha, beta float64)

// copyRows copies rows of width numbers, a multiple of 4. The strides from one row to the
// next are in numbers, and may be negative.
//
//go:noescape
func copyRows(rows, width int, src *float64, srcRow int, dst *float64, dstRow int)

// transposeBlocks transposes a series of 4×4 blocks. Rows and Steps are the strides from a
// row of a block to the next, and from one block to the next, in numbers; they may be
// negative.
//
//go:noescape
func transposeBlocks(blocks int, src *float64, srcRow, srcStep int, dst *float64, dstRow, dstStep int)

// addRows sets rows of dst to src + beta·dst, in one rounding; width is a multiple of 4.
//
//go:noescape
func addRows(rows, width int, src *float64, srcRow int, dst *float64, dstRow int, beta float64)

// solve8x24 sets X = T⁻¹·X, where T is lower triangular of order 8, with the reciprocals of
// its diagonal in their place, and X a panel of 8 rows of 24. It needs AVX-512.
//
//go:noescape
func solve8x24(t, x *float64)

// multiply8x24 sets X = T·X for the same panels. It needs AVX-512.
//
//go:noescape
func multiply8x24(t, x *float64)

// solve4x12 is solve8x24 for order 4 and rows of 12.
//
//go:noescape
func solve4x12(t, x *float64)

// multiply4x12 is multiply8x24 for order 4 and rows of 12.
//
//go:noescape
func multiply4x12(t, x *float64)
