package eem

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
)

// Graph implements [graph.Grapher]. After PartialFit it solves the linear system, like Solve.
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) { return c.graph(x) }

// Graph implements [graph.Grapher]. After PartialFit it solves the linear system, like Solve.
func (c *KernelClassifier) Graph(x graph.Value) (graph.Outputs, error) { return c.graph(x) }

func (c *machine[N]) graph(x graph.Value) (graph.Outputs, error) {
	s, err := c.solution(context.Background(), nil)
	if err != nil {
		return graph.Outputs{}, err
	}
	if err := graph.Columns(x, c.m.width); err != nil {
		return graph.Outputs{}, err
	}
	z, err := s.scorer.Graph(x)
	if err != nil {
		return graph.Outputs{}, err
	}
	out := graph.Outputs{Classes: c.Classes()}
	switch k := len(s.classes); {
	case s.plane != nil:
		out.Decision = s.plane.Graph(z, s.logW)
		out.Proba = out.Decision.Softmax()
	case k == 2:
		odds := s.oddsGraph(z)
		// For even odds the positive class is predicted.
		odds = odds.Equal(x.Number(0)).Where(x.Number(math.SmallestNonzeroFloat64), odds)
		out.Decision = odds.Scores()
		out.Proba = out.Decision.Sigmoid()
	default:
		p := s.oddsGraph(z).Sigmoid()
		forClass, against := mat.NewDense(len(s.pairs), k, nil), mat.NewDense(len(s.pairs), k, nil)
		for i, at := 0, 0; i < k; i++ {
			for j := range i {
				forClass.Set(at, i, 1)
				against.Set(at, j, 1)
				at++
			}
		}
		out.Decision = p.MatMul(x.Constant(forClass)).Add(p.Neg().Plus(1).MatMul(x.Constant(against)))
		out.Proba = out.Decision.Times(2 / float64(k*(k-1)))
	}
	return out, nil
}

// oddsGraph returns the graph of LogOdds for each pair.
func (s *solution) oddsGraph(z graph.Value) graph.Value {
	count := len(s.pairs)
	constant, positive, negative, overPositive, overNegative := make([]float64, count), make([]float64, count), make([]float64,
		count), make([]float64, count), make([]float64, count)
	for i, p := range s.pairs {
		constant[i] = s.logW[i]
		if p.Constant {
			continue
		}
		constant[i] += math.Log(p.SNeg)/2 - math.Log(p.SPos)/2
		positive[i], negative[i] = p.MPos, p.MNeg
		overPositive[i], overNegative[i] = 1/(2*p.SPos), 1/(2*p.SNeg)
	}
	square := func(means, over []float64) graph.Value { return z.Sub(z.Row(means)).Square().Mul(z.Row(over)) }
	return square(negative, overNegative).Sub(square(positive, overPositive)).Add(z.Row(constant))
}
