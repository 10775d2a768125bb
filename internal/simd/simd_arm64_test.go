//go:build !purego

package simd

import "testing"

// replaced runs a test on the NEON path.
func replaced(t *testing.T, test func(t *testing.T)) { t.Run("NEON", test) }

// everywhere runs a test on the NEON path, and without vectors.
func everywhere(t *testing.T, test func(t *testing.T)) {
	replaced(t, test)
	defer func() { hasVectors = true }()
	hasVectors = false
	t.Run("gonum", test)
}

// onPaths calls f with and without vectors.
func onPaths(f func(path string, vectors bool)) {
	defer func() { hasVectors = true }()
	f("NEON", true)
	hasVectors = false
	f("gonum", false)
}
