package basis

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// Graph returns the kernel values of the vectors with the rows of x, or the zero Value if there are no vectors.
func (s *Support) Graph(typ string, x graph.Value) (phi graph.Value, err error) {
	switch {
	case s == nil:
		return phi, fault.NotFitted(typ)
	case s.Kernels == nil:
		return phi, &fault.NotFittedError{Type: typ + ": fitted on a design matrix: there are no rows to write"}
	}
	if err := graph.Columns(x, s.width); err != nil || s.Vectors == nil {
		return phi, err
	}
	var parts []graph.Value
	err = s.EachKernel(func(k kernels.Kernel, first, last int) error {
		v, err := kernels.Graph(k, x, s.Vectors.Slice(first, last, 0, s.width).(*mat.Dense))
		parts = append(parts, v)
		return err
	})
	if err != nil {
		return phi, err
	}
	return graph.Concat(parts...), nil
}

// GraphUnseen returns Unseen as a graph, given the graph of the vectors' kernel values.
func (s *Support) GraphUnseen(x, values graph.Value) (unseen, own graph.Value, err error) {
	if own, err = kernels.GraphDiag(s.Kernels.Whole(), x); err != nil || s.Vectors == nil {
		return own, own, err
	}
	if len(s.Kernels) > 1 {
		if values, err = kernels.Graph(s.Kernels.Whole(), x, s.seen.vectors); err != nil {
			return unseen, own, err
		}
	}
	return own.Sub(values.SolveUpper(s.seen.factor.Upper()).Square().Sum()).Max(x.Number(0)), own, nil
}
