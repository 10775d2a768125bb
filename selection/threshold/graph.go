package threshold

import (
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Graph implements [graph.Grapher] if Chosen implements it.
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	if c.m == nil {
		return graph.Outputs{}, fault.NotFitted(classifierType)
	}
	of, err := graph.Build(c.m.chosen, x)
	if err != nil {
		return of, err
	}
	if of.Proba.IsZero() {
		return of, graph.Unsupported(c.m.chosen, "its Outputs have no Proba")
	}
	var others []graph.Value
	for j := range c.m.classes {
		if j != c.m.positive {
			others = append(others, of.Proba.Select(j))
		}
	}
	most := graph.Concat(others...).Largest()
	columns := make([]graph.Value, len(c.m.classes))
	for j := range columns {
		if p := of.Proba.Select(j); j == c.m.positive {
			columns[j] = p.Plus(-c.m.choice.Threshold).Plus(-least)
		} else {
			columns[j] = p.Sub(most)
		}
	}
	return graph.Outputs{Classes: c.Classes(), Decision: graph.Concat(columns...), Proba: of.Proba}, nil
}
