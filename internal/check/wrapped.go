package check

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// An estimator that wraps another accepts gaps, NaN in x. The wrapped estimator fills or rejects them.

// WrappedLabels is [Labelled] for an estimator that wraps another.
func WrappedLabels(x mat.Matrix, labels int) (*mat.Dense, error) {
	return labelled(x, labels, Anywhere)
}

// WrappedTargets is [Targets] for an estimator that wraps another.
func WrappedTargets(typ string, x mat.Matrix, y, weights []float64) (*mat.Dense, error) {
	return targets(typ, x, y, weights, Anywhere)
}

// WrappedRows is [Wide] for an estimator that wraps another.
func WrappedRows(x mat.Matrix, fitted int) (*mat.Dense, error) { return wide("x", x, fitted, Anywhere) }

// GapRefused returns the error for the first gap of x if err reports a gap. The position in err refers to the rows that the wrapped
// estimator received. Any other err is returned unchanged.
func GapRefused(x *mat.Dense, err error) error {
	var gap *fault.NotFiniteError
	if errors.As(err, &gap) && gap.Name == "x" && math.IsNaN(gap.Value) {
		if _, first := Dense("x", x); first != nil {
			return first
		}
	}
	return err
}
