package estimators

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// MultiRegressor predicts several numbers for each row, its targets. All of them share what a fit costs: a kernel matrix
// and its factor, or the products of the columns, are made once.
//
// Of this module ridge, lssvm and falkon have one. What they choose, a kernel or a ridge, they choose for all targets
// together: by the sum of the squared leave-one-out errors of the targets, each in units of its own spread, so that it
// does not depend on the units in which the targets are given. With these settings given it is the Regressor of
// each column, to rounding. Where the targets want settings of their own, as a clean one beside one that is mostly
// noise, fit a Regressor to each.
type MultiRegressor interface {
	// Fit learns from x (n×d) and the k targets of each row, y (n×k). Errors are those of a Regressor; of y they name
	// the row and the column. It may not run beside another method of the same value.
	Fit(ctx context.Context, x, y mat.Matrix) error
	// Predict returns the targets, m×k, of the rows of x (m×d). Many calls may run at the same time.
	Predict(x mat.Matrix) (*mat.Dense, error)
	// Targets returns k, 0 before Fit.
	Targets() int
}

// MultiVariancePredictor is VariancePredictor for several targets: m×k means and variances. Nothing is said of how the
// errors of two targets go together.
type MultiVariancePredictor interface {
	PredictVariance(x mat.Matrix) (mean, variance *mat.Dense, err error)
}

// MultiIntervalPredictor is IntervalPredictor for several targets: m×k bounds, each of which holds with
// probability level for its own target, not for all at once.
type MultiIntervalPredictor interface {
	PredictInterval(x mat.Matrix, level float64) (low, high *mat.Dense, err error)
}

// MultiLeaveOneOutPredictor is LeaveOneOutPredictor for several targets: n×k residuals.
type MultiLeaveOneOutPredictor interface {
	LeaveOneOutResiduals(ctx context.Context) (*mat.Dense, error)
}

// MultiPredictorTo is PredictorTo for several targets: dst is m×k.
type MultiPredictorTo interface {
	PredictTo(dst *mat.Dense, x mat.Matrix) error
}

// MultiWeightedFitter is WeightedFitter for several targets: a weight is of a row, for all its targets.
type MultiWeightedFitter interface {
	FitWeighted(ctx context.Context, x, y mat.Matrix, weights []float64) error
}
