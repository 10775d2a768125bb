package falkon

import (
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/solver"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	stateKind = "falkon.State"
	version   = 1
)

// State holds the progress of a Fit with conjugate gradients after an iteration. Checkpoint receives it, and a Fit with Resume
// continues from it. If the configuration and the rows are the same, a resumed Fit results in exactly the model of an uninterrupted
// Fit.
type State struct {
	// Iteration is the number of iterations so far.
	Iteration int

	// Energy is the estimated relative error that is compared with Tolerance.
	Energy float64

	at *solver.State
}

// forSolver returns the part of the state that belongs to the solver.
func (s *State) forSolver() *solver.State {
	switch {
	case s == nil:
		return nil
	case s.at == nil:
		return &solver.State{Iteration: s.Iteration}
	}
	return s.at
}

// checkpoint converts f to a function that receives the solver's states.
func checkpoint(f func(*State)) func(*solver.State) {
	if f == nil {
		return nil
	}
	return func(s *solver.State) { f(newState(s)) }
}

func newState(s *solver.State) *State {
	return &State{Iteration: s.Iteration, Energy: s.Energy(), at: s}
}

// MarshalBinary encodes the state. It contains about three vectors of M numbers for each target and ridge.
func (s *State) MarshalBinary() ([]byte, error) {
	if s == nil || s.at == nil {
		return nil, fault.NotFitted(stateKind)
	}
	return codec.Marshal(stateKind, version, s.at.Store())
}

// UnmarshalBinary decodes the output of MarshalBinary. If it returns an error, which wraps ErrBadModel, s is unchanged.
func (s *State) UnmarshalBinary(data []byte) error {
	var in solver.StoredState
	if _, err := codec.Unmarshal(data, stateKind, version, &in); err != nil {
		return err
	}
	read, err := in.Restore(stateKind)
	if err != nil {
		return err
	}
	*s = *newState(read)
	return nil
}
