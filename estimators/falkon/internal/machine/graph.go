package machine

import (
	"context"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// GraphOutputs returns graphs of the kernel values with the landmarks, and of the outputs.
func (m *Machine) GraphOutputs(typ string, x graph.Value) (k, f graph.Value, err error) {
	if m == nil {
		return k, f, fault.NotFitted(typ)
	}
	landmarks, err := check.Dense("the landmarks", m.Landmarks)
	if err != nil {
		return k, f, err
	}
	if k, err = kernels.Graph(m.Kernel, x, landmarks); err != nil {
		return k, f, err
	}
	return k, k.MatMul(k.Constant(m.Beta.T())).Add(k.Row(m.Bias)), nil
}

// Graph returns the graph of the outputs and their variances.
func (m *Machine) Graph(typ string, o *kernels.Options, x graph.Value) (graph.Outputs, error) {
	k, f, err := m.GraphOutputs(typ, x)
	return graph.Outputs{Mean: f, Variance: func() (graph.Value, error) {
		b, err := m.Basis(context.Background(), o)
		if err != nil {
			return k, err
		}
		return m.Spread.graph(b, x, k)
	}}, err
}

// Graph returns the graph of the features, from a graph of kernel values.
func (b *Basis) Graph(k graph.Value) graph.Value { return k.SolveUpper(b.T) }

// graph returns a graph of the variances.
func (s *Spread) graph(b *Basis, x, k graph.Value) (graph.Value, error) {
	own, err := kernels.GraphDiag(b.Kernel, x)
	if err != nil {
		return k, err
	}
	z := b.Graph(k)
	unseen := own.Sub(z.Square().Sum()).Max(k.Number(0)).Times(1 / b.Scale())
	if s.Centre != nil {
		z = z.Sub(z.Row(s.Centre))
	}
	quad := z.SolveUpper(s.Factor.Upper()).Square().Sum().Plus(s.Unit)
	if !s.NoIntercept {
		quad = quad.Plus(1 / s.Weight)
	}
	out := quad.Mul(k.Row(s.Noise)).Add(unseen.Mul(k.Row(s.Unseen)))
	if s.Within != nil {
		out = out.Add(k.Row(s.Within))
	}
	return out, nil
}
