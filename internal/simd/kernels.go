//go:build (amd64 || arm64) && !purego

package simd

// kernel4x12 computes a 4×12 tile C = alpha·A·B + beta·C. If beta is 0, it overwrites C. The packed a has 4k elements, the packed b
// has 12k, and k must be at least 1. It needs AVX2 and FMA, or NEON.
//
//go:noescape
func kernel4x12(k int, a, b, c *float64, ldc int, alpha, beta float64)

// copyRows copies rows of width numbers, where width is a multiple of 4. The strides between rows are in numbers, and may be
// negative.
//
//go:noescape
func copyRows(rows, width int, src *float64, srcRow int, dst *float64, dstRow int)

// transposeBlocks transposes a series of 4×4 blocks. The strides srcRow and dstRow are between the rows of a block, and srcStep and
// dstStep between blocks. They are in numbers, and may be negative.
//
//go:noescape
func transposeBlocks(blocks int, src *float64, srcRow, srcStep int, dst *float64, dstRow, dstStep int)

// addRows sets rows of dst to src + beta·dst with a single rounding. The width must be a multiple of 4.
//
//go:noescape
func addRows(rows, width int, src *float64, srcRow int, dst *float64, dstRow int, beta float64)

// solve4x12 sets X = T⁻¹·X for a panel X of 4 rows of 12. T is lower triangular of order 4, with reciprocals on its diagonal.
//
//go:noescape
func solve4x12(t, x *float64)

// multiply4x12 sets X = T·X for the same panels.
//
//go:noescape
func multiply4x12(t, x *float64)
