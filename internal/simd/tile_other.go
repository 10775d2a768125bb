//go:build !amd64 || purego

package simd

// AddTile does nothing, and returns false.
func AddTile(_, _ int, _ []float32, _, _, _, _ [][]float64) bool { return false }
