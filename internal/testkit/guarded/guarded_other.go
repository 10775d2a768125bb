//go:build !(linux || darwin || freebsd)

package guarded

import "testing"

// Sides is empty on systems without page protection.
var Sides []string

// Copy returns v.
func Copy(_ testing.TB, _ string, v []float64) []float64 { return v }

func memory(_ testing.TB, numbers int) []float64 { return make([]float64, numbers) }
