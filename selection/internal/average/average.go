// Package average combines fitted models with their shares. Regressors become the mixture of their normal distributions, and
// classifiers the mean of their probabilities.
package average

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/targets"
)

// Part is one of the averaged models.
type Part[E any] struct {
	Share float64
	Model E
	// Chain preprocesses rows for the model.
	Chain *pipeline.Transformer
}

// graph adds the model, after its preprocessing, to the graph and returns its outputs.
func (p Part[E]) graph(x graph.Value) (graph.Outputs, error) {
	rows, err := p.Chain.Graph(x)
	if err != nil {
		return rows, err
	}
	return graph.Build(p.Model, rows.Rows)
}

// models holds the fields that Regressor and Classifier have in common.
type models[E any] struct {
	typ   string // for errors
	parts []Part[E]
}

// each calls f with each model, its share and the rows preprocessed for it.
func (m models[E]) each(x mat.Matrix, f func(model E, share float64, z mat.Matrix) error) error {
	for _, p := range m.parts {
		if err := p.Chain.Pass(x, func(z mat.Matrix) error { return f(p.Model, p.Share, z) }); err != nil {
			return err
		}
	}
	return nil
}

// Report returns the report of the first model. If it has none, Converged is true.
func (m models[E]) Report() estimators.Report {
	if r, ok := any(m.parts[0].Model).(estimators.Reporter); ok {
		return r.Report()
	}
	return estimators.Report{Converged: true}
}

// notByItself returns the error of Fit: a mean has only fitted models, and cannot be fitted by itself.
func (m models[E]) notByItself() error {
	return fmt.Errorf("%s: the mean of its models cannot be fitted by itself: %w", m.typ, errors.ErrUnsupported)
}

// Regressor predicts the weighted mean of regressors.
type Regressor struct {
	models[estimators.Regressor]
	// If VarianceFactor is > 0, it multiplies the variance of the mixture.
	VarianceFactor float64
	// If Transformation is not nil, the parts predict targets that it has transformed.
	Transformation *targets.Transformation
}

// NewRegressor returns the mean of at least one model. Errors start with typ.
func NewRegressor(typ string, parts []Part[estimators.Regressor]) *Regressor {
	return &Regressor{models: models[estimators.Regressor]{typ, parts}}
}

var (
	_ estimators.VariancePredictor    = (*Regressor)(nil)
	_ estimators.IntervalPredictor    = (*Regressor)(nil)
	_ estimators.PredictorTo[float64] = (*Regressor)(nil)
	_ estimators.Reporter             = (*Regressor)(nil)
)

func (m *Regressor) Fit(context.Context, mat.Matrix, []float64) (err error) {
	defer fault.Recover(&err)
	return m.notByItself()
}

func (m *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	n, _ := x.Dims()
	out := make([]float64, n)
	return out, m.PredictTo(out, x)
}

