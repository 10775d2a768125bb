package calibration

import (
	"math"

	"github.com/kernelearn/kernelearn/estimators"
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
	scores := of.Decision
	if c.m.link.logs || !estimators.Supports(c.m.chosen, estimators.Decision) {
		if of.Proba.IsZero() {
			return of, graph.Unsupported(c.m.chosen, "its Outputs have no Proba")
		}
		scores = of.Proba.Max(x.Number(leastProbability)).Log()
	}
	if scores.IsZero() {
		return of, graph.Unsupported(c.m.chosen, "its Outputs have no Decision")
	}
	proba := c.m.link.graph(scores)
	return graph.Outputs{Classes: c.Classes(), Decision: proba, Proba: proba}, nil
}

// graph returns the graph of the function apply.
func (l link) graph(scores graph.Value) graph.Value {
	if l.method != Isotonic {
		return scores.Times(l.smooth.Slope).Add(scores.Row(l.smooth.Offset)).Softmax()
	}
	if scores.Cols() == 2 {
		p := l.steps[0].graph(scores.Select(1).Sub(scores.Select(0)))
		return graph.Concat(p.Neg().Plus(1), p)
	}
	parts := make([]graph.Value, len(l.steps))
	for j, s := range l.steps {
		parts[j] = s.graph(scores.Select(j))
	}
	all := graph.Concat(parts...)
	return all.Div(all.Sum())
}

// graph returns the graph of the function value. The neighbours of a score and their values are the largest on the left and the
// smallest on the right, since the values do not decrease.
func (s steps) graph(f graph.Value) graph.Value {
	x, p := f.Row(s.X), f.Row(s.P)
	below := x.Less(f)
	least, largest := f.Number(-math.MaxFloat64), f.Number(math.MaxFloat64)
	xa, pa := below.Where(x, least).Largest(), below.Where(p, least).Largest()
	xb, pb := below.Where(largest, x).Least(), below.Where(largest, p).Least()
	between := pa.Add(f.Sub(xa).Div(xb.Sub(xa)).Mul(pb.Sub(pa)))
	last := len(s.X) - 1
	out := f.LessOrEqual(f.Number(s.X[0])).Where(f.Number(s.P[0]), between)
	return f.GreaterOrEqual(f.Number(s.X[last])).Where(f.Number(s.P[last]), out)
}
