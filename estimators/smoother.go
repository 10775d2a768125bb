package estimators

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Smoother is a machine whose outputs are linear in its targets, with what is needed to say exactly
// what they would be without one of its rows, or with one more. There are n rows, k targets, and w
// the weights of the rows, with noise of variance 1/w in units in which the ridge is the precision of
// the function. Everything is in those of Λ, the ridge: a variance is the noise's times s/Λ.
//
// With a and c of the rows, and f, b and s of a new one, without row i
//
//	residual of row i    e = a[i]/c[i], of variance 1/c[i]
//	output at the new row  f - b[i]e, of variance s + b[i]²/c[i]
//
// and with the new row and its target y added, t = y - f, row i has a[i] - b[i]t/s in place of a[i] and
// c[i] + b[i]²/s in place of c[i]; the new row has t/s and 1/s.
type Smoother interface {
	// Rows returns a (n×k) and c (n), which are not to be changed.
	Rows() (a *mat.Dense, c []float64)
	// Outputs returns f (m×k) alone.
	Outputs(ctx context.Context, x mat.Matrix) (*mat.Dense, error)
	// Influence returns, for each row of x (m×d), the outputs f (m×k), b (m×n) and s (m), for a
	// weight of 1. Cost O(mn²) for machines of kernels and O(m(p² + np)) for those of p features.
	Influence(ctx context.Context, x mat.Matrix) (f, b *mat.Dense, s []float64, err error)
}

// LinearSmoother is the capability of a fitted estimator to make a Smoother of rows and targets,
// which may be others than Fit's: the settings that Fit chose (kernel, ridge, landmarks, steps of a
// pipeline) are kept, and nothing is chosen by these rows.
type LinearSmoother interface {
	// Smoother solves for targets (n×k) at the rows of x (n×d) with these weights, nil for all 1.
	// The estimator is left as it is. Errors: ErrNotFitted, ErrShape, ErrNotFinite, ErrTooLarge, or
	// ctx's.
	Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (Smoother, error)
}
