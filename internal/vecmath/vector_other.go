//go:build !(amd64 || arm64) || purego

package vecmath

import "math"

// vectorLength is how many elements at a time the loops in Go take.
const vectorLength = math.MaxInt

// expVector computes the first elements of what Exp does, and returns how many.
func expVector([]float64, float64, []float64) int { return 0 }

// sincosVector computes the first elements of what Sincos does, and returns how many.
func sincosVector(_, _, _ []float64) int { return 0 }

// addNormsVector computes the first elements of what AddNorms does, and returns how many.
func addNormsVector([]float64, float64, []float64, float64) (done int, above bool) { return 0, true }

// finiteVector looks at the first elements, and returns at how many.
func finiteVector([]float64) (done int, finite bool) { return 0, true }

// rootsVector computes the first elements of what Roots does, and returns how many: the loop in Go has an
// instruction for a root.
func rootsVector([]float64, float64, float64, []float64) int { return 0 }

// quadraticsVector computes the first elements of what Quadratics does, and returns how many.
func quadraticsVector([]float64, float64, []float64) int { return 0 }

// addManhattanVector computes the first elements of what AddManhattan does, and returns how many.
func addManhattanVector([]float64, float64, []float64) int { return 0 }

// weighManhattanVector adds the first elements of what WeighManhattan does to sums, and returns how many.
func weighManhattanVector(*[4]float64, []float64, float64, []float64) int { return 0 }
