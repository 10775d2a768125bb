package estimators

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const quantilesName = "estimators: PredictQuantiles"

// PredictQuantiles returns quantiles of a new observation at each row of x. The result has a column for each of the levels, which
// are probabilities in (0, 1) in any order. The model must be fitted and have the capability Interval or Variance. Otherwise, and
// for a MultiRegressor, the error wraps errors.ErrUnsupported.
//
// The quantile of level q is a bound of the central interval of level |1-2q|: the lower bound for q < ½, and otherwise the upper
// one. If a model has only variances, the quantile is that of a normal distribution. The quantile of level ½, the median, is the
// prediction. The accuracy depends on the model:
//
//   - lssvm, ridge, falkon, rvm, and pipelines and searches of them assume that a new observation has a normal distribution.
//     gabasr assumes a t distribution. These are symmetric, so all quantiles, including the median, are exactly those of the
//     assumed distribution.
//   - conformal guarantees, for any distribution, that a share of at least 1-2q lies between the quantiles of levels q and 1-q,
//     for q < ½. It guarantees nothing for a single quantile, unless errors are symmetric. Its median is the prediction of the
//     wrapped model, which estimates the mean. If there are too few scores for a level, a quantile is infinite.
//   - For a third-party type, the quantiles follow from its intervals, which must leave half of the remaining probability on
//     either side, as the contract requires.
//
// Quantiles never cross. The bounds that a model returns could cross because of rounding, or because its prediction lies outside
// its own narrow intervals. The values of the row are then sorted. Two levels q and 1-q need only one call of PredictInterval.
//
// It returns the errors of the model. It returns ErrParam if a level is not in (0, 1), or is so close to 0 or 1 that 1-2q is ±1 in
// double precision.
func PredictQuantiles(model any, x mat.Matrix, levels []float64) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	if len(levels) == 0 {
		return nil, fault.Shape(quantilesName+": there are", 0, "levels", "want at least 1")
	}
	for i, q := range levels {
		if !(q > 0 && q < 1) || math.Abs(1-2*q) == 1 {
			return nil, fault.Param(quantilesName, fmt.Sprintf("levels[%d]", i), q, "in (0, 1), and 1-2q not ±1")
		}
	}
	if check.IsNil(model) {
		return nil, fault.Param(quantilesName, "model", nil, "a fitted model")
	}
	if _, several := model.(MultiRegressor); several {
		return nil, fmt.Errorf("%s: %T has several targets, take its PredictInterval: %w", quantilesName, model, errors.ErrUnsupported)
	}
	of, err := quantilesOf(model, x)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(levels)) // of the levels, ascending
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case levels[a] < levels[b]:
			return -1
		case levels[a] > levels[b]:
			return 1
		}
		return 0
	})
	var out *mat.Dense
	for _, at := range order {
		column, err := of(levels[at])
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = mat.NewDense(len(column), len(levels), nil)
		}
		out.SetCol(at, column)
	}
	row := make([]float64, len(levels))
	for i := range out.RawMatrix().Rows {
		to := out.RawRowView(i)
		for k, at := range order {
			if row[k] = to[at]; row[k] != row[k] {
				return nil, &fault.NotFiniteError{Name: quantilesName, Row: i, Col: at, Value: row[k]}
			}
		}
		slices.Sort(row)
		for k, at := range order {
			to[at] = row[k]
		}
	}
	return out, nil
}

// sameLevel is the largest relative difference between the levels of two intervals that are treated as equal: 1-2·.05 and 2·.95-1
// differ by rounding.
const sameLevel = 1e-14

// quantilesOf returns a function that returns the quantile of level q at each row of x.
func quantilesOf(model any, x mat.Matrix) (func(q float64) ([]float64, error), error) {
	median := medians(model, x)
	if v, ok := model.(IntervalPredictor); ok && Supports(model, Interval) {
		type ends struct {
			level     float64
			low, high []float64
		}
		var known []ends
		return func(q float64) ([]float64, error) {
			level := math.Abs(1 - 2*q)
			if level == 0 {
				return median()
			}
			at := slices.IndexFunc(known, func(e ends) bool { return math.Abs(e.level-level) <= sameLevel*level })
			if at < 0 {
				low, high, err := v.PredictInterval(x, level)
				if err != nil {
					return nil, err
				}
				at, known = len(known), append(known, ends{level, low, high})
			}
			if q < .5 {
				return known[at].low, nil
			}
			return known[at].high, nil
		}, nil
	}
	v, ok := model.(VariancePredictor)
	if !ok || !Supports(model, Variance) {
		return nil, Unsupported(quantilesName, model, Interval)
	}
	mean, variance, err := v.PredictVariance(x)
	if err != nil {
		return nil, err
	}
	return func(q float64) ([]float64, error) {
		z := distuv.UnitNormal.Quantile(q)
		out := slices.Clone(mean)
		for i, s := range variance {
			out[i] += z * math.Sqrt(s)
		}
		return out, nil
	}, nil
}

// medians returns a function that returns the prediction, or the mean of PredictVariance if the model has no Predict.
func medians(model any, x mat.Matrix) func() ([]float64, error) {
	return func() ([]float64, error) {
		if r, ok := model.(interface {
			Predict(x mat.Matrix) ([]float64, error)
		}); ok {
			return r.Predict(x)
		}
		if v, ok := model.(VariancePredictor); ok && Supports(model, Variance) {
			mean, _, err := v.PredictVariance(x)
			return mean, err
		}
		return nil, fmt.Errorf("%s: %w", quantilesName, Unsupported("the median", model, Variance))
	}
}
