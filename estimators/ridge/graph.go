package ridge

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
)

func column(x graph.Value, values []float64) graph.Value {
	return x.Constant(mat.NewDense(len(values), 1, slices.Clone(values)))
}

// Graph implements [graph.Grapher].
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	return r.m.graph(regressorType, x)
}

// graph returns the means and the variances of the targets.
func (m *model) graph(typ string, x graph.Value) (graph.Outputs, error) {
	if m == nil {
		return graph.Outputs{}, fault.NotFitted(typ)
	}
	if err := graph.Columns(x, len(m.means)); err != nil {
		return graph.Outputs{}, err
	}
	centred := x.Sub(x.Row(m.means))
	return graph.Outputs{
		Mean: centred.MatMul(x.Constant(m.coefficients.T())).Add(x.Row(m.target)),
		Variance: func() (graph.Value, error) {
			var out graph.Value
			if m.sparse != denseSolver {
				return out, m.errVariance(typ)
			}
			if len(m.ridges) == 1 {
				out = m.graphUncertain(centred, 0).Mul(x.Row(m.noise))
			} else {
				var columns []graph.Value
				for j, s := range m.noise {
					columns = append(columns, m.graphUncertain(centred, j).Times(s))
				}
				out = graph.Concat(columns...)
			}
			if m.within != nil {
				out = out.Add(x.Row(m.within))
			}
			return out, nil
		},
	}, nil
}

// graphUncertain returns uncertain as a graph.
func (m *model) graphUncertain(centred graph.Value, g int) graph.Value {
	within := centred
	if m.basis != nil {
		within = centred.MatMul(centred.Constant(m.basis))
	}
	v := within.SolveUpper(m.factors[g].Upper()).Square().Sum()
	if m.basis != nil {
		v = v.Add(centred.Square().Sum().Sub(within.Square().Sum()).Max(v.Number(0)).Times(1 / m.ridges[g]))
	}
	return v.Plus(m.unit + m.spread)
}

// Graph implements [graph.Grapher].
func (d *DirectKernel) Graph(x graph.Value) (graph.Outputs, error) {
	if d.m == nil {
		return graph.Outputs{}, fault.NotFitted(directKernelType)
	}
	if err := graph.Columns(x, len(d.m.coefficients)); err != nil {
		return graph.Outputs{}, err
	}
	return graph.Outputs{Mean: x.MatMul(column(x, d.m.coefficients)).Plus(d.m.bias)}, nil
}

// Graph returns the outputs for new rows as graphs.
func (s *ofFeatures) Graph(x graph.Value) (graph.Outputs, error) {
	means, coefficients, bias := s.Linear()
	return graph.Outputs{Rows: x.Sub(x.Row(means)).MatMul(x.Constant(coefficients)).Add(x.Row(bias))}, nil
}

// Graph returns the outputs for new rows as graphs.
func (s *ofRows) Graph(x graph.Value) (graph.Outputs, error) {
	a, _ := s.Rows()
	return graph.Outputs{Rows: x.Sub(x.Row(s.of.means)).MatMul(x.Constant(s.rows.T())).MatMul(x.Constant(a)).Add(x.Row(s.Bias()))}, nil
}
