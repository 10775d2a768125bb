package metrics

import (
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// NMSE returns the normalised mean squared error Σ(y-ŷ)² / Σ(y-ȳ)², where ȳ is the mean of y: 0 is perfect, and 1 is as good as
// predicting the mean. For a constant y it is 0 for exact predictions and +Inf otherwise. Errors: ErrShape, ErrNotFinite, ErrParam.
func NMSE(y, predicted, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	w, err := regression(y, predicted, weights)
	if err != nil {
		return 0, err
	}
	residual, e := difference(y, predicted)
	above := w.squares(residual)
	if above == 0 {
		return 0, nil
	}
	if slices.Min(y) == slices.Max(y) { // the rounded mean may differ from the equal targets
		return math.Inf(1), nil
	}
	deviation, f := difference(y, slices.Repeat([]float64{w.mean(y)}, len(y)))
	return math.Ldexp(above/w.squares(deviation), 2*(e-f)), nil
}

// R2 returns the coefficient of determination, 1 - NMSE: 1 is perfect, 0 is as good as predicting the mean of y, and there is no
// lower bound.
func R2(y, predicted, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	v, err := NMSE(y, predicted, weights)
	if err != nil {
		return 0, err
	}
	return 1 - v, nil
}

// RMSE returns the root mean squared error √(Σ(y-ŷ)²/n), in the units of y. Errors: ErrShape, ErrNotFinite, ErrParam.
func RMSE(y, predicted, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	w, err := regression(y, predicted, weights)
	if err != nil {
		return 0, err
	}
	residual, e := difference(y, predicted)
	return math.Ldexp(math.Sqrt(w.squares(residual)/w.total(len(y))), e), nil
}

// MAE returns the mean absolute error Σ|y-ŷ|/n, in the units of y. Errors: ErrShape, ErrNotFinite, ErrParam.
func MAE(y, predicted, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	w, err := regression(y, predicted, weights)
	if err != nil {
		return 0, err
	}
	residual, e := difference(y, predicted)
	sum := 0.0
	for i, d := range residual {
		sum += w.weight(i) * math.Abs(d)
	}
	return math.Ldexp(sum/w.total(len(y)), e), nil
}

func regression(y, predicted, weights []float64) (rowWeights, error) {
	if err := vectors(y, []string{"predicted"}, predicted); err != nil {
		return nil, err
	}
	return weigh(weights, len(y))
}

// difference returns (a-b)·2⁻ᵉ and e, so that the largest element is in [½, 1). The squares of the elements do not overflow, and
// underflow only if they are negligible.
func difference(a, b []float64) (d []float64, e int) {
	d = make([]float64, len(a))
	largest := 0.0
	for i, v := range a {
		d[i] = v - b[i]
		largest = max(largest, math.Abs(d[i]))
	}
	halved := 0
	if math.IsInf(largest, 1) {
		largest, halved = 0, 1
		for i, v := range a {
			d[i] = v/2 - b[i]/2
			largest = max(largest, math.Abs(d[i]))
		}
	}
	_, e = math.Frexp(largest)
	for i, v := range d {
		d[i] = math.Ldexp(v, -e)
	}
	return d, e + halved
}

// squares returns Σ w d².
func (w rowWeights) squares(d []float64) float64 {
	sum := 0.0
	for i, v := range d {
		sum += w.weight(i) * (v * v)
	}
	return sum
}
