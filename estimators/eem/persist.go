package eem

import (
	"encoding"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	classifierKind    = "eem.Classifier"
	classifierVersion = 1
)

var (
	_ encoding.BinaryMarshaler   = (*Classifier)(nil)
	_ encoding.BinaryUnmarshaler = (*Classifier)(nil)
	_ encoding.BinaryMarshaler   = (*Statistics)(nil)
	_ encoding.BinaryUnmarshaler = (*Statistics)(nil)
)

type storedPair struct {
	Beta       codec.Floats
	MPos, MNeg float64
	SPos, SNeg float64
	Distance   float64
	RhoPos     float64
	RhoNeg     float64
	Constant   bool
	LogW       float64
}

type storedModel struct {
	Width   int
	Classes []int
	Hidden  estimators.Part
	Pairs   []storedPair
	Report  estimators.Report
}

// store returns what both machines write; the layer is each one's own.
func (m *model) store() storedModel {
	s := storedModel{Width: m.width, Classes: m.classes, Report: m.report}
	for k, p := range m.pairs {
		s.Pairs = append(s.Pairs, storedPair{
			Beta: p.beta, MPos: p.mPos, MNeg: p.mNeg, SPos: p.sPos, SNeg: p.sNeg, Distance: p.distance,
			RhoPos: p.rhoPos, RhoNeg: p.rhoNeg, Constant: p.constant, LogW: m.logW[k],
		})
	}
	return s
}

// model rebuilds and validates, for a layer of h units.
func (s storedModel) model(kind string, h int) (*model, error) {
	k := len(s.Classes)
	if s.Width < 1 || k < 2 || !slices.IsSorted(s.Classes) || len(slices.Compact(slices.Clone(s.Classes))) != k || float64(len(s.Pairs)) != float64(k)*float64(k-1)/2 {
		return nil, fault.BadModel(kind, "%d pairs for classes %v", len(s.Pairs), s.Classes)
	}
	m := &model{width: s.Width, classes: s.Classes, report: s.Report}
	for i, p := range s.Pairs {
		numbers := codec.Floats{p.MPos, p.MNeg, p.SPos, p.SNeg, p.Distance, p.RhoPos, p.RhoNeg, p.LogW}
		if len(p.Beta) != h || !p.Beta.Finite() || !numbers.Finite() || !(p.SPos > 0) || !(p.SNeg > 0) {
			return nil, fault.BadModel(kind, "pair %d: %d coefficients for %d units, variances %v and %v", i, len(p.Beta), h, p.SPos, p.SNeg)
		}
		m.pairs = append(m.pairs, &projection{
			beta: p.Beta, mPos: p.MPos, mNeg: p.MNeg, sPos: p.SPos, sNeg: p.SNeg, distance: p.Distance, rhoPos: p.RhoPos, rhoNeg: p.RhoNeg, constant: p.Constant,
		})
		m.logW = append(m.logW, p.LogW)
	}
	if math.IsNaN(m.report.Objective) || math.IsInf(m.report.Objective, 0) {
		return nil, fault.BadModel(kind, "objective %v", m.report.Objective)
	}
	return m, nil
}

// MarshalBinary writes the fitted machine: its units and the direction of each pair of
// classes. The statistics, O(h²) for each class, are not written: Statistics gives
// them, and they have MarshalBinary of their own.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil || c.m.pairs == nil {
		return nil, fault.NotFitted(classifierType)
	}
	s := c.m.store()
	var err error
	if s.Hidden, err = estimators.MakePart(classifierType+": hidden units", c.m.layer); err != nil {
		return nil, err
	}
	return codec.Marshal(classifierKind, classifierVersion, s)
}

// UnmarshalBinary reads what MarshalBinary wrote. Errors are ErrBadModel and leave c
// as it was.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedModel
	if _, err := codec.Unmarshal(data, classifierKind, classifierVersion, &s); err != nil {
		return err
	}
	hidden := &transformers.RandomHidden{Workers: c.Workers}
	if err := s.Hidden.Into(classifierKind, "the hidden units", hidden); err != nil {
		return err
	}
	w, _ := hidden.Weights()
	h, d := w.Dims()
	if d != s.Width {
		return fault.BadModel(classifierKind, "units of %d columns, %d announced", d, s.Width)
	}
	m, err := s.model(classifierKind, h)
	if err != nil {
		return err
	}
	m.layer = hidden
	c.m = m
	return nil
}
