package lssvm

import (
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/fullsystem"
)

const stateKind = "lssvm.State"

// State holds the progress of a Fit with [ConjugateGradients] after an iteration with the final ridge, set or chosen. Checkpoint
// receives it, and Resume continues from it. If the configuration and the rows are the same, a resumed Fit gives exactly the model
// of an uninterrupted Fit. It repeats no iteration, but computes the kernel matrix and the preconditioner again, which takes a part
// of the time of a fit.
type State struct {
	// Iteration is the number of iterations so far.
	Iteration int

	// Ridge is the ridge λ.
	Ridge float64

	// Error estimates the change of the leave-one-out residuals that further iterations would cause, relative to their norm. It is
	// +Inf after the first iterations.
	Error float64

	ridges int // number of compared ridges
	at     *fullsystem.State
}

func newState(at *fullsystem.State, ridges int) *State {
	return &State{Iteration: at.Iteration, Ridge: at.Ridge, Error: at.Error, ridges: ridges, at: at}
}

type storedState struct {
	At     fullsystem.State
	Ridges int
}

// MarshalBinary encodes the state: four vectors for each target or class, and a few more. Each vector has a number for each row.
func (s *State) MarshalBinary() ([]byte, error) {
	if s == nil || s.at == nil {
		return nil, fault.NotFitted(stateKind)
	}
	return codec.Marshal(stateKind, version, storedState{At: *s.at, Ridges: s.ridges})
}

// UnmarshalBinary decodes the output of MarshalBinary. Errors wrap [estimators.ErrBadModel] and leave s unchanged.
func (s *State) UnmarshalBinary(data []byte) error {
	var in storedState
	if _, err := codec.Unmarshal(data, stateKind, version, &in); err != nil {
		return err
	}
	reason := in.At.Check()
	if in.Ridges < 0 {
		reason = "a value is out of range"
	}
	if reason != "" {
		return fault.BadModel(stateKind, "%s", reason)
	}
	*s = *newState(&in.At, in.Ridges)
	return nil
}
