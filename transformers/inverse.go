package transformers

import (
	"gonum.org/v1/gonum/mat"
)

// Inverter is the capability to map rows of a result back to rows of the data. For example, it expresses a cluster centre or the
// bound of an interval in the units of the data.
type Inverter interface {
	// InverseTransform returns the rows x (m×d) that Transform maps to z (m×r). For training rows it is exact up to rounding,
	// unless Transform maps several values to one. It returns ErrNotFitted, ErrShape, or ErrNotFinite. The latter is also returned
	// if no x is mapped to z.
	InverseTransform(z mat.Matrix) (*mat.Dense, error)
}
