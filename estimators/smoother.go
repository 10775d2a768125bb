package estimators

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Smoother is a machine whose outputs are linear in its targets. It provides the numbers from which the outputs without one of its
// rows, or with an additional row, can be computed exactly. There are n rows, k targets, and weights w of the rows. The noise has
// variance 1/w in units in which the ridge is the precision of the function. A variance s is in units of the ridge Λ: it is s/Λ
// times the variance of the noise.
//
// With a and c of the training rows, and f, b and s of a new row, the results without row i are
//
//	residual of row i    e = a[i]/c[i], of variance 1/c[i]
//	output at the new row  f - b[i]e, of variance s + b[i]²/c[i]
//
// If the new row with its target y is added, and t = y - f, row i has a[i] - b[i]t/s instead of a[i] and c[i] + b[i]²/s instead of
// c[i]. The new row has t/s and 1/s.
type Smoother interface {
	// Rows returns a (n×k) and c (n). The caller must not change them.
	Rows() (a *mat.Dense, c []float64)
	// Outputs returns only f (m×k).
	Outputs(ctx context.Context, x mat.Matrix) (*mat.Dense, error)
	// Influence returns the outputs f (m×k), b (m×n) and s (m) for the rows of x (m×d), each with a weight of 1. It costs O(mn²)
	// for kernel machines and O(m(p² + np)) for machines with p features.
	Influence(ctx context.Context, x mat.Matrix) (f, b *mat.Dense, s []float64, err error)
}

// LinearSmoother is the capability of a fitted estimator to compute a Smoother from rows and targets, which may differ from those
// in Fit. It keeps the settings that Fit chose (kernel, ridge, landmarks, steps of a pipeline), and makes no choices with the new
// rows.
type LinearSmoother interface {
	// Smoother returns the machine for targets (n×k) at the rows of x (n×d). If weights is nil, all weights are 1. It does not
	// change the estimator. It returns ErrNotFitted, ErrShape, ErrNotFinite, ErrTooLarge, or the error of ctx.
	Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (Smoother, error)
}
