package pipeline

import (
	"fmt"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

// Graph implements [graph.Grapher] if all steps do.
func (t *Transformer) Graph(x graph.Value) (graph.Outputs, error) {
	if t.fitted == nil {
		return graph.Outputs{}, fault.NotFitted(t.name())
	}
	if len(t.fitted.Steps) == 0 {
		return graph.Outputs{Rows: x}, graph.Columns(x, t.fitted.Width)
	}
	for i, step := range t.fitted.Steps {
		out, err := graph.Build(step, x)
		if err != nil {
			return out, fault.AddPlace(t.stepName(i, step), err)
		}
		if x = out.Rows; x.IsZero() {
			return out, fmt.Errorf("%s: %w", t.stepName(i, step), graph.Unsupported(step, "its Outputs have no Rows"))
		}
	}
	return graph.Outputs{Rows: x}, nil
}

// Graph implements [graph.Grapher] if all parts do.
func (p *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	var prior func(unseen graph.Value) graph.Value
	if v, ok := ridgeMachine[priorVariance](p.fitted); ok {
		prior = func(unseen graph.Value) graph.Value { return unseen.Times(v.PriorVariance()) }
	}
	return p.graph(regressorName, x, prior)
}

// leftOutGraph returns the part of a kernel that the last step leaves out, as a graph. If the step leaves out nothing, it returns
// the zero Value.
func (t *Transformer) leftOutGraph(x, z graph.Value) (none graph.Value, err error) {
	last := len(t.fitted.Steps) - 1
	if last < 0 {
		return none, nil
	}
	step := t.fitted.Steps[last]
	inner, nested := step.(*Transformer)
	if _, ok := embedding.As[transformers.RowResidualer](step); !ok {
		return none, nil
	}
	for _, before := range t.fitted.Steps[:last] {
		out, err := graph.Build(before, x)
		if err != nil {
			return none, err
		}
		x = out.Rows
	}
	if nested {
		return inner.leftOutGraph(x, z)
	}
	residuals, ok := embedding.As[interface {
		RowResidualsGraph(x, z graph.Value) (graph.Value, error)
	}](step)
	if !ok {
		return none, graph.Unsupported(step, "it has RowResiduals and no RowResidualsGraph")
	}
	return residuals.RowResidualsGraph(x, z)
}

// Graph implements [graph.Grapher] if all parts do.
func (p *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	return p.graph(classifierName, x, nil)
}

// Graph implements [graph.Grapher] if all parts do. Mean and variance have a column for each target.
func (p *MultiRegressor) Graph(x graph.Value) (graph.Outputs, error) {
	var prior func(unseen graph.Value) graph.Value
	if v, ok := ridgeMachine[priorVariances](p.fitted); ok {
		prior = func(unseen graph.Value) graph.Value { return unseen.Mul(unseen.Row(v.PriorVariances())) }
	}
	return p.graph(multiName, x, prior)
}
