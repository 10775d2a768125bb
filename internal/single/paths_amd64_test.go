//go:build !purego

package single

// onPaths calls f on each path of this processor.
func onPaths(f func(path string)) {
	defer func(was2, was512 bool) { hasVectors, hasAVX512 = was2, was512 }(hasVectors, hasAVX512)
	if hasAVX512 {
		f("AVX-512")
	}
	if hasAVX512 = false; hasVectors {
		f("AVX2")
	}
	hasVectors = false
	f("plain")
}
