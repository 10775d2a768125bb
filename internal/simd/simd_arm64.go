//go:build !purego

package simd

// hasVectors is true: every arm64 processor has NEON. Tests turn it off to see the other path.
var hasVectors = true

// hasAVX512 leaves the kernels for it unused.
const hasAVX512 = false

// Available reports whether the processor has what the routines need. Without it they are gonum's.
func Available() bool { return hasVectors }

func kernel8x24(int, *float64, *float64, *float64, int, float64, float64) { panic("simd: no AVX-512") }

func solve8x24(_, _ *float64) { panic("simd: no AVX-512") }

func multiply8x24(_, _ *float64) { panic("simd: no AVX-512") }

// hasInPlace is whether there are kernels that read factors where they are.
const hasInPlace = false

func inPlace(int, int, *float64, int, int, *float64, int, *float64, int, int, float64, float64) {
	panic("simd: no products in place")
}
