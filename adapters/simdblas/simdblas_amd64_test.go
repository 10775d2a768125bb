//go:build !purego

package simdblas

import "testing"

// everywhere runs a test on each of the paths that this processor has.
func everywhere(t *testing.T, test func(t *testing.T)) {
	was2, was512 := hasAVX2, hasAVX512
	defer func() { hasAVX2, hasAVX512 = was2, was512 }()
	if was512 {
		t.Run("AVX-512", test)
	}
	hasAVX512 = false
	if was2 {
		t.Run("AVX2", test)
	}
	hasAVX2 = false
	t.Run("neither", test)
}
