// Package metrics scores predictions against what was observed.
//
//	of a regressor                   NMSE, R2, RMSE, MAE
//	of its variances or intervals    LogDensity, CRPS, NormalCoverage, Coverage, Pinball
//	of a classifier's labels         Accuracy, BalancedAccuracy, GMean, MCC, FBeta, Confusion
//	of its scores                    AUC, ROC, AveragePrecision, PrecisionRecall, each OfScores for
//	                                 several classes, and TopK
//	of its probabilities             LogLoss, Brier, Calibration
//
// A Metric is one of them with its name and its sense, for cross-validation and
// searches.
//
// # Weights
//
// Functions that return a mean over rows end with weights, as those of gonum's
// stat do: n of them, finite and positive, or nil for 1 each. A weight of 2 counts
// like the row given twice; a common factor of all changes nothing. Calibration and
// Confusion count rows, and take none.
//
// # Numbers
//
// Sums of squares are taken of numbers scaled by a power of two, so that only a
// result that is too large itself becomes infinite, and none is NaN but where that
// is documented.
//
// # Errors
//
// They are those of package estimators: ErrShape for nil, empty or unequal lengths and for a label that is not among
// classes, ErrNotFinite, and ErrParam for a weight, a probability, a variance or a
// level out of range. They name the row.
package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Metric is a score with its name and its sense, for cross-validation and
// searches. [ByName] has those of this package. One of the five functions is set;
// the weights are those of the test rows, nil where the fit has none:
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
	// Values scores what a regressor predicts.
	Values func(y, predicted, weights []float64) (float64, error)
	// Variance scores what a regressor's PredictVariance gives.
	Variance func(y, mean, variance, weights []float64) (float64, error)
	// Labels scores what a classifier predicts.
	Labels func(y, predicted []int, weights []float64) (float64, error)
	// Scores scores a classifier's n×K scores, columns in the order of classes: its
	// Decision, or its PredictProba where it has no Decision.
	Scores func(y, classes []int, scores *mat.Dense, weights []float64) (float64, error)
	// Proba scores a classifier's n×K probabilities, columns in the order of classes.
	Proba func(y, classes []int, p *mat.Dense, weights []float64) (float64, error)
}

// rowWeights are validated weights, scaled by a power of two so that their sum is
// finite. Nil stands for 1 each, whose sums are exact.
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
		// A weight that is nothing beside the largest is still above 0: a class of such
		// rows has its share.
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

// mean returns Σ w v / Σ w. Each term is divided before it is added: the sum of
// large numbers may be too large where their mean is not.
func (w rowWeights) mean(v []float64) float64 {
	total, mean := w.total(len(v)), 0.0
	for i, a := range v {
		mean += a * w.weight(i) / total
	}
	return mean
}

// sameLength returns an error unless got, the length of what is named, is that of y
// and y has an entry.
func sameLength(name string, got, y int) error {
	if y == 0 {
		return fault.Shape("y has", 0, "entries", "want at least 1")
	}
	if got != y {
		return fault.Shape(name+" has", got, "entries", "y has %d", y)
	}
	return nil
}

// vectors checks y and what belongs to it, in the order of their names.
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
