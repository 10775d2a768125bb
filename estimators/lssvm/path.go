package lssvm

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/loo"
)

// FitMatrixPath fits a machine for each ridge λ > 0 to a kernel matrix k (n×n) that the caller has computed, and labels y (n). Each
// machine is the one that FitMatrix would fit with that Ridge. The machines share one reduction of the matrix, which costs O(n³).
// Each machine then costs O(n²).
func (c *Classifier) FitMatrixPath(ctx context.Context, k mat.Symmetric, y []int, ridges []float64) (_ []*Classifier, err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	for i, r := range ridges {
		if !(r > 0) || r-r != 0 {
			return nil, fault.Param(classifierType, fmt.Sprintf("ridges[%d]", i), r, "a finite number > 0")
		}
	}
	s, err := c.validated()
	if err != nil {
		return nil, err
	}
	if err := check.Symmetric(k, len(y)); err != nil {
		return nil, err
	}
	if len(ridges) == 0 {
		return nil, fault.Shape("the path has", 0, "ridges", "want at least 1")
	}
	out := make([]*Classifier, len(ridges))
	var path *loo.Problem
	for i, ridge := range ridges {
		out[i] = estimators.Clone(c)
		out[i].Ridge = ridge
		err := out[i].finish(ctx, y, nil, func(targets *mat.Dense, weights []float64) (*machine, error) {
			s.ridge = ridge
			m, means, merged, err := newMatrixMachine(s, k, targets, weights)
			if err != nil {
				return nil, err
			}
			if path == nil && m.n > 1 {
				if path, err = loo.New(ctx, merged.Kernel(k), means, m.weights, s.options.Workers); err != nil {
					return nil, err
				}
				path.LeaveGroupsOut(m.groups)
			}
			if solved, err := m.solveOnPath(ctx, s, path, means); solved || err != nil {
				return m, err
			}
			return fitMatrix(ctx, s, k, targets, weights)
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// solveOnPath solves for one ridge with the reduction, and reports whether it found a solution. If the matrix is indefinite
// according to the reduction, a Cholesky factor with some jitter may still exist.
func (m *machine) solveOnPath(ctx context.Context, s machineSettings, path *loo.Problem, targets *mat.Dense) (bool, error) {
	if path == nil {
		return false, nil
	}
	solved, err := path.Solve(ctx, s.ridge)
	if err != nil || solved == nil {
		return false, err
	}
	m.ridge, m.report = s.ridge, estimators.Report{Converged: true, Iterations: 1}
	m.take(solved)
	return true, m.finite(s.typ, targets)
}
