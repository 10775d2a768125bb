package elm

import (
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Graph implements [graph.Grapher].
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	if c.m == nil {
		return graph.Outputs{}, fault.NotFitted(classifierType)
	}
	units, err := c.m.hidden.Graph(x)
	if err != nil {
		return graph.Outputs{}, err
	}
	return graph.Outputs{Classes: c.Classes(), Decision: units.Rows.MatMul(x.Constant(c.m.beta)).Scores()}, nil
}
