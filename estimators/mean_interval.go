package estimators

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// PredictInterval returns the prediction for each row of x (m×d), with the bounds between which a new observation lies with probability
// level in (0, 1), half of the rest on either side. The model is a fitted [Regressor] with the capability Interval, or one that reaches it
// through its steps. The cost is that of the variances, O(n²) a row for n rows of a kernel machine where a prediction alone is O(nd): of
// 1000 rows of eight columns ten times as much. A prediction is the mean, and not the middle of the interval where that is one-sided.
// Errors: those of the model, and one that wraps errors.ErrUnsupported for a model without intervals.
func PredictInterval(model Regressor, x mat.Matrix, level float64) (mean, low, high []float64, err error) {
	defer fault.Recover(&err)
	if check.IsNil(model) {
		return nil, nil, nil, fault.Param("estimators: PredictInterval", "model", nil, "a fitted model")
	}
	if !Supports(model, Interval) {
		return nil, nil, nil, Unsupported("estimators: PredictInterval", model, Interval)
	}
	if low, high, err = model.(IntervalPredictor).PredictInterval(x, level); err != nil {
		return nil, nil, nil, err
	}
	if mean, err = model.Predict(x); err != nil {
		return nil, nil, nil, err
	}
	return mean, low, high, nil
}
