package validation

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// ScoreRegressor returns the metric of a fitted regressor's predictions for the rows of x (n×d) with the observed targets y (n), as
// cross-validation does for the rows of a fold. Gaps (NaN in x) are allowed if the regressor accepts them. The metric uses the
// weights. If weights is nil, all weights are 1. It returns [estimators.ErrParam] for a metric of classifiers, and the errors of
// the predictions and of the metric.
func ScoreRegressor(r estimators.Regressor, m metrics.Metric, x mat.Matrix, y, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	score, err := folds.RegressionScorer(m)
	if err != nil {
		return 0, err
	}
	return scoreOf("validation: ScoreRegressor", r, score, x, y, weights)
}

// ScoreClassifier is like [ScoreRegressor], for the labels, scores or probabilities of a fitted classifier.
func ScoreClassifier(c estimators.Classifier, m metrics.Metric, x mat.Matrix, y []int, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	score, err := folds.ClassificationScorer(m)
	if err != nil {
		return 0, err
	}
	return scoreOf("validation: ScoreClassifier", c, score, x, y, weights)
}

func scoreOf[Y float64 | int, E folds.Learner[Y]](typ string, e E, score folds.Scoring[Y, E], x mat.Matrix, y []Y,
	weights []float64) (float64, error) {
	if check.IsNil(e) {
		return 0, fault.Param(typ, "estimator", "nil", "one that is fitted")
	}
	rows, _, err := givenRows[Y](x)
	if err != nil {
		return 0, err
	}
	n, _ := x.Dims()
	if err := check.Rows("y", len(y), n); err != nil {
		return 0, err
	}
	return score(e, rows.Matrix(), y, weights)
}
