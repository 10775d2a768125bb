//go:build !(amd64 || arm64) || purego

package simd

import "testing"

// replaced runs a test on the paths of this package, of which there are none here.
func replaced(t *testing.T, _ func(t *testing.T)) { t.Skip("gonum's routines are not replaced here") }

// everywhere runs a test on the only path that there is here.
func everywhere(t *testing.T, test func(t *testing.T)) { t.Run("gonum", test) }

// onPaths calls f on the only one.
func onPaths(f func(path string, vectors bool)) { f("gonum", false) }
