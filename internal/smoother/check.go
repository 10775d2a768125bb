package smoother

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Check validates the input of a Smoother: x (n×width) and targets (n×k, k ≥ 1) are finite, and weights are nil or positive, one
// per row. The matrix that it returns must not be modified.
func Check(typ string, x mat.Matrix, targets *mat.Dense, own []float64, width int) (*mat.Dense, error) {
	xd, err := check.Wide("x", x, width)
	if err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	if targets == nil || targets.IsEmpty() {
		return nil, fault.Shape("targets has", 0, "rows", "x has %d", n)
	}
	if got, _ := targets.Dims(); got != n {
		return nil, fault.Shape("targets has", got, "rows", "x has %d", n)
	}
	if _, err := check.Dense("targets", targets); err != nil {
		return nil, err
	}
	if own != nil {
		err = check.Weights(typ, own, n)
	}
	return xd, err
}
