package gabasr

import (
	"math"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// graph returns the scaled columns, which are the input of draws, and the columns of the trend. Without a trend the latter is the
// zero Value.
func (l *learned) graph(typ string, x graph.Value) (scaled, trend graph.Value, err error) {
	if l == nil {
		return x, trend, fault.NotFitted(typ)
	}
	if err := graph.Columns(x, l.Width); err != nil {
		return x, trend, err
	}
	scaled = x.Select(l.Columns...).Sub(x.Row(l.Mean)).Mul(x.Row(l.Inverse))
	return scaled, l.trend.Graph(scaled), nil
}

// meanGraph returns the mean of several columns.
func meanGraph(columns []graph.Value) graph.Value { return graph.Concat(columns...).Mean() }

// Graph implements [graph.Grapher].
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	m := r.m
	scaled, trend, err := m.learnedModel().graph(regressorType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	means, _ := features.Graphs(m.machines[0].Draws, scaled, trend, m.kind, false)
	return graph.Outputs{
		Mean: meanGraph(means).Times(m.scale).Plus(m.mean),
		Variance: func() (graph.Value, error) {
			_, spreads := features.Graphs(m.machines[0].Draws, scaled, trend, m.kind, true)
			var own []graph.Value
			for k, d := range m.machines[0].Draws {
				own = append(own, spreads[k+d.Holder].Times(d.Variance(1)-d.Variance(0)).Plus(d.Variance(0)))
			}
			between := graph.Concat(means...).Sub(meanGraph(means)).Square().Mean()
			return meanGraph(own).Add(between).Times(m.scale * m.scale).Plus(m.within), nil
		},
	}, nil
}

// Graph implements [graph.Grapher].
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	m := c.m
	scaled, _, err := m.learnedModel().graph(classifierType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	parts := make([]graph.Value, len(m.machines))
	sampled := m.likelihood == PolyaGamma
	for k, mc := range m.machines {
		means, spreads := features.Graphs(mc.Draws, scaled, graph.Value{}, m.kind, sampled)
		if sampled {
			for i, d := range mc.Draws {
				means[i] = means[i].Div(spreads[i+d.Holder].Times(math.Pi / 8).Plus(1).Sqrt()).Sigmoid()
			}
		}
		v := meanGraph(means)
		if sampled {
			v = v.Clamp(x.Number(1e-15), x.Number(1-1e-15))
			v = v.Log().Sub(v.Neg().Log1p())
		}
		parts[k] = v.Times(m.links[k].Slope).Plus(m.links[k].Offset)
	}
	out := graph.Outputs{Classes: c.Classes(), Decision: graph.Concat(parts...).Scores()}
	out.Proba = out.Decision.Sigmoid().Shares()
	return out, nil
}
