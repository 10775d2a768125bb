package estimators

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// MultiRegressor predicts several numbers for each row, its targets. The targets share most of the cost of a fit: the kernel matrix
// and its factor, or the product matrix of the columns, are computed once.
//
// The packages ridge, lssvm and falkon provide a MultiRegressor. They choose one kernel or ridge for all targets, which minimises
// the sum of the squared leave-one-out errors of the targets. The error of a target is in units of its standard deviation, so the
// choice does not depend on the units of the targets. If the kernel and the ridge are set, the predictions equal those of a
// Regressor for each target, up to rounding. If the targets need different settings, for example because only one has much noise,
// fit a Regressor to each target.
type MultiRegressor interface {
	// Fit fits the model to x (n×d) and the k targets of each row, y (n×k). It returns the errors of a Regressor. Errors in y name
	// the row and the column. It must not run at the same time as another method of the same value.
	Fit(ctx context.Context, x, y mat.Matrix) error
	// Predict returns the targets (m×k) for the rows of x (m×d). It may be called concurrently.
	Predict(x mat.Matrix) (*mat.Dense, error)
	// Targets returns k, or 0 before Fit.
	Targets() int
}

// MultiVariancePredictor is the VariancePredictor for several targets, with m×k means and variances. It returns no covariances
// between targets.
type MultiVariancePredictor interface {
	PredictVariance(x mat.Matrix) (mean, variance *mat.Dense, err error)
}

// MultiIntervalPredictor is the IntervalPredictor for several targets, with m×k bounds. Each interval has probability level for its
// own target, not for all targets together.
type MultiIntervalPredictor interface {
	PredictInterval(x mat.Matrix, level float64) (low, high *mat.Dense, err error)
}

// MultiLeaveOneOutPredictor is the LeaveOneOutPredictor for several targets, with n×k residuals.
type MultiLeaveOneOutPredictor interface {
	LeaveOneOutResiduals(ctx context.Context) (*mat.Dense, error)
}

// MultiPredictorTo is the PredictorTo for several targets, with dst m×k.
type MultiPredictorTo interface {
	PredictTo(dst *mat.Dense, x mat.Matrix) error
}

// MultiWeightedFitter is the WeightedFitter for several targets. The weight of a row applies to all its targets.
type MultiWeightedFitter interface {
	FitWeighted(ctx context.Context, x, y mat.Matrix, weights []float64) error
}
