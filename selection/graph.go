package selection

import (
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/targets"
)

// graph is what the inner estimator makes of preprocessed rows.
func (f *fitted[E]) graph(typ string, x graph.Value) (graph.Outputs, error) {
	if f == nil {
		return graph.Outputs{}, fault.NotFitted(typ)
	}
	rows, err := f.chain.Graph(x)
	if err != nil {
		return rows, err
	}
	return graph.Build(f.inner, rows.Rows)
}

// Graph implements [graph.Grapher] for the estimator that was built, if it and all steps of Preprocess have a
// graph.
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) { return r.f.graph(regressorType, x) }

// Graph implements [graph.Grapher], like [Regressor.Graph].
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) { return c.f.graph(classifierType, x) }

// Graph is the mean of the parts.
func (m *meanRegressor) Graph(x graph.Value) (graph.Outputs, error) {
	var out graph.Outputs
	parts := make([]graph.Outputs, len(m.parts))
	for i, p := range m.parts {
		var err error
		if parts[i], err = p.graph(regressorType, x); err != nil {
			return out, err
		}
		out.Mean = plus(out.Mean, parts[i].Mean.Times(p.result.Share))
	}
	if !slices.ContainsFunc(parts, func(p graph.Outputs) bool { return p.Variance == nil }) {
		out.Variance = func() (variance graph.Value, err error) {
			for i, p := range parts {
				own, err := p.Variance()
				if err != nil {
					return own, err
				}
				variance = plus(variance, own.Add(p.Mean.Sub(out.Mean).Square()).Times(m.parts[i].result.Share))
			}
			if factor := m.parts[0].result.VarianceFactor; factor > 0 {
				variance = variance.Times(factor)
			}
			return variance, nil
		}
	}
	return bentOutputs(out, m.bend()), nil
}

// bentOutputs are outputs of targets that models see another way.
func bentOutputs(of graph.Outputs, b *targets.Bend) graph.Outputs {
	if b == nil {
		return of
	}
	out := of
	out.Mean = b.GraphMean(of.Mean)
	if of.Variance != nil {
		out.Variance = func() (graph.Value, error) {
			v, err := of.Variance()
			if err != nil {
				return v, err
			}
			return b.GraphVariance(of.Mean, v), nil
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

// Graph is the mean of the parts' probabilities.
func (m *meanClassifier) Graph(x graph.Value) (graph.Outputs, error) {
	var proba graph.Value
	for _, p := range m.parts {
		part, err := p.graph(classifierType, x)
		if err == nil && part.Proba.IsZero() {
			err = estimators.Unsupported(classifierType, p.inner, estimators.Proba)
		}
		if err != nil {
			return graph.Outputs{}, err
		}
		proba = plus(proba, part.Proba.Times(p.result.Share))
	}
	return graph.Outputs{Classes: m.Classes(), Decision: proba, Proba: proba}, nil
}

// Graph returns Outputs of new rows.
func (s *smoothed) Graph(x graph.Value) (graph.Outputs, error) {
	rows, err := s.chain.Graph(x)
	if err != nil {
		return rows, err
	}
	return graph.Build(s.Smoother, rows.Rows)
}
