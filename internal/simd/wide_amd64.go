//go:build !purego

package simd

// kernel8x24 is kernel4x12 for an 8×24 tile with AVX-512. Each element of the result goes through the same operations.
//
//go:noescape
func kernel8x24(k int, a, b, c *float64, ldc int, alpha, beta float64)

// solve8x24 is solve4x12 for order 8 and rows of 24, with AVX-512.
//
//go:noescape
func solve8x24(t, x *float64)

// multiply8x24 is multiply4x12 for order 8 and rows of 24, with AVX-512.
//
//go:noescape
func multiply8x24(t, x *float64)
