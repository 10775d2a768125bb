package selection

import (
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// graph adds the chosen estimator to the graph, after the steps, and returns its outputs.
func (f *fitted[E]) graph(typ string, x graph.Value) (graph.Outputs, error) {
	if f == nil {
		return graph.Outputs{}, fault.NotFitted(typ)
	}
	rows, err := f.chain.Graph(x)
	if err != nil {
		return rows, err
	}
	return graph.Build(f.inner, rows.Rows)
}

// Graph implements [graph.Grapher] with the chosen estimator, if it and all steps of Preprocess have a graph.
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) { return r.f.graph(regressorType, x) }

// Graph implements [graph.Grapher], like [Regressor.Graph].
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) { return c.f.graph(classifierType, x) }
