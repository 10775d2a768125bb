package targets

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
)

// Matrix converts numbers ([]float64), labels ([]int) or several targets (mat.Matrix) to the form that transformers expect: see
// transformers.TargetFitter. It returns nil if there are none.
func Matrix(y any) mat.Matrix {
	switch y := y.(type) {
	case []float64:
		if len(y) > 0 {
			return mat.NewDense(len(y), 1, y)
		}
	case []int:
		if len(y) > 0 {
			return classes.NewIndicators(y)
		}
	case mat.Matrix:
		if !check.IsNil(y) {
			return y
		}
	}
	return nil
}
