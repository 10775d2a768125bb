package solver

import (
	"slices"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// State holds the progress of conjugate gradients after an iteration.
type State struct {
	Iteration   int
	fingerprint uint64 // identifies the rows and the configuration
	kernelMean  []float64
	conjugate   *conjugate
}

// stateOf returns a copy of the progress of conjugate gradients.
func stateOf(c *conjugate, kernelMean []float64, fingerprint uint64) *State {
	return &State{Iteration: c.iteration, fingerprint: fingerprint, kernelMean: slices.Clone(kernelMean), conjugate: c.clone()}
}

// Landmarks returns the number of landmarks, or 0 if s is nil.
func (s *State) Landmarks() int {
	if s == nil || s.conjugate == nil {
		return 0
	}
	return s.conjugate.u.RawMatrix().Cols
}

// Energy returns the estimated relative error.
func (s *State) Energy() float64 { return s.conjugate.energy() }

func (c *conjugate) clone() *conjugate {
	out := &conjugate{iteration: c.iteration, rate: c.rate, columns: slices.Clone(c.columns)}
	for i := range out.columns {
		out.columns[i].Gains = slices.Clone(c.columns[i].Gains)
	}
	out.u, out.r, out.d = mat.DenseCopyOf(c.u), mat.DenseCopyOf(c.r), mat.DenseCopyOf(c.d)
	return out
}

// StoredState is the form of a State in a file.
type StoredState struct {
	Iteration   int
	Rate        float64
	Fingerprint uint64
	KernelMean  codec.Floats
	Columns     []column
	U, R, D     codec.Matrix
}

// Store returns the form of the State in a file.
func (s *State) Store() StoredState {
	c := s.conjugate
	return StoredState{
		Iteration: s.Iteration, Rate: c.rate, Fingerprint: s.fingerprint, KernelMean: s.kernelMean, Columns: c.columns,
		U: codec.FromDense(c.u), R: codec.FromDense(c.r), D: codec.FromDense(c.d),
	}
}

// Restore validates the stored form and returns the State.
func (in StoredState) Restore(kind string) (*State, error) {
	c := &conjugate{iteration: in.Iteration, rate: in.Rate, columns: in.Columns}
	for _, part := range []struct {
		from codec.Matrix
		to   **mat.Dense
	}{{in.U, &c.u}, {in.R, &c.r}, {in.D, &c.d}} {
		m, err := part.from.Dense()
		if err != nil {
			return nil, fault.BadModel(kind, "%v", err)
		}
		*part.to = m
	}
	if reason := in.wrong(c); reason != "" {
		return nil, fault.BadModel(kind, "%s", reason)
	}
	kernelMean := []float64(in.KernelMean)
	if len(kernelMean) == 0 {
		kernelMean = nil
	}
	return &State{Iteration: in.Iteration, fingerprint: in.Fingerprint, kernelMean: kernelMean, conjugate: c}, nil
}

// wrong returns a description of the error in a decoded state, or "" if the state is valid.
func (in StoredState) wrong(c *conjugate) string {
	if c.u == nil || c.r == nil || c.d == nil || len(in.Columns) == 0 {
		return "it has no columns"
	}
	rows, m := c.u.Dims()
	for _, part := range []*mat.Dense{c.r, c.d} {
		if r, columns := part.Dims(); r != rows || columns != m {
			return "its matrices are inconsistent"
		}
	}
	switch {
	case rows != len(in.Columns), len(in.KernelMean) != 0 && len(in.KernelMean) != m:
		return "its matrices do not match its columns"
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
