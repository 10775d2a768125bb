package falkon

import (
	"cmp"
	"context"
	"encoding"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/platt"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	regressorKind  = "falkon.Regressor"
	classifierKind = "falkon.Classifier"
)

var (
	_ encoding.BinaryMarshaler   = (*Regressor)(nil)
	_ encoding.BinaryUnmarshaler = (*Regressor)(nil)
	_ encoding.BinaryMarshaler   = (*Classifier)(nil)
	_ encoding.BinaryUnmarshaler = (*Classifier)(nil)
)

// stored is a machine in a file.
type stored struct {
	Kernel    kernels.Reference
	Landmarks codec.Matrix // M×d
	Beta      codec.Matrix // k×M
	Bias      codec.Floats
	Ridge     float64
	Report    estimators.Report
	Details   Details
	Spread    *storedSpread // of a Regressor
}

// storedSpread is what of a variance cannot be made of the landmarks.
type storedSpread struct {
	Noise, Unseen, Weight, Jitter float64
	NoIntercept                   bool
	Noises, Unseens               codec.Floats `cbor:",omitempty"` // of a MultiRegressor, in the place of Noise and Unseen
	Centre                        codec.Floats
	Factor                        codec.Floats // packed
	Unit                          float64      `cbor:",omitempty"` // 0 for 1
	Within                        codec.Floats `cbor:",omitzero"`
}

// store is for a file; several says that it is of a MultiRegressor, be it of one target.
func (m *machine) store(configured kernels.Kernel, several bool) stored {
	s := stored{
		Kernel: kernels.MakeReference(configured, m.kernel), Landmarks: codec.FromDense(m.landmarks), Beta: codec.FromDense(m.beta),
		Bias: m.bias, Ridge: m.ridge, Report: m.report, Details: m.details,
	}
	s.Details.Seconds = 0 // the same model is the same file
	if m.spread != nil {
		s.Spread = &storedSpread{
			Within: m.spread.within, Weight: m.spread.weight, Jitter: m.spread.jitter,
			NoIntercept: m.spread.noIntercept, Centre: m.spread.centre, Factor: m.spread.factor.Packed(),
		}
		if m.spread.unit != 1 {
			s.Spread.Unit = m.spread.unit
		}
		if several {
			s.Spread.Noises, s.Spread.Unseens = m.spread.noise, m.spread.unseen
		} else {
			s.Spread.Noise, s.Spread.Unseen = m.spread.noise[0], m.spread.unseen[0]
		}
	}
	return s
}

// machine rebuilds and validates; k is the number of targets.
func (s stored) machine(kind string, configured kernels.Kernel, k int) (*machine, error) {
	m := &machine{bias: s.Bias, ridge: s.Ridge, report: s.Report, details: s.Details}
	var err error
	if m.landmarks, err = s.Landmarks.Dense(); err != nil {
		return nil, fault.BadModel(kind, "landmarks: %v", err)
	}
	if m.beta, err = s.Beta.Dense(); err != nil {
		return nil, fault.BadModel(kind, "coefficients: %v", err)
	}
	if m.landmarks == nil || m.beta == nil {
		return nil, fault.BadModel(kind, "no landmarks or no coefficients")
	}
	count, d := m.landmarks.Dims()
	if r, c := m.beta.Dims(); r != k || c != count || len(s.Bias) != k || !s.Bias.Finite() {
		return nil, fault.BadModel(kind, "%d landmarks do not fit its coefficients", count)
	}
	if !(s.Ridge > 0) || math.IsInf(s.Ridge, 1) {
		return nil, fault.BadModel(kind, "ridge %v", s.Ridge)
	}
	if m.kernel, err = s.Kernel.Resolve(kind, configured); err != nil {
		return nil, err
	}
	if err := kernels.ValidateColumns(m.kernel, d); err != nil {
		return nil, fault.BadModel(kind, "%v", err)
	}
	of := &basis{kernel: m.kernel, landmarks: m.landmarks}
	if err := of.prepare(context.Background()); err != nil {
		return nil, fault.BadModel(kind, "%v", err)
	}
	m.prepared = of.prepared
	return m, nil
}

// spread rebuilds and validates the variance of a machine; several says that it is of a MultiRegressor.
func (s *storedSpread) spread(kind string, m *machine, several bool) (*spread, error) {
	count, _ := m.landmarks.Dims()
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
	if k := len(m.bias); len(noise) != k || len(unseen) != k {
		return nil, fault.BadModel(kind, "variances of %d and %d targets, there are %d", len(noise), len(unseen), k)
	}
	if len(s.Within) != 0 && len(s.Within) != len(m.bias) {
		return nil, fault.BadModel(kind, "variances within rows of %d targets, there are %d", len(s.Within), len(m.bias))
	}
	out := &spread{noise: noise, unseen: unseen, unit: cmp.Or(s.Unit, 1), weight: s.Weight, jitter: s.Jitter, noIntercept: s.NoIntercept}
	if !s.NoIntercept {
		out.centre = s.Centre
	}
	if len(s.Within) > 0 {
		out.within = s.Within
	}
	var ok bool
	if out.factor, ok = linalg.FromPacked(count, s.Factor, 0); !ok {
		return nil, fault.BadModel(kind, "the factor does not fit %d landmarks", count)
	}
	return out, nil
}

func (s *storedSpread) wrong(count int) string {
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
		return "its centre or factor does not fit"
	}
	return ""
}

// MarshalBinary writes the fitted model: the landmarks, their coefficients, the kernel's name,
// and M²/2 numbers for the variance. The configuration is not written.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	if r.m == nil {
		return nil, fault.NotFitted(regressorType)
	}
	return codec.Marshal(regressorKind, version, r.m.store(r.Kernel, false))
}

// UnmarshalBinary reads what MarshalBinary wrote into a Regressor that has the same Kernel. Errors wrap
// [estimators.ErrBadModel] and leave r unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, regressorKind, version, &s); err != nil {
		return err
	}
	m, err := s.machine(regressorKind, r.Kernel, 1)
	if err != nil {
		return err
	}
	if m.spread, err = s.Spread.spread(regressorKind, m, false); err != nil {
		return err
	}
	r.m = m
	return nil
}

type storedClassifier struct {
	Machine stored
	Classes []int
	Loss    Loss
	Slope   float64
	Offset  codec.Floats
}

// MarshalBinary writes the fitted model: the landmarks, their coefficients, the kernel's name, the
// classes and the link. The configuration is not written.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	return codec.Marshal(classifierKind, version, storedClassifier{
		Machine: c.m.store(c.Kernel, false), Classes: c.classes, Loss: c.fitted, Slope: c.link.Slope, Offset: c.link.Offset,
	})
}

// UnmarshalBinary reads what MarshalBinary wrote into a Classifier that has the same Kernel. Errors wrap
// [estimators.ErrBadModel] and leave c unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedClassifier
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	k := len(s.Classes)
	offsets := k
	if s.Loss == LogisticLoss {
		offsets = 0
	}
	if !classes.Valid(s.Classes) || s.Loss < SquaredLoss || s.Loss > LogisticLoss || len(s.Offset) != offsets || !s.Offset.Finite() || !(s.Slope >= 0) || s.Slope-s.Slope != 0 {
		return fault.BadModel(classifierKind, "%d classes do not fit its link", k)
	}
	m, err := s.Machine.machine(classifierKind, c.Kernel, classes.Machines(k))
	if err != nil {
		return err
	}
	c.m, c.classes, c.link, c.fitted = m, s.Classes, platt.Link{Slope: s.Slope, Offset: s.Offset}, s.Loss
	return nil
}
