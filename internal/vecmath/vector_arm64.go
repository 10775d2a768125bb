//go:build !purego

package vecmath

// hasVectors is true, since every arm64 processor has NEON. Tests turn it off.
var hasVectors = true

// rootsVector computes nothing here: the loop in Go already has an instruction for roots.
func rootsVector([]float64, float64, float64, []float64) int { return 0 }

// quadraticsVector computes nothing here.
func quadraticsVector([]float64, float64, []float64) int { return 0 }

// addManhattanVector computes nothing here.
func addManhattanVector([]float64, float64, []float64) int { return 0 }

// weighManhattanVector computes nothing here.
func weighManhattanVector(*[4]float64, []float64, float64, []float64) int { return 0 }
