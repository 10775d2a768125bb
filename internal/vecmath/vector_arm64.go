//go:build !purego

package vecmath

// hasVectors is a variable for the tests: every arm64 processor has NEON.
var hasVectors = true

// rootsVector computes the first elements of what Roots does, and returns how many: the loop in Go has an
// instruction for a root.
func rootsVector([]float64, float64, float64, []float64) int { return 0 }

// quadraticsVector computes the first elements of what Quadratics does, and returns how many.
func quadraticsVector([]float64, float64, []float64) int { return 0 }

// addManhattanVector computes the first elements of what AddManhattan does, and returns how many.
func addManhattanVector([]float64, float64, []float64) int { return 0 }

// weighManhattanVector adds the first elements of what WeighManhattan does to sums, and returns how many.
func weighManhattanVector(*[4]float64, []float64, float64, []float64) int { return 0 }
