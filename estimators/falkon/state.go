package falkon

import (
	"encoding"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	stateKind = "falkon.State"
	version   = 1
)

// State is the state of a Fit by conjugate gradients after an iteration. Checkpoint is given it, and Resume continues
// from it. A resumed Fit of the same configuration and rows gives exactly the model of a Fit that was not
// interrupted.
type State struct {
	// Iteration is the number of iterations so far.
	Iteration int

	// Energy is the estimated relative error that Tolerance is compared with.
	Energy float64

	fingerprint uint64 // of the rows and the configuration
	kernelMean  []float64
	conjugate   *conjugate
}

var (
	_ encoding.BinaryMarshaler   = (*State)(nil)
	_ encoding.BinaryUnmarshaler = (*State)(nil)
)

// stateOf copies where a method stands.
func stateOf(c *conjugate, kernelMean []float64, fingerprint uint64) *State {
	return &State{Iteration: c.iteration, Energy: c.energy(), fingerprint: fingerprint, kernelMean: slices.Clone(kernelMean), conjugate: c.clone()}
}

func (c *conjugate) clone() *conjugate {
	out := &conjugate{iteration: c.iteration, rate: c.rate, columns: slices.Clone(c.columns)}
	for i := range out.columns {
		out.columns[i].Gains = slices.Clone(c.columns[i].Gains)
	}
	out.u, out.r, out.d = mat.DenseCopyOf(c.u), mat.DenseCopyOf(c.r), mat.DenseCopyOf(c.d)
	return out
}

// storedState is a State in a file.
type storedState struct {
	Iteration   int
	Rate        float64
	Fingerprint uint64
	KernelMean  codec.Floats
	Columns     []column
	U, R, D     codec.Matrix
}

// MarshalBinary writes the state. It is about three vectors of M numbers for each target and
// ridge.
func (s *State) MarshalBinary() ([]byte, error) {
	if s == nil || s.conjugate == nil {
		return nil, fault.NotFitted(stateKind)
	}
	c := s.conjugate
	return codec.Marshal(stateKind, version, storedState{
		Iteration: s.Iteration, Rate: c.rate, Fingerprint: s.fingerprint, KernelMean: s.kernelMean, Columns: c.columns,
		U: codec.FromDense(c.u), R: codec.FromDense(c.r), D: codec.FromDense(c.d),
	})
}

// UnmarshalBinary reads what MarshalBinary wrote. Errors wrap ErrBadModel and leave s unchanged.
func (s *State) UnmarshalBinary(data []byte) error {
	var in storedState
	if _, err := codec.Unmarshal(data, stateKind, version, &in); err != nil {
		return err
	}
	c := &conjugate{iteration: in.Iteration, rate: in.Rate, columns: in.Columns}
	for _, part := range []struct {
		from codec.Matrix
		to   **mat.Dense
	}{{in.U, &c.u}, {in.R, &c.r}, {in.D, &c.d}} {
		m, err := part.from.Dense()
		if err != nil {
			return fault.BadModel(stateKind, "%v", err)
		}
		*part.to = m
	}
	if reason := in.wrong(c); reason != "" {
		return fault.BadModel(stateKind, "%s", reason)
	}
	kernelMean := []float64(in.KernelMean)
	if len(kernelMean) == 0 {
		kernelMean = nil
	}
	*s = State{Iteration: in.Iteration, Energy: c.energy(), fingerprint: in.Fingerprint, kernelMean: kernelMean, conjugate: c}
	return nil
}

// wrong says what is wrong with a state that was read; "" for nothing.
func (in storedState) wrong(c *conjugate) string {
	if c.u == nil || c.r == nil || c.d == nil || len(in.Columns) == 0 {
		return "it has no columns"
	}
	rows, m := c.u.Dims()
	for _, part := range []*mat.Dense{c.r, c.d} {
		if r, columns := part.Dims(); r != rows || columns != m {
			return "its matrices do not fit each other"
		}
	}
	switch {
	case rows != len(in.Columns), len(in.KernelMean) != 0 && len(in.KernelMean) != m:
		return "its matrices do not fit its columns"
	case !in.KernelMean.Finite() || in.Iteration < 0 || !(in.Rate > 0 && in.Rate < 1):
		return "a value is out of range"
	}
	for _, col := range in.Columns {
		sum := col.Lambda + col.Rho + col.Start
		for _, g := range col.Gains {
			sum += g
		}
		if !(col.Lambda > 0) || sum-sum != 0 || col.Target < 0 {
			return "a value is out of range"
		}
	}
	return ""
}
