package eem

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/kernels"
)

var (
	_ graph.Grapher = (*Classifier)(nil)
	_ graph.Grapher = (*KernelClassifier)(nil)
)

// Graph implements [graph.Grapher]. After PartialFit it does what Solve does.
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) { return c.graph(x) }

// Graph implements [graph.Grapher]. After PartialFit it does what Solve does.
func (c *KernelClassifier) Graph(x graph.Value) (graph.Outputs, error) { return c.graph(x) }

func (c *machine[N]) graph(x graph.Value) (graph.Outputs, error) {
	s, err := c.solution(context.Background(), nil)
	if err != nil {
		return graph.Outputs{}, err
	}
	if err := graph.Columns(x, c.m.width); err != nil {
		return graph.Outputs{}, err
	}
	z, err := s.scorer.graph(x)
	if err != nil {
		return graph.Outputs{}, err
	}
	out := graph.Outputs{Classes: c.Classes()}
	switch k := len(s.classes); {
	case s.plane != nil:
		out.Decision = s.plane.graph(z, s.logW)
		out.Proba = out.Decision.Softmax()
	case k == 2:
		odds := s.oddsGraph(z)
		// Even odds are the positive class's.
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

// oddsGraph is logOdds of each pair.
func (s *solution) oddsGraph(z graph.Value) graph.Value {
	count := len(s.pairs)
	constant, positive, negative, overPositive, overNegative := make([]float64, count), make([]float64, count), make([]float64, count), make([]float64, count), make([]float64, count)
	for i, p := range s.pairs {
		constant[i] = s.logW[i]
		if p.constant {
			continue
		}
		constant[i] += math.Log(p.sNeg)/2 - math.Log(p.sPos)/2
		positive[i], negative[i] = p.mPos, p.mNeg
		overPositive[i], overNegative[i] = 1/(2*p.sPos), 1/(2*p.sNeg)
	}
	square := func(means, over []float64) graph.Value { return z.Sub(z.Row(means)).Square().Mul(z.Row(over)) }
	return square(negative, overNegative).Sub(square(positive, overPositive)).Add(z.Row(constant))
}

// graph is decision.
func (p *plane) graph(z graph.Value, logW []float64) graph.Value {
	parts := make([]graph.Value, len(logW))
	for k, f := range p.factors {
		quad := z.Sub(z.Row(p.means.RawRowView(k))).SolveUpper(f.Upper()).Square().Sum()
		parts[k] = quad.Times(-0.5).Plus(logW[k] - f.LogDet()/2 - float64(z.Cols())*math.Log(2*math.Pi)/2)
	}
	return graph.Concat(parts...)
}

func (s *hiddenScorer) graph(x graph.Value) (graph.Value, error) {
	units, err := s.hidden.Graph(x)
	if err != nil {
		return x, err
	}
	return units.Rows.MatMul(x.Constant(s.directions)), nil
}

func (s *landmarkScorer) graph(x graph.Value) (graph.Value, error) {
	k, err := kernels.Graph(s.kernel, x, s.rows)
	if err != nil {
		return x, err
	}
	return k.MatMul(x.Constant(s.coefficients)), nil
}
