package conformal

import (
	"context"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Graph implements [graph.Grapher] for the output of Predict if Estimator does. Intervals have no graph.
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	if r.m == nil {
		return graph.Outputs{}, fault.NotFitted(regressorType)
	}
	if !r.m.method.smooths() {
		out, err := graph.Build(r.m.chosen, x)
		return graph.Outputs{Mean: out.Mean}, err
	}
	machine, err := r.m.smoother(context.Background())
	if err != nil {
		return graph.Outputs{}, err
	}
	out, err := graph.Build(machine, x)
	return graph.Outputs{Mean: out.Rows}, err
}

// Graph implements [graph.Grapher] for the outputs of Predict, Decision and PredictProba if Estimator does. Sets have no graph.
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	if c.m == nil {
		return graph.Outputs{}, fault.NotFitted(classifierType)
	}
	of, err := graph.Build(c.m.chosen, x)
	if err != nil {
		return of, err
	}
	out := graph.Outputs{Classes: c.Classes(), Decision: of.Proba, Proba: of.Proba}
	if !c.m.method.smooths() {
		if of.Proba.IsZero() {
			err = graph.Unsupported(c.m.chosen, "its Outputs have no Proba")
		}
		return out, err
	}
	machine, _, err := c.m.smoother(context.Background())
	if err != nil {
		return out, err
	}
	if of, err = graph.Build(machine, x); err == nil {
		out.Decision = of.Rows
	}
	return out, err
}