// PredictTo sums the weighted predictions of the parts in reused memory.
func (m *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	defer func() {
		if t := m.Transformation; t != nil && err == nil {
			for i, z := range dst {
				dst[i] = t.Mean(z)
			}
		}
	}()
	if len(m.parts) == 1 {
		return m.each(x,
			func(e estimators.Regressor, _ float64, z mat.Matrix) error { return rowwise.Predict(e, dst, z) })
	}
	if n, _ := x.Dims(); n != len(dst) {
		return fault.Shape("dst has", len(dst), "entries", "x has %d rows", n)
	}
	memory := rowwise.Scratch(len(dst))
	defer rowwise.Release(memory)
	clear(dst)
	return m.each(x, func(e estimators.Regressor, share float64, z mat.Matrix) error {
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
func (m *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	mean, variance, err = m.mixture(x)
	if t := m.Transformation; t != nil && err == nil {
		for i, z := range mean {
			mean[i] = t.Mean(z)
			variance[i] = t.Variance(z, variance[i], mean[i])
		}
	}
	return mean, variance, err
}

// mixture is like PredictVariance, but on the scale of the transformed targets.
func (m *Regressor) mixture(x mat.Matrix) (mean, variance []float64, err error) {
	n, _ := x.Dims()
	mean, variance = make([]float64, n), make([]float64, n)
	var means [][]float64
	err = m.each(x, func(e estimators.Regressor, share float64, z mat.Matrix) error {
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
			variance[i] += m.parts[k].Share * d * d
		}
	}
	if m.VarianceFactor > 0 {
		floats.Scale(m.VarianceFactor, variance)
	}
	return mean, variance, nil
}

// PredictInterval computes the bounds of a normal distribution of the transformed targets, and transforms them back.
func (m *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	if err := interval.Level(m.typ, level); err != nil {
		return nil, nil, err
	}
	low, high, err = interval.Normal(level)(m.mixture(x))
	if t := m.Transformation; t != nil && err == nil {
		t.InvertIntervals(low, high)
	}
	return low, high, err
}

// Classifier predicts with the mean of the classifiers' probabilities.
type Classifier struct {
	models[estimators.Classifier]
	of []int // class labels
}

// NewClassifier returns the mean of at least one model. All models must have probabilities for the same classes. Errors start with
// typ.
func NewClassifier(typ string, parts []Part[estimators.Classifier]) *Classifier {
	return &Classifier{models[estimators.Classifier]{typ, parts}, parts[0].Model.Classes()}
}

var (
	_ estimators.ProbaPredictor      = (*Classifier)(nil)
	_ estimators.DecisionPredictor   = (*Classifier)(nil)
	_ estimators.DecisionPredictorTo = (*Classifier)(nil)
	_ estimators.ProbaPredictorTo    = (*Classifier)(nil)
	_ estimators.PredictorTo[int]    = (*Classifier)(nil)
	_ estimators.Reporter            = (*Classifier)(nil)
)

func (m *Classifier) Fit(context.Context, mat.Matrix, []int) (err error) {
	defer fault.Recover(&err)
	return m.notByItself()
}

func (m *Classifier) Classes() []int { return slices.Clone(m.of) }

// PredictProba returns the mean of the parts' probabilities.
func (m *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	n, _ := x.Dims()
	out := mat.NewDense(n, len(m.of), nil)
	return out, m.PredictProbaTo(out, x)
}

// Decision returns the probabilities. Predict chooses the largest.
func (m *Classifier) Decision(x mat.Matrix) (*mat.Dense, error) { return m.PredictProba(x) }

// DecisionTo calls PredictProbaTo.
func (m *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) error {
	return m.PredictProbaTo(dst, x)
}

// PredictProbaTo writes the mean probabilities to dst.
func (m *Classifier) PredictProbaTo(dst *mat.Dense, x mat.Matrix) (err error) {
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
	return m.each(x, func(e estimators.Classifier, share float64, z mat.Matrix) error {
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

// shares provides memory for the probabilities of a part.
var shares = sync.Pool{New: func() any { return &mat.Dense{} }}

func (m *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	n, _ := x.Dims()
	out := make([]int, n)
	return out, m.PredictTo(out, x)
}

// PredictTo chooses the class with the largest mean probability.
func (m *Classifier) PredictTo(dst []int, x mat.Matrix) (err error) {
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

// Graph returns the mean of the parts as a graph.
func (m *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	var out graph.Outputs
	parts := make([]graph.Outputs, len(m.parts))
	for i, p := range m.parts {
		var err error
		if parts[i], err = p.graph(x); err != nil {
			return out, err
		}
		out.Mean = plus(out.Mean, parts[i].Mean.Times(p.Share))
	}
	if !slices.ContainsFunc(parts, func(p graph.Outputs) bool { return p.Variance == nil }) {
		out.Variance = func() (variance graph.Value, err error) {
			for i, p := range parts {
				own, err := p.Variance()
				if err != nil {
					return own, err
				}
				variance = plus(variance, own.Add(p.Mean.Sub(out.Mean).Square()).Times(m.parts[i].Share))
			}
			if m.VarianceFactor > 0 {
				variance = variance.Times(m.VarianceFactor)
			}
			return variance, nil
		}
	}
	return transformedOutputs(out, m.Transformation), nil
}

// transformedOutputs transforms outputs back to the scale of the targets.
func transformedOutputs(of graph.Outputs, t *targets.Transformation) graph.Outputs {
	if t == nil {
		return of
	}
	out := of
	out.Mean = t.GraphMean(of.Mean)
	if of.Variance != nil {
		out.Variance = func() (graph.Value, error) {
			v, err := of.Variance()
			if err != nil {
				return v, err
			}
			return t.GraphVariance(of.Mean, v, out.Mean), nil
		}
	}
	return out
}

func plus(a, b graph.Value) graph.Value {
	if a.IsZero() {
		return b
	}
	return a.Add(b)
}

// Graph returns the mean of the parts' probabilities as a graph.
func (m *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	var proba graph.Value
	for _, p := range m.parts {
		part, err := p.graph(x)
		if err == nil && part.Proba.IsZero() {
			err = estimators.Unsupported(m.typ, p.Model, estimators.Proba)
		}
		if err != nil {
			return graph.Outputs{}, err
		}
		proba = plus(proba, part.Proba.Times(p.Share))
	}
	return graph.Outputs{Classes: m.Classes(), Decision: proba, Proba: proba}, nil
}
