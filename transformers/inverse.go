package transformers

import (
	"gonum.org/v1/gonum/mat"
)

// Inverter is the capability to map rows of a result back to rows of the data, for example to express a cluster centre or the bound
// of an interval in the units of the data.
type Inverter interface {
	// InverseTransform returns the rows x (m×d) that Transform maps to z (m×r). For the rows of Fit it is exact up to rounding,
	// unless Transform maps several values to one. Errors: ErrNotFitted, ErrShape, and ErrNotFinite, also for a z that no x is
	// mapped to.
	InverseTransform(z mat.Matrix) (*mat.Dense, error)
}
