package falkon

import (
	"context"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

var (
	_ graph.Grapher = (*Regressor)(nil)
	_ graph.Grapher = (*Classifier)(nil)
)

// graphOutputs returns the kernel with the landmarks, and the outputs.
func (m *machine) graphOutputs(typ string, x graph.Value) (k, f graph.Value, err error) {
	if m == nil {
		return k, f, fault.NotFitted(typ)
	}
	if k, err = kernels.Graph(m.kernel, x, m.landmarks); err != nil {
		return k, f, err
	}
	return k, k.MatMul(k.Constant(m.beta.T())).Add(k.Row(m.bias)), nil
}

// Graph implements [graph.Grapher].
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	k, f, err := r.m.graphOutputs(regressorType, x)
	return graph.Outputs{Mean: f, Variance: func() (graph.Value, error) {
		b, err := r.m.spread.basisOf(context.Background(), r.m, r.settings().withDefaults())
		if err != nil {
			return k, err
		}
		return r.m.spread.graph(b, x, k)
	}}, err
}

// graph is variances.
func (s *spread) graph(b *basis, x, k graph.Value) (graph.Value, error) {
	own, err := kernels.GraphDiag(b.kernel, x)
	if err != nil {
		return k, err
	}
	z := k.SolveUpper(b.t)
	unseen := own.Sub(z.Square().Sum()).Max(k.Number(0)).Times(1 / b.scale())
	if s.centre != nil {
		z = z.Sub(z.Row(s.centre))
	}
	quad := z.SolveUpper(s.factor.Upper()).Square().Sum().Plus(s.unit)
	if !s.noIntercept {
		quad = quad.Plus(1 / s.weight)
	}
	out := quad.Mul(k.Row(s.noise)).Add(unseen.Mul(k.Row(s.unseen)))
	if s.within != nil {
		out = out.Add(k.Row(s.within))
	}
	return out, nil
}

// Graph implements [graph.Grapher].
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	_, f, err := c.m.graphOutputs(classifierType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	out := graph.Outputs{Classes: c.Classes(), Decision: f.Scores()}
	if c.fitted == SquaredLoss {
		out.Proba = out.Decision.Times(c.link.Slope).Add(f.Row(c.link.Offset)).Softmax()
	} else {
		out.Proba = out.Decision.Sigmoid().Shares()
	}
	return out, nil
}

// Graph returns Outputs of new rows.
func (s *smoothed) Graph(x graph.Value) (graph.Outputs, error) {
	k, err := kernels.Graph(s.basis.kernel, x, s.basis.landmarks)
	if err != nil {
		return graph.Outputs{}, err
	}
	means, coefficients, bias := s.Linear()
	z := k.SolveUpper(s.basis.t)
	return graph.Outputs{Rows: z.Sub(z.Row(means)).MatMul(z.Constant(coefficients)).Add(z.Row(bias))}, nil
}
