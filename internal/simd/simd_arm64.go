//go:build !purego

package simd

// hasVectors is true, since every arm64 processor has NEON. Tests turn it off to reach the other path.
var hasVectors = true

// hasAVX512 disables the AVX-512 kernels.
const hasAVX512 = false

// Available reports whether the processor supports the routines. If not, gonum's are used.
func Available() bool { return hasVectors }

func kernel8x24(int, *float64, *float64, *float64, int, float64, float64) { panic("simd: no AVX-512") }

func solve8x24(_, _ *float64) { panic("simd: no AVX-512") }

func multiply8x24(_, _ *float64) { panic("simd: no AVX-512") }

// hasInPlace reports whether there are kernels that read factors in place.
const hasInPlace = false

func inPlace(int, int, *float64, int, int, *float64, int, *float64, int, int, float64, float64) {
	panic("simd: no products in place")
}
