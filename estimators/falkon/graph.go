package falkon

import (
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/kernels"
)

// Graph implements [graph.Grapher].
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	return r.m.Graph(regressorType, r.settings().withDefaults().Options(), x)
}

// Graph implements [graph.Grapher].
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	_, f, err := c.m.GraphOutputs(classifierType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	out := graph.Outputs{Classes: c.Classes(), Decision: f.Scores()}
	if c.used == SquaredLoss {
		out.Proba = c.link.Graph(out.Decision)
	} else {
		out.Proba = out.Decision.Sigmoid().Shares()
	}
	return out, nil
}

// Graph returns the graph of the Outputs for new rows.
func (s *smoothed) Graph(x graph.Value) (graph.Outputs, error) {
	landmarks, err := check.Dense("the landmarks", s.basis.Landmarks)
	if err != nil {
		return graph.Outputs{}, err
	}
	k, err := kernels.Graph(s.basis.Kernel, x, landmarks)
	if err != nil {
		return graph.Outputs{}, err
	}
	means, coefficients, bias := s.Linear()
	z := s.basis.Graph(k)
	return graph.Outputs{Rows: z.Sub(z.Row(means)).MatMul(z.Constant(coefficients)).Add(z.Row(bias))}, nil
}
