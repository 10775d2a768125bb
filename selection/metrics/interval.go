package metrics

import (
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Coverage returns the fraction of the targets y (n) within [low, high] (n each), including the ends, and the mean width of the
// intervals in the units of y. Of two predictions with the right coverage, the one with narrower intervals is better. Ends may be
// infinite. Errors: ErrShape, ErrNotFinite, and ErrParam for low > high.
func Coverage(y, low, high, weights []float64) (share, width float64, err error) {
	defer fault.Recover(&err)
	if err := vectors(y, nil); err != nil {
		return 0, 0, err
	}
	for _, end := range []struct {
		name string
		v    []float64
	}{{"low", low}, {"high", high}} {
		if err := sameLength(end.name, len(end.v), len(y)); err != nil {
			return 0, 0, err
		}
		for i, v := range end.v {
			if math.IsNaN(v) {
				return 0, 0, &fault.NotFiniteError{Name: end.name, Row: i, Col: -1, Value: v}
			}
		}
	}
	w, err := weigh(weights, len(y))
	if err != nil {
		return 0, 0, err
	}
	inside, widths := 0.0, make([]float64, len(y))
	for i, v := range y {
		if low[i] > high[i] {
			return 0, 0, fault.Param("metrics: Coverage", fmt.Sprintf("low[%d]", i), low[i], fmt.Sprintf("<= high[%d] = %v", i, high[i]))
		}
		if low[i] <= v && v <= high[i] {
			inside += w.weight(i)
		}
		if low[i] < high[i] { // equal infinite ends have width 0, and Inf-Inf is NaN
			widths[i] = high[i] - low[i]
		}
	}
	return inside / w.total(len(y)), w.mean(widths), nil
}

// NormalCoverage is like Coverage, for the central intervals of normal predictions at a level, such as 0.95: mean ±
// √(2·variance)·erf⁻¹(level). The fraction should be close to the level. Errors: ErrShape, ErrNotFinite, and ErrParam for a level
// outside (0, 1) or a variance < 0.
func NormalCoverage(y, mean, variance []float64, level float64, weights []float64) (share, width float64, err error) {
	defer fault.Recover(&err)
	if !(level > 0 && level < 1) {
		return 0, 0, fault.Param("metrics: NormalCoverage", "level", level, "in (0, 1)")
	}
	if err := vectors(y, []string{"mean", "variance"}, mean, variance); err != nil {
		return 0, 0, err
	}
	z := math.Sqrt2 * math.Erfinv(level)
	low, high := make([]float64, len(y)), make([]float64, len(y))
	for i, m := range mean {
		if variance[i] < 0 {
			return 0, 0, fault.Param("metrics: NormalCoverage", fmt.Sprintf("variance[%d]", i), variance[i], ">= 0")
		}
		half := z * math.Sqrt(variance[i])
		low[i], high[i] = m-half, m+half
	}
	return Coverage(y, low, high, weights)
}

// LogDensity returns the mean log predictive density, in nats, of normal predictions:
//
//	-½ mean( ln 2π + ln variance + (y - mean)²/variance )
//
// Larger is better. It is a proper score: in expectation the true mean and variance are best. It therefore judges the mean and the
// variance together, while coverage and width must be weighed against each other (Gneiting and Raftery, Journal of the American
// Statistical Association 102, 2007, 359). It depends on the unit of y, since it is a density per unit. Errors: ErrShape,
// ErrNotFinite, and ErrParam for a variance that is not positive.
func LogDensity(y, mean, variance, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	if err := vectors(y, []string{"mean", "variance"}, mean, variance); err != nil {
		return 0, err
	}
	w, err := weigh(weights, len(y))
	if err != nil {
		return 0, err
	}
	terms := make([]float64, len(y))
	for i, v := range variance {
		if v <= 0 {
			return 0, fault.Param("metrics: LogDensity", fmt.Sprintf("variance[%d]", i), v, "> 0")
		}
		// Subtract first, for accuracy. The difference of halves cannot overflow.
		half := (y[i]/2 - mean[i]/2) / math.Sqrt(v)
		terms[i] = -(math.Log(2*math.Pi)+math.Log(v))/2 - 2*(half*half)
	}
	return w.mean(terms), nil
}

// CRPS returns the mean continuous ranked probability score of normal predictions, in the units of y. With z = (y - mean)/σ and the
// variance σ², the score of a row is
//
//	σ (z (2Φ(z) - 1) + 2φ(z) - 1/√π).
//
// It is the integral, over all values t, of the squared difference between the predicted probability of at most t and [y <= t]. The
// score of a prediction with variance 0 is therefore its absolute error. Smaller is better, and in expectation the true mean and
// variance are best. Outlying targets cost less than with [LogDensity] (Gneiting and Raftery, 2007, section 4.2). Errors: ErrShape,
// ErrNotFinite, and ErrParam for a negative variance.
func CRPS(y, mean, variance, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	if err := vectors(y, []string{"mean", "variance"}, mean, variance); err != nil {
		return 0, err
	}
	w, err := weigh(weights, len(y))
	if err != nil {
		return 0, err
	}
	terms := make([]float64, len(y))
	for i, v := range variance {
		if v < 0 {
			return 0, fault.Param("metrics: CRPS", fmt.Sprintf("variance[%d]", i), v, ">= 0")
		}
		sigma, residual := math.Sqrt(v), y[i]-mean[i]
		z := residual / sigma
		if v == 0 || math.IsInf(z, 0) {
			terms[i] = math.Abs(residual)
			continue
		}
		terms[i] = residual*math.Erf(z/math.Sqrt2) + sigma*(math.Sqrt(2/math.Pi)*math.Exp(-z*z/2)-1/math.Sqrt(math.Pi))
	}
	return w.mean(terms), nil
}

// Pinball returns the mean pinball loss of predicted quantiles at a level τ in (0, 1), in the units of y. The loss is τ(y - q) for
// a target above the quantile q, and (1 - τ)(q - y) below it. It is a proper score for the quantile, and smaller is better. At τ =
// ½ it is half of [MAE] (R. Koenker and G. Bassett, Econometrica 46, 1978, 33). Errors: ErrShape, ErrNotFinite, and ErrParam for a
// level outside (0, 1).
func Pinball(y, quantiles []float64, level float64, weights []float64) (_ float64, err error) {
	defer fault.Recover(&err)
	if !(level > 0 && level < 1) {
		return 0, fault.Param("metrics: Pinball", "level", level, "in (0, 1)")
	}
	if err := vectors(y, []string{"quantiles"}, quantiles); err != nil {
		return 0, err
	}
	w, err := weigh(weights, len(y))
	if err != nil {
		return 0, err
	}
	terms := make([]float64, len(y))
	for i, q := range quantiles {
		terms[i] = max(level*(y[i]-q), (1-level)*(q-y[i]))
	}
	return w.mean(terms), nil
}
