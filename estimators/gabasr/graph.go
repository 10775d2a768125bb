package gabasr

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
)

var (
	_ graph.Grapher = (*Regressor)(nil)
	_ graph.Grapher = (*Classifier)(nil)
)

// graph returns the columns as draws see them, scaled, and those of the trend, the zero Value without one.
func (l *learned) graph(typ string, x graph.Value) (scaled, trend graph.Value, err error) {
	if l == nil {
		return x, trend, fault.NotFitted(typ)
	}
	if err := graph.Columns(x, l.Width); err != nil {
		return x, trend, err
	}
	scaled = x.Select(l.Columns...).Sub(x.Row(l.Mean)).Mul(x.Row(l.Inverse))
	return scaled, l.trend.graph(scaled), nil
}

// graph is columns.
func (t trend) graph(x graph.Value) (none graph.Value) {
	var parts []graph.Value
	for _, p := range t {
		u := x.Select(p.Column).Plus(-p.Centre).Times(p.Inverse)
		values := []graph.Value{u.Fill(1)}
		for j, shift := range p.Shift {
			next := u.Plus(-shift).Mul(values[j])
			if j > 0 {
				next = next.Sub(values[j-1].Times(p.Norm[j]))
			}
			values = append(values, next.Div(x.Number(p.Norm[j+1])))
		}
		for _, power := range p.Kept {
			parts = append(parts, values[power])
		}
	}
	if len(parts) == 0 {
		return none
	}
	return graph.Concat(parts...)
}

// graph returns φ'w, and φ'A⁻¹φ if asked for, one column each.
func (d *draw) graph(x, trend graph.Value, kind Map, withSpread bool) (mean, spread graph.Value) {
	products := func(w *mat.Dense) graph.Value { return x.MatMul(x.Constant(w.T())) }
	w, v := dense(d.W), dense(d.V)
	unit := 1 / math.Sqrt(float64(pairsOf(w, v, kind)))
	at := products(w)
	cos, sin := at.Cos().Times(unit), at.Sin().Times(unit)
	if kind != Stationary {
		local := products(v).Times(0.5).Cos()
		if kind == AllPairs {
			var each, all []int
			for k := range d.V.Rows {
				for j := range d.W.Rows {
					each, all = append(each, k), append(all, j)
				}
			}
			local, cos, sin = local.Select(each...), cos.Select(all...), sin.Select(all...)
		}
		cos, sin = local.Mul(cos), local.Mul(sin)
	}
	head, p := 1+trend.Cols(), len(d.Coefficients)
	if !withSpread {
		ofCos, ofSin := make([]float64, cos.Cols()), make([]float64, cos.Cols())
		for j := range ofCos {
			ofCos[j], ofSin[j] = d.Coefficients[head+2*j], d.Coefficients[head+2*j+1]
		}
		mean = times(cos, ofCos).Add(times(sin, ofSin)).Plus(d.Coefficients[0])
		if !trend.IsZero() {
			mean = mean.Add(times(trend, d.Coefficients[1:head]))
		}
		return mean, spread
	}
	parts := []graph.Value{x.Fill(1)}
	if !trend.IsZero() {
		parts = append(parts, trend)
	}
	order := make([]int, 0, p) // cosines and sines in turns
	for j := range head {
		order = append(order, j)
	}
	for j := range cos.Cols() {
		order = append(order, head+j, head+cos.Cols()+j)
	}
	phi := graph.Concat(append(parts, cos, sin)...).Select(order...)
	r := make([]float64, p*p)
	for i, from := 0, 0; i < p; i++ {
		from += copy(r[i*p+i:(i+1)*p], d.Factor[from:])
	}
	spread = phi.SolveUpper(blas64.Triangular{N: p, Stride: p, Uplo: blas.Upper, Diag: blas.NonUnit, Data: r}).Square().Sum()
	return times(phi, d.Coefficients), spread
}

// times is the product with a column of numbers.
func times(v graph.Value, by []float64) graph.Value {
	return v.MatMul(v.Constant(mat.NewDense(len(by), 1, slices.Clone(by))))
}

// graph is predict.
func (m *machine) graph(x, trend graph.Value, kind Map, withSpread bool) (means, spreads []graph.Value) {
	for _, d := range m.Draws {
		mean, spread := d.graph(x, trend, kind, withSpread && d.Holder == 0)
		means, spreads = append(means, mean), append(spreads, spread)
	}
	return means, spreads
}

// meanGraph is the mean of single columns.
func meanGraph(columns []graph.Value) graph.Value { return graph.Concat(columns...).Mean() }

// Graph implements [graph.Grapher].
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	m := r.m
	scaled, trend, err := m.learnedModel().graph(regressorType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	means, _ := m.machines[0].graph(scaled, trend, m.kind, false)
	return graph.Outputs{
		Mean: meanGraph(means).Times(m.scale).Plus(m.mean),
		Variance: func() (graph.Value, error) {
			_, spreads := m.machines[0].graph(scaled, trend, m.kind, true)
			var own []graph.Value
			for k, d := range m.machines[0].Draws {
				own = append(own, spreads[k+d.Holder].Times(d.variance(1)-d.variance(0)).Plus(d.variance(0)))
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
		means, spreads := mc.graph(scaled, graph.Value{}, m.kind, sampled)
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
