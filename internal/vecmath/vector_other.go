//go:build !amd64 || purego

package vecmath

// vectorLength is how many elements at a time the loops in Go take.
const vectorLength = 1 << 62

// expVector computes the first elements of what Exp does, and returns how many.
func expVector([]float64, float64, []float64) int { return 0 }

// sincosVector computes the first elements of what Sincos does, and returns how many.
func sincosVector(_, _, _ []float64) int { return 0 }
