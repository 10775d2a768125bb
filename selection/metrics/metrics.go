// Package metrics scores predictions against observations.
//
//	of a regressor                   NMSE, R2, RMSE, MAE
//	of its variances or intervals    LogDensity, CRPS, NormalCoverage, Coverage, Pinball
//	of a classifier's labels         Accuracy, BalancedAccuracy, GMean, MCC, FBeta, Confusion
//	of its scores                    AUC, ROC, AveragePrecision, PrecisionRecall, each OfScores for
//	                                 several classes, and TopK
//	of its probabilities             LogLoss, Brier, Calibration
//
// A Metric combines one of these functions with its name and direction, for cross-validation and searches.
//
// # Weights
//
// The last argument of functions that return a mean over rows is weights, as in gonum's stat: n positive, finite numbers, or nil
// for 1 each. A weight of 2 is equivalent to repeating the row, and a common factor changes nothing. Calibration and Confusion
// count rows, and accept no weights.
//
// # Numerical range
//
// Sums of squares are computed from numbers scaled by a power of two. A result is therefore infinite only if it is itself too
// large, and NaN only where documented.
//
// # Errors
//
// Errors are those of package estimators: ErrShape for nil, empty or unequal lengths and for a label that is not among classes,
// ErrNotFinite, and ErrParam for a weight, a probability, a variance or a level out of range. They name the row.
package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Metric is a score with its name and direction, for cross-validation and searches. [ByName] returns the metrics of this package.
// Exactly one of the five functions is set. It receives the weights of the test rows, or nil if the fit has none:
//
//	metrics.Metric{Name: "RMSE", Values: metrics.RMSE}
//	metrics.Metric{Name: "GMean", LargerIsBetter: true, Labels: metrics.GMean}
//	metrics.Metric{Name: "AUC", LargerIsBetter: true, Scores: metrics.AUCOfScores}
//	metrics.Metric{Name: "AP", LargerIsBetter: true, Scores: metrics.AveragePrecisionOfScores}
//	metrics.Metric{Name: "LogLoss", Proba: metrics.LogLoss}
//	metrics.Metric{Name: "LogDensity", LargerIsBetter: true, Variance: metrics.LogDensity}
type Metric struct {
	Name           string
	LargerIsBetter bool
	// Values scores the predictions of a regressor.
	Values func(y, predicted, weights []float64) (float64, error)
	// Variance scores the results of a regressor's PredictVariance.
	Variance func(y, mean, variance, weights []float64) (float64, error)
	// Labels scores the labels predicted by a classifier.
	Labels func(y, predicted []int, weights []float64) (float64, error)
	// Scores scores a classifier's n×K scores with columns in the order of classes. The scores are the result of Decision, or of
	// PredictProba if the classifier has no Decision.
	Scores func(y, classes []int, scores *mat.Dense, weights []float64) (float64, error)
	// Proba scores a classifier's n×K probabilities with columns in the order of classes.
	Proba func(y, classes []int, p *mat.Dense, weights []float64) (float64, error)
}

// rowWeights holds validated weights, scaled by a power of two so that their sum is finite. Nil stands for weights of 1, whose sums
// are exact.
type rowWeights []float64

func weigh(weights []float64, n int) (rowWeights, error) {
	if weights == nil {
		return nil, nil
	}
	if len(weights) != n {
		return nil, fault.Shape("weights has", len(weights), "entries", "y has %d", n)
	}
	if err := check.Vector("weights", weights); err != nil {
		return nil, err
	}
	largest := 0.0
	for i, v := range weights {
		if v <= 0 {
			return nil, fault.Param("metrics", fmt.Sprintf("weights[%d]", i), v, "> 0")
		}
		largest = max(largest, v)
	}
	_, e := math.Frexp(largest)
	out := make(rowWeights, n)
	for i, v := range weights {
		// A weight that is negligible compared with the largest stays positive, so that a class of such rows still counts.
		out[i] = max(math.Ldexp(v, -e), 0x1p-1022)
	}
	return out, nil
}

func (w rowWeights) weight(i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

func (w rowWeights) total(n int) float64 {
	sum := 0.0
	for i := range n {
		sum += w.weight(i)
	}
	return sum
}

// mean returns Σ w v / Σ w. It divides each term before adding, because the sum of large numbers may overflow although their mean
// does not.
func (w rowWeights) mean(v []float64) float64 {
	total, mean := w.total(len(v)), 0.0
	for i, a := range v {
		mean += a * w.weight(i) / total
	}
	return mean
}

// sameLength returns an error if y is empty, or if got differs from the length of y.
func sameLength(name string, got, y int) error {
	if y == 0 {
		return fault.Shape("y has", 0, "entries", "want at least 1")
	}
	if got != y {
		return fault.Shape(name+" has", got, "entries", "y has %d", y)
	}
	return nil
}

// vectors checks that y and further vectors, which have names, are finite and have the same length.
func vectors(y []float64, names []string, others ...[]float64) error {
	for i, v := range others {
		if err := sameLength(names[i], len(v), len(y)); err != nil {
			return err
		}
	}
	if err := check.Vector("y", y); err != nil {
		return err
	}
	for i, v := range others {
		if err := check.Vector(names[i], v); err != nil {
			return err
		}
	}
	return nil
}
