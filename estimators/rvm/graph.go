package rvm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

var (
	_ graph.Grapher = (*Regressor)(nil)
	_ graph.Grapher = (*Classifier)(nil)
)

// graph returns the kernels of the vectors with the rows of x, the zero Value where there are no vectors.
func (s *support) graph(typ string, x graph.Value) (phi graph.Value, err error) {
	switch {
	case s == nil:
		return phi, fault.NotFitted(typ)
	case s.kernels == nil:
		return phi, &fault.NotFittedError{Type: typ + ": fitted on a design matrix: there are no rows to write"}
	}
	if err := graph.Columns(x, s.width); err != nil || s.vectors == nil {
		return phi, err
	}
	var parts []graph.Value
	err = s.eachKernel(func(k kernels.Kernel, first, last int) error {
		v, err := kernels.Graph(k, x, s.vectors.Slice(first, last, 0, s.width).(*mat.Dense))
		parts = append(parts, v)
		return err
	})
	if err != nil {
		return phi, err
	}
	return graph.Concat(parts...), nil
}

// withOnes adds columns of ones to phi, which may be none.
func withOnes(x, phi graph.Value, ones int) graph.Value {
	if ones == 0 {
		return phi
	}
	one := x.Fill(1)
	if phi.IsZero() {
		return one
	}
	return graph.Concat(phi, one)
}

// Graph implements [graph.Grapher].
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	values, err := r.support().graph(regressorType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	m := r.m
	phi := withOnes(x, values, m.ones())
	out := graph.Outputs{Mean: x.Fill(m.intercept), Variance: func() (graph.Value, error) { return m.graphVariance(x, values, phi) }}
	if !phi.IsZero() {
		out.Mean = phi.MatMul(x.Constant(mat.NewDense(len(m.coefficients), 1, slices.Clone(m.coefficients)))).Plus(m.intercept)
	}
	return out, nil
}

func (m *model) graphVariance(x, values, phi graph.Value) (graph.Value, error) {
	v := x.Fill(m.noise * (1 + m.spread))
	if !phi.IsZero() {
		centred := phi
		if len(m.means) > 0 {
			centred = phi.Sub(x.Row(m.means))
		}
		v = v.Add(centred.MatMul(x.Constant(m.cov)).Mul(centred).Sum().Max(x.Number(0)))
	}
	v = v.Times(m.factor).Plus(m.within)
	if !m.addsVariance() || !m.sees() {
		return v, nil
	}
	own, err := kernels.GraphDiag(m.kernels.whole(), x)
	if err != nil {
		return v, err
	}
	unseen := own
	if m.vectors != nil {
		k := values
		if len(m.kernels) > 1 {
			if k, err = kernels.Graph(m.kernels.whole(), x, m.seen.vectors); err != nil {
				return v, err
			}
		}
		unseen = own.Sub(k.SolveUpper(m.seen.factor.Upper()).Square().Sum()).Max(x.Number(0))
	}
	return v.Add(m.addedGraph(unseen, own)), nil
}

// addedGraph is added.
func (c calibration) addedGraph(unseen, own graph.Value) graph.Value {
	v := unseen.Times(c.scale)
	if !(c.edge < 1) {
		return v
	}
	zero := v.Number(0)
	share := unseen.Div(own)
	over := v.Neg().Plus(c.span).Max(zero).Mul(share.Plus(-c.edge).Times(1 / (1 - c.edge)).Min(v.Number(1)))
	return v.Add(share.Greater(v.Number(c.edge)).Where(over, zero))
}

// Graph implements [graph.Grapher].
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	phi, err := c.support().graph(classifierType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	parts := make([]graph.Value, len(c.m.machines))
	for i, mc := range c.m.machines {
		parts[i] = mc.graph(x, phi)
	}
	out := graph.Outputs{Classes: c.Classes(), Decision: graph.Concat(parts...).Scores()}
	out.Proba = probabilitiesGraph(out.Decision)
	return out, nil
}

// graph is moderated.
func (mc *machine) graph(x, phi graph.Value) graph.Value {
	var own graph.Value
	f := x.Fill(mc.intercept)
	if len(mc.members) > 0 {
		own = phi.Select(mc.members...)
		f = own.MatMul(x.Constant(mat.NewDense(len(mc.members), 1, slices.Clone(mc.coefficients)))).Plus(mc.intercept)
	}
	own = withOnes(x, own, 1)
	variance := own.MatMul(x.Constant(mc.cov)).Mul(own).Sum().Max(x.Number(0))
	return f.Div(variance.Times(math.Pi / 8).Plus(1).Sqrt())
}

// probabilitiesGraph is probabilities.
func probabilitiesGraph(scores graph.Value) graph.Value {
	zero := scores.Number(0)
	shift := scores.Largest().Min(zero)
	v := scores.Sub(shift).Sub(scores.Max(zero)).Exp().Div(scores.Abs().Neg().Exp().Plus(1))
	return v.Div(v.Sum())
}
