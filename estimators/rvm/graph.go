package rvm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/rvm/internal/evidence"
	"github.com/kernelearn/kernelearn/graph"
)

// withOnes returns phi with columns of ones appended. phi may be the zero Value.
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
	values, err := r.m.fittedSupport().Graph(regressorType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	m := r.m
	phi := withOnes(x, values, m.ones())
	out := graph.Outputs{Mean: x.Fill(m.Intercept), Variance: func() (graph.Value, error) { return m.graphVariance(x, values, phi) }}
	if !phi.IsZero() {
		out.Mean = phi.MatMul(x.Constant(mat.NewDense(len(m.Coefficients), 1, slices.Clone(m.Coefficients)))).Plus(m.Intercept)
	}
	return out, nil
}

func (m *model) graphVariance(x, values, phi graph.Value) (graph.Value, error) {
	v := x.Fill(m.Noise * (1 + m.Spread))
	if !phi.IsZero() {
		centred := phi
		if len(m.Means) > 0 {
			centred = phi.Sub(x.Row(m.Means))
		}
		v = v.Add(centred.MatMul(x.Constant(m.Covariance)).Mul(centred).Sum().Max(x.Number(0)))
	}
	v = v.Times(m.factor).Plus(m.within)
	if !m.addsVariance() || !m.Sees() {
		return v, nil
	}
	unseen, own, err := m.GraphUnseen(x, values)
	if err != nil {
		return v, err
	}
	return v.Add(m.addedGraph(unseen, own)), nil
}

// addedGraph returns added as a graph.
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
	phi, err := c.m.fittedSupport().Graph(classifierType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	parts := make([]graph.Value, len(c.m.machines))
	for i, mc := range c.m.machines {
		parts[i] = machineGraph(mc, x, phi)
	}
	out := graph.Outputs{Classes: c.Classes(), Decision: graph.Concat(parts...).Scores()}
	out.Proba = probabilitiesGraph(out.Decision)
	return out, nil
}

// machineGraph returns the moderated score of a machine as a graph.
func machineGraph(mc *evidence.Machine, x, phi graph.Value) graph.Value {
	var own graph.Value
	f := x.Fill(mc.Intercept)
	if len(mc.Members) > 0 {
		own = phi.Select(mc.Members...)
		f = own.MatMul(x.Constant(mat.NewDense(len(mc.Members), 1, slices.Clone(mc.Coefficients)))).Plus(mc.Intercept)
	}
	own = withOnes(x, own, 1)
	variance := own.MatMul(x.Constant(mc.Covariance)).Mul(own).Sum().Max(x.Number(0))
	return f.Div(variance.Times(math.Pi / 8).Plus(1).Sqrt())
}

// probabilitiesGraph returns the probabilities for the scores as a graph.
func probabilitiesGraph(scores graph.Value) graph.Value {
	zero := scores.Number(0)
	shift := scores.Largest().Min(zero)
	v := scores.Sub(shift).Sub(scores.Max(zero)).Exp().Div(scores.Abs().Neg().Exp().Plus(1))
	return v.Div(v.Sum())
}
