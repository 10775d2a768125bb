package svm

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// graph returns the decision values as a graph.
func (m *machine) graph(typ string, x graph.Value) (graph.Value, error) {
	switch {
	case m == nil:
		return x, fault.NotFitted(typ)
	case m.kernel == nil:
		return x, &fault.NotFittedError{Type: typ + ": fitted on a matrix: there are no rows to write"}
	}
	if err := graph.Columns(x, m.width); err != nil {
		return x, err
	}
	if m.vectors == nil { // no row is a support vector
		return x.Fill(0).Add(x.Row(m.intercepts)), nil
	}
	k, err := kernels.Graph(m.kernel, x, m.vectors)
	if err != nil {
		return x, err
	}
	coef, err := m.coef.matrix(m.vectors)
	if err != nil {
		return x, err
	}
	return k.MatMul(k.Constant(coef.T())).Add(k.Row(m.intercepts)), nil
}

// Graph implements [graph.Grapher].
func (r *Regressor) Graph(x graph.Value) (graph.Outputs, error) {
	f, err := r.m.graph(regressorType, x)
	return graph.Outputs{Mean: f}, err
}

// Graph implements [graph.Grapher].
func (c *Classifier) Graph(x graph.Value) (graph.Outputs, error) {
	f, err := c.m.graph(classifierType, x)
	if err != nil {
		return graph.Outputs{}, err
	}
	out := graph.Outputs{Classes: c.Classes(), Decision: voteGraph(f, len(c.classes))}
	if c.links != nil {
		out.Proba = c.coupleGraph(f)
	}
	return out, nil
}

// signs returns a matrix with a row for each pair of classes. It contains the given numbers in the columns of the lesser and the
// greater class, and 0 elsewhere.
func signs(k int, lesser, greater float64) *mat.Dense {
	out := mat.NewDense(k*(k-1)/2, k, nil)
	for a, pair := 0, 0; a < k; a++ {
		for b := a + 1; b < k; b++ {
			out.Set(pair, a, lesser)
			out.Set(pair, b, greater)
			pair++
		}
	}
	return out
}

// voteGraph returns the scores for the decision values f as a graph, like vote.
func voteGraph(f graph.Value, k int) graph.Value {
	if k == 2 {
		return f.Scores()
	}
	greater := f.Greater(f.Number(0)).Indicator()
	votes := greater.MatMul(f.Constant(signs(k, 0, 1))).Add(greater.Neg().Plus(1).MatMul(f.Constant(signs(k, 1, 0))))
	sums := f.MatMul(f.Constant(signs(k, -1, 1)))
	return votes.Add(sums.Div(sums.Abs().Plus(1).Times(3)))
}

// coupleGraph returns the probabilities for the decision values f as a graph. For more than two classes, elimination solves the
// system for all rows at once. It needs no pivots, because the matrix is positive definite.
func (c *Classifier) coupleGraph(f graph.Value) graph.Value {
	slopes, offsets := make([]float64, len(c.links)), make([]float64, len(c.links))
	for i, l := range c.links {
		slopes[i], offsets[i] = l.Slope, l.Offset
	}
	logits := f.Mul(f.Row(slopes)).Add(f.Row(offsets))
	if len(c.classes) == 2 {
		p := logits.Sigmoid()
		return graph.Concat(p.Neg().Plus(1), p)
	}
	k, pairs := len(c.classes), len(c.links)
	r := logits.Sigmoid().Clamp(f.Number(leastPair), f.Number(1-leastPair))
	s := r.Neg().Plus(1)
	diagonal := r.Square().MatMul(f.Constant(signs(k, 1, 0))).Add(s.Square().MatMul(f.Constant(signs(k, 0, 1)))).Plus(1)
	// elements holds the elements of Q for pairs of classes, then those of the diagonal, and last the right-hand side.
	elements := graph.Concat(r.Mul(s).Neg().Plus(1), diagonal, diagonal.Fill(1))
	index := func(a, b int) int {
		if a == b {
			return pairs + a
		}
		a, b = min(a, b), max(a, b)
		return a*k - a*(a+1)/2 + b - a - 1
	}
	rows := make([]graph.Value, k) // rows of the system, from the column that is eliminated next
	for a := range rows {
		var columns []int
		for b := range k {
			columns = append(columns, index(a, b))
		}
		rows[a] = elements.Select(append(columns, pairs+k)...)
	}
	rest := func(v graph.Value) graph.Value {
		var columns []int
		for j := 1; j < v.Cols(); j++ {
			columns = append(columns, j)
		}
		return v.Select(columns...)
	}
	for a := range rows {
		below := rest(rows[a])
		for b := a + 1; b < k; b++ {
			rows[b] = rest(rows[b]).Sub(rows[b].Select(0).Div(rows[a].Select(0)).Mul(below))
		}
	}
	solved := make([]graph.Value, k)
	for a := k - 1; a >= 0; a-- {
		v := rows[a].Select(k - a)
		for b := a + 1; b < k; b++ {
			v = v.Sub(rows[a].Select(b - a).Mul(solved[b]))
		}
		solved[a] = v.Div(rows[a].Select(0))
	}
	return graph.Concat(solved...).Max(f.Number(0)).Shares()
}
