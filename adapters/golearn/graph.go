package golearn

import (
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
)

var (
	_ graph.Grapher = (*Classifier)(nil)
	_ graph.Grapher = (*Regressor)(nil)
)

// Graph implements [graph.Grapher] with the graph of Fitted. The columns of x are those of the estimator's matrix, named by
// Features. The columns of a categorical attribute hold 0 or 1 for each level. Classes are indices of Labels, or the 0 and 1 of
// a float class.
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	if c.fitted == nil {
		return graph.Outputs{}, fault.NotFitted(c.name())
	}
	return graph.Build(c.fitted.estimator, x)
}

// Graph implements [graph.Grapher] with the graph of Fitted. Its columns are those of the Graph method of Classifier.
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	if r.fitted == nil {
		return graph.Outputs{}, fault.NotFitted(r.name())
	}
	return graph.Build(r.fitted.estimator, x)
}
