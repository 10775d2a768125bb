package fullsystem

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// State holds the progress of the iterations of [Problem.Solve] for one ridge.
type State struct {
	Ridge     float64
	Iteration int
	// Error estimates the remaining change of the leave-one-out residuals of the targets, relative to their norm. It is +Inf as
	// long as there is no estimate.
	Error float64
	Sides []Side // ones, targets and probes
}

// Side holds the progress of one right-hand side. Each of its vectors has one element for each row.
type Side struct {
	Solution, Residual, Direction        codec.Floats
	Before                               codec.Floats // iterate at which the change was last estimated; empty for a probe
	Gains                                codec.Floats
	Rho, Energy, Change, Left            float64
	LeastEnergy, LeastResidual           float64
	Since, Iterations, Looked, Condition int
}

// state returns a copy of the progress of all right-hand sides of a system.
func (p *Problem) state(s *system) *State {
	out := &State{Ridge: s.ridge}
	for _, t := range s.targets {
		out.Error = max(out.Error, p.tolerance()*t.excess())
	}
	for _, side := range s.all() {
		out.Iteration = max(out.Iteration, side.iterations)
		out.Sides = append(out.Sides, Side{
			Solution: slices.Clone(side.u), Residual: slices.Clone(side.r), Direction: slices.Clone(side.p),
			Before: slices.Clone(side.before), Gains: slices.Clone(side.gains),
			Rho: side.rho, Energy: side.energy, Change: side.change, Left: side.left,
			LeastEnergy: side.leastEnergy, LeastResidual: side.leastResidual,
			Since: side.since, Iterations: side.iterations, Looked: side.looked, Condition: int(side.state),
		})
	}
	return out
}

// stateTolerance is the largest accepted difference between the residual in a state and that of this system, relative to the
// right-hand side.
const stateTolerance = 1e-4

// resumeFrom restores the right-hand sides of a system from a state. It needs one pass over K, to compare the residuals in the
// state with those of this system. If the state belongs to another system, it returns ErrParam. It also returns ctx's error.
func (p *Problem) resumeFrom(ctx context.Context, s *system, at *State) error {
	sides := s.all()
	other := fault.Param(p.Type, "Resume", fmt.Sprintf("a State after %d iterations", at.Iteration),
		"one of a Fit of the same configuration, rows and targets")
	if at.Ridge != s.ridge || len(at.Sides) != len(sides) {
		return other
	}
	dst, x := make([][]float64, len(sides)), make([][]float64, len(sides))
	for i, side := range sides {
		from := at.Sides[i]
		if len(from.Solution) != p.n || len(from.Before) != len(side.before) {
			return other
		}
		copy(side.u, from.Solution)
		copy(side.r, from.Residual)
		copy(side.p, from.Direction)
		copy(side.before, from.Before)
		side.gains, side.rho, side.energy, side.change, side.left = slices.Clone(from.Gains), from.Rho, from.Energy, from.Change, from.Left
		side.leastEnergy, side.leastResidual = from.LeastEnergy, from.LeastResidual
		side.since, side.iterations, side.looked, side.state = from.Since, from.Iterations, from.Looked, state(from.Condition)
		dst[i], x[i] = side.q, side.u
	}
	if err := p.product(ctx, dst, x, false); err != nil {
		return err
	}
	for _, side := range sides {
		for i, b := range side.b {
			side.q[i] = b - side.q[i] - side.ridge*side.u[i] - side.r[i]
		}
		if !(floats.Norm(side.q, 2) <= stateTolerance*floats.Norm(side.b, 2)) {
			return other
		}
	}
	return nil
}

// Check returns a description of an error in a state that was read, or "" if there is none.
func (s *State) Check() string {
	if !(s.Ridge > 0) || s.Ridge-s.Ridge != 0 || s.Iteration < 1 || len(s.Sides) < 2 || !(s.Error >= 0) {
		return "a value is out of range"
	}
	n := len(s.Sides[0].Solution)
	for _, side := range s.Sides {
		switch {
		case n == 0, len(side.Solution) != n, len(side.Residual) != n, len(side.Direction) != n,
			len(side.Before) != n && len(side.Before) != 0:
			return "its vectors are inconsistent"
		case !side.Solution.Finite(), !side.Residual.Finite(), !side.Direction.Finite(), !side.Before.Finite(),
			!side.Gains.Finite(), !(side.Rho >= 0), side.Rho-side.Rho != 0:
			return "a number is not finite"
		case !(side.Energy >= 0), !(side.Change >= 0), !(side.Left >= 0), !(side.LeastEnergy >= 0), !(side.LeastResidual >= 0),
			len(side.Gains) > 2*delay, side.Since < 0, side.Iterations < 0, side.Looked < 0, side.Looked > side.Iterations,
			side.Iterations > s.Iteration, side.Condition < 0, side.Condition > int(stagnated):
			return "a value is out of range"
		}
	}
	return ""
}
