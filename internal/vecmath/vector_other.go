//go:build !(amd64 || arm64) || purego

package vecmath

import "math"

// vectorLength is the number of elements that the loops in Go process at a time.
const vectorLength = math.MaxInt

// expVector computes nothing here.
func expVector([]float64, float64, []float64) int { return 0 }

// sincosVector computes nothing here.
func sincosVector(_, _, _ []float64) int { return 0 }

// addNormsVector computes nothing here.
func addNormsVector([]float64, float64, []float64, float64) (done int, above bool) { return 0, true }

// finiteVector checks nothing here.
func finiteVector([]float64) (done int, finite bool) { return 0, true }

// rootsVector computes nothing here.
func rootsVector([]float64, float64, float64, []float64) int { return 0 }

// quadraticsVector computes nothing here.
func quadraticsVector([]float64, float64, []float64) int { return 0 }

// addManhattanVector computes nothing here.
func addManhattanVector([]float64, float64, []float64) int { return 0 }

// weighManhattanVector computes nothing here.
func weighManhattanVector(*[4]float64, []float64, float64, []float64) int { return 0 }
