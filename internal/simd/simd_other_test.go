//go:build !(amd64 || arm64) || purego

package simd

import "testing"

// replaced skips a test of the vector paths, since there are none.
func replaced(t *testing.T, _ func(t *testing.T)) { t.Skip("gonum's routines are not replaced here") }

// everywhere runs a test on gonum's path, the only one.
func everywhere(t *testing.T, test func(t *testing.T)) { t.Run("gonum", test) }

// onPaths calls f on gonum's path, the only one.
func onPaths(f func(path string, vectors bool)) { f("gonum", false) }
