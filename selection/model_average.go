package selection

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/targets"
)

// modelAverage is what the means of regressors and of classifiers have in common.
type modelAverage[E any] struct{ parts []*fitted[E] }

// bend is how the models see the targets, nil for as they are.
func (m modelAverage[E]) bend() *targets.Bend { return m.parts[0].bend }

// eachModel calls f with each part, its share and the rows as it sees them.
func (m modelAverage[E]) eachModel(typ string, x mat.Matrix, f func(inner E, share float64, z mat.Matrix) error) error {
	for _, p := range m.parts {
		if err := p.pass(typ, x, func(z mat.Matrix) error { return f(p.inner, p.result.Share, z) }); err != nil {
			return err
		}
	}
	return nil
}

// Report is the best part's.
func (m modelAverage[E]) Report() estimators.Report { return m.parts[0].report() }

// notByItself is the error of fitting a part of a search.
func notByItself(typ string) error {
	return fmt.Errorf("%s: the mean of its models is fitted by it alone: %w", typ, errors.ErrUnsupported)
}

// meanRegressor predicts the mean of regressors.
type meanRegressor struct {
	modelAverage[estimators.Regressor]
}

func meanOfRegressors(parts []*fitted[estimators.Regressor]) estimators.Regressor {
	return &meanRegressor{modelAverage[estimators.Regressor]{parts}}
}

var (
	_ estimators.VariancePredictor    = (*meanRegressor)(nil)
	_ estimators.IntervalPredictor    = (*meanRegressor)(nil)
	_ estimators.PredictorTo[float64] = (*meanRegressor)(nil)
	_ estimators.Reporter             = (*meanRegressor)(nil)
)

func (m *meanRegressor) Fit(context.Context, mat.Matrix, []float64) (err error) {
	defer fault.Recover(&err)
	return notByItself(regressorType)
}

func (m *meanRegressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	n, _ := x.Dims()
	out := make([]float64, n)
	return out, m.PredictTo(out, x)
}

// PredictTo adds the parts up, each in memory that is kept.
func (m *meanRegressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	defer func() {
		if b := m.bend(); b != nil && err == nil {
			for i, z := range dst {
				dst[i] = b.Mean(z)
			}
		}
	}()
	if len(m.parts) == 1 {
		return m.eachModel(regressorType, x,
			func(e estimators.Regressor, _ float64, z mat.Matrix) error { return rowwise.Predict(e, dst, z) })
	}
	if n, _ := x.Dims(); n != len(dst) {
		return fault.Shape("dst has", len(dst), "entries", "x has %d rows", n)
	}
	memory := rowwise.Scratch(len(dst))
	defer rowwise.Release(memory)
	clear(dst)
	return m.eachModel(regressorType, x, func(e estimators.Regressor, share float64, z mat.Matrix) error {
		if err := rowwise.Predict(e, *memory, z); err != nil {
			return err
		}
		for i, v := range *memory {
			dst[i] += share * v
		}
		return nil
	})
}

// PredictVariance returns the mean and the variance of the mixture of the parts' predictions.
func (m *meanRegressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	mean, variance, err = m.mixture(x)
	if b := m.bend(); b != nil && err == nil {
		for i, z := range mean {
			mean[i], variance[i] = b.Mean(z), b.Variance(z, variance[i])
		}
	}
	return mean, variance, err
}

