package lssvm

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
)

// graphOutputs returns the kernel values with the training rows, and the outputs.
func (m *machine) graphOutputs(typ string, x graph.Value) (k, f graph.Value, err error) {
	switch {
	case m == nil:
		return k, f, fault.NotFitted(typ)
	case m.rows == nil:
		return k, f, &fault.NotFittedError{Type: typ + ": fitted on a matrix: there are no rows to write"}
	}
	rows, err := check.Dense("the rows of Fit", m.rows)
	if err != nil {
		return k, f, fault.AddName(typ, err)
	}
	if k, err = kernels.Graph(m.kernel, x, rows); err != nil {
		return k, f, err
	}
	return k, k.MatMul(k.Constant(m.alpha)).Add(k.Row(m.bias)), nil
}

// Graph implements [graph.Grapher]. The variance costs as much as the first call of PredictVariance. After [ConjugateGradients] the
// variance is not available as a graph.
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	return r.m.graph(regressorType, x)
}

// graph returns the means and the variances of the targets.
func (m *machine) graph(typ string, x graph.Value) (graph.Outputs, error) {
	k, f, err := m.graphOutputs(typ, x)
	return graph.Outputs{Mean: f, Variance: func() (graph.Value, error) {
		v, left, err := m.graphVariance(x, k)
		if err != nil {
			return k, err
		}
		v = v.Mul(v.Row(left.scales))
		if m.given.within != nil {
			v = v.Add(v.Row(m.given.within))
		}
		return v, nil
	}}, err
}

// graphVariance returns the variance in units of s², without the variance within equal rows.
func (m *machine) graphVariance(x, k graph.Value) (graph.Value, *leftOut, error) {
	if m.posterior != nil {
		return k, nil, graph.Unsupported(m.details.Solver, "because the variance uses the nearest rows")
	}
	chol, err := m.factorOf(context.Background())
	if err != nil {
		return k, nil, err
	}
	left, err := m.leaveOneOut(context.Background())
	if err != nil {
		return k, nil, err
	}
	diag, err := kernels.GraphDiag(m.kernel, x)
	if err != nil {
		return k, nil, err
	}
	zero := k.Number(0)
	function := diag.Sub(k.SolveUpper(chol.Upper()).Square().Sum()).Max(zero)
	bias := k.MatMul(k.Constant(mat.NewDense(m.n, 1, slices.Clone(m.eta)))).Neg().Plus(1)
	return function.Add(bias.Square().Times(1 / vecmath.Sum(m.eta))).Plus(m.noise()), left, nil
}

// Graph implements [graph.Grapher].
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	_, f, err := c.m.graphOutputs(classifierType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	scores := f.Scores()
	return graph.Outputs{Classes: c.Classes(), Decision: scores,
			Proba: c.link.Graph(scores)},
		nil
}

// Graph returns the outputs for new rows as graphs.
func (s *smoothed) Graph(x graph.Value) (graph.Outputs, error) {
	k, err := kernels.Graph(s.kernel, x, s.rows)
	if err != nil {
		return graph.Outputs{}, err
	}
	a, _ := s.Rows()
	return graph.Outputs{Rows: k.MatMul(k.Constant(a)).Add(k.Row(s.Bias()))}, nil
}
