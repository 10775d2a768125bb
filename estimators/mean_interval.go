package estimators

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// PredictInterval returns the prediction for each row of x (m×d), with the bounds between which a new observation lies with
// probability level in (0, 1), with half of the remaining probability on either side. The model is a fitted [Regressor] with the
// capability Interval, or a wrapper of one. It costs as much as the variances: O(n²) for a row with a kernel machine of n rows,
// where a prediction alone costs O(nd). For 1000 rows of eight columns this is ten times as much. The prediction is the mean, which
// is not the middle of a one-sided interval. Errors: those of the model, and an error that wraps errors.ErrUnsupported for a model
// without intervals.
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