// mixture is PredictVariance of the targets as the models see them.
func (m *meanRegressor) mixture(x mat.Matrix) (mean, variance []float64, err error) {
	n, _ := x.Dims()
	mean, variance = make([]float64, n), make([]float64, n)
	var means [][]float64
	err = m.eachModel(regressorType, x, func(e estimators.Regressor, share float64, z mat.Matrix) error {
		own, of, err := e.(estimators.VariancePredictor).PredictVariance(z)
		if err != nil {
			return err
		}
		for i, v := range own {
			mean[i] += share * v
			variance[i] += share * of[i]
		}
		means = append(means, own)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for k, own := range means {
		for i, v := range own {
			d := v - mean[i]
			variance[i] += m.parts[k].result.Share * d * d
		}
	}
	if factor := m.parts[0].result.VarianceFactor; factor > 0 {
		floats.Scale(factor, variance)
	}
	return mean, variance, nil
}

// PredictInterval is that of a normal distribution of the targets as the models see them.
func (m *meanRegressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(regressorType, level); err != nil {
		return nil, nil, err
	}
	low, high, err = interval.Normal(level)(m.mixture(x))
	if b := m.bend(); b != nil && err == nil {
		b.Ends(low, high)
	}
	return low, high, err
}

// meanClassifier predicts by the mean of the probabilities of classifiers.
type meanClassifier struct {
	modelAverage[estimators.Classifier]
	of []int // the classes
}

func meanOfClassifiers(parts []*fitted[estimators.Classifier]) estimators.Classifier {
	return &meanClassifier{modelAverage[estimators.Classifier]{parts}, parts[0].inner.Classes()}
}

var (
	_ estimators.ProbaPredictor      = (*meanClassifier)(nil)
	_ estimators.DecisionPredictor   = (*meanClassifier)(nil)
	_ estimators.DecisionPredictorTo = (*meanClassifier)(nil)
	_ estimators.ProbaPredictorTo    = (*meanClassifier)(nil)
	_ estimators.PredictorTo[int]    = (*meanClassifier)(nil)
	_ estimators.Reporter            = (*meanClassifier)(nil)
)

func (m *meanClassifier) Fit(context.Context, mat.Matrix, []int) (err error) {
	defer fault.Recover(&err)
	return notByItself(classifierType)
}

func (m *meanClassifier) Classes() []int { return slices.Clone(m.of) }

// PredictProba returns the mean of the parts' probabilities.
func (m *meanClassifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	n, _ := x.Dims()
	out := mat.NewDense(n, len(m.of), nil)
	return out, m.PredictProbaTo(out, x)
}

// Decision returns the probabilities, whose largest is what is predicted.
func (m *meanClassifier) Decision(x mat.Matrix) (*mat.Dense, error) { return m.PredictProba(x) }

// DecisionTo is PredictProbaTo.
func (m *meanClassifier) DecisionTo(dst *mat.Dense, x mat.Matrix) error {
	return m.PredictProbaTo(dst, x)
}

// PredictProbaTo is PredictProba into dst.
func (m *meanClassifier) PredictProbaTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	n, _ := x.Dims()
	if dst == nil {
		return fault.Shape("dst is nil: it has", 0, "rows", "want %d of %d columns", n, len(m.of))
	}
	if r, c := dst.Dims(); r != n || c != len(m.of) {
		return fault.Shape("dst has", c, "columns", "want %d rows of %d, dst has %d rows", n, len(m.of), r)
	}
	dst.Zero()
	part := shares.Get().(*mat.Dense)
	defer shares.Put(part)
	return m.eachModel(classifierType, x, func(e estimators.Classifier, share float64, z mat.Matrix) error {
		part.Reset()
		part.ReuseAs(n, len(m.of))
		if err := rowwise.Probabilities(e.(estimators.ProbaPredictor), part, z); err != nil {
			return err
		}
		for i := range n {
			to := dst.RawRowView(i)
			for k, v := range part.RawRowView(i) {
				to[k] += share * v
			}
		}
		return nil
	})
}

// shares are memory for those of a part.
var shares = sync.Pool{New: func() any { return &mat.Dense{} }}

func (m *meanClassifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	n, _ := x.Dims()
	out := make([]int, n)
	return out, m.PredictTo(out, x)
}

// PredictTo takes the class of the largest mean probability.
func (m *meanClassifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	if n, _ := x.Dims(); n != len(dst) {
		return fault.Shape("dst has", len(dst), "entries", "x has %d rows", n)
	}
	p := shares.Get().(*mat.Dense)
	defer shares.Put(p)
	p.Reset()
	p.ReuseAs(len(dst), len(m.of))
	if err := m.PredictProbaTo(p, x); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = m.of[floats.MaxIdx(p.RawRowView(i))]
	}
	return nil
}
