package machine

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// StoredSpread holds the terms of a variance that cannot be computed from the landmarks.
type StoredSpread struct {
	Noise, Unseen, Weight, Jitter float64
	NoIntercept                   bool
	Noises, Unseens               codec.Floats `cbor:",omitempty"` // in a MultiRegressor, instead of Noise and Unseen
	Centre                        codec.Floats
	Factor                        codec.Floats // packed
	Unit                          float64      `cbor:",omitempty"` // 0 for 1
	Within                        codec.Floats `cbor:",omitzero"`
}

// Store returns the form of a Spread in a file. The argument several is true for a MultiRegressor, even with one target.
func (s *Spread) Store(several bool) *StoredSpread {
	if s == nil {
		return nil
	}
	out := &StoredSpread{Within: s.Within, Weight: s.Weight, Jitter: s.Jitter, NoIntercept: s.NoIntercept, Centre: s.Centre,
		Factor: s.Factor.Packed()}
	if s.Unit != 1 {
		out.Unit = s.Unit
	}
	if several {
		out.Noises, out.Unseens = s.Noise, s.Unseen
	} else {
		out.Noise, out.Unseen = s.Noise[0], s.Unseen[0]
	}
	return out
}

// Restore validates the stored form, and returns the Spread of a machine. The argument several is true for a MultiRegressor.
func (s *StoredSpread) Restore(kind string, m *Machine, several bool) (*Spread, error) {
	count, _ := m.Landmarks.Dims()
	if s == nil {
		return nil, fault.BadModel(kind, "no variance")
	}
	if reason := s.wrong(count); reason != "" {
		return nil, fault.BadModel(kind, "%s", reason)
	}
	noise, unseen := []float64{s.Noise}, []float64{s.Unseen}
	if several {
		noise, unseen = s.Noises, s.Unseens
	}
	if k := len(m.Bias); len(noise) != k || len(unseen) != k {
		return nil, fault.BadModel(kind, "variances of %d and %d targets, there are %d", len(noise), len(unseen), k)
	}
	if len(s.Within) != 0 && len(s.Within) != len(m.Bias) {
		return nil, fault.BadModel(kind, "variances within rows of %d targets, there are %d", len(s.Within), len(m.Bias))
	}
	out := &Spread{Noise: noise, Unseen: unseen, Unit: cmp.Or(s.Unit, 1), Weight: s.Weight, Jitter: s.Jitter, NoIntercept: s.NoIntercept}
	if !s.NoIntercept {
		out.Centre = s.Centre
	}
	if len(s.Within) > 0 {
		out.Within = s.Within
	}
	var ok bool
	if out.Factor, ok = linalg.FromPacked(count, s.Factor, 0); !ok {
		return nil, fault.BadModel(kind, "the factor does not match %d landmarks", count)
	}
	return out, nil
}

func (s *StoredSpread) wrong(count int) string {
	for _, v := range slices.Concat([]float64{s.Noise, s.Unseen, s.Jitter, s.Unit}, s.Noises, s.Unseens, s.Within) {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Sprintf("a variance or jitter of %v", v)
		}
	}
	centre := count
	if s.NoIntercept {
		centre = 0
	}
	switch {
	case !(s.Weight > 0) || math.IsInf(s.Weight, 1):
		return fmt.Sprintf("rows of weight %v", s.Weight)
	case len(s.Centre) != centre || !s.Centre.Finite() || !s.Factor.Finite():
		return "its centre or factor is inconsistent"
	}
	return ""
}
