// Package preprocessed combines a machine that is linear in its targets with the steps that prepare its rows.
package preprocessed

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
)

// Smoother is the combined machine. Steps prepares rows as a graph, and Prepare prepares them as a matrix. Explain adds the place
// to an error of the machine.
type Smoother struct {
	estimators.Smoother
	Steps   graph.Grapher
	Prepare func(x mat.Matrix) (mat.Matrix, error)
	Explain func(err error) error
}

// Outputs implements [estimators.Smoother].
func (s *Smoother) Outputs(ctx context.Context, x mat.Matrix) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	z, err := s.Prepare(x)
	if err != nil {
		return nil, err
	}
	f, err := s.Smoother.Outputs(ctx, z)
	return f, s.Explain(err)
}

// Influence implements [estimators.Smoother].
func (s *Smoother) Influence(ctx context.Context, x mat.Matrix) (f, b *mat.Dense, spread []float64, err error) {
	defer check.Begin(&ctx)(&err)
	z, err := s.Prepare(x)
	if err != nil {
		return nil, nil, nil, err
	}
	f, b, spread, err = s.Smoother.Influence(ctx, z)
	return f, b, spread, s.Explain(err)
}

// Graph implements [graph.Grapher] with the Outputs of new rows.
func (s *Smoother) Graph(x graph.Value) (graph.Outputs, error) {
	rows, err := s.Steps.Graph(x)
	if err != nil {
		return rows, err
	}
	return graph.Build(s.Smoother, rows.Rows)
}
