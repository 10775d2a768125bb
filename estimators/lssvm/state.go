package lssvm

import (
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/fullsystem"
)

const stateKind = "lssvm.State"

// State is where a Fit by [ConjugateGradients] stands after an iteration with the ridge that was given or chosen. Checkpoint is given
// it, and Resume continues from it. A resumed Fit of the same configuration and rows gives exactly the model of a Fit that was not
// interrupted. It computes the kernel matrix and the preconditioner again, which take some of the time of a fit, and no iteration.
type State struct {
	// Iteration is the number of iterations so far.
	Iteration int

	// Ridge is the ridge λ.
	Ridge float64

	// Error estimates what the iterations have left to change in the leave-one-out residuals, over their norm. It is +Inf after the
	// first iterations.
	Error float64

	ridges int // that were compared
	at     *fullsystem.State
}

func newState(at *fullsystem.State, ridges int) *State {
	return &State{Iteration: at.Iteration, Ridge: at.Ridge, Error: at.Error, ridges: ridges, at: at}
}

type storedState struct {
	At     fullsystem.State
	Ridges int
}

// MarshalBinary writes the state: four vectors of a number for each row, for each target or class and some more.
func (s *State) MarshalBinary() ([]byte, error) {
	if s == nil || s.at == nil {
		return nil, fault.NotFitted(stateKind)
	}
	return codec.Marshal(stateKind, version, storedState{At: *s.at, Ridges: s.ridges})
}

// UnmarshalBinary reads what MarshalBinary wrote. Errors wrap [estimators.ErrBadModel] and leave s unchanged.
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
