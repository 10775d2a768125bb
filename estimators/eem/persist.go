package eem

import (
	"encoding"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
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
	Plane   *storedPlane // in place of Pairs
	Report  estimators.Report
}

// store returns what both machines write; the layer is each one's own. directions are
// those of a plane.
func (m *model) store(of *solution, directions *mat.Dense) storedModel {
	s := storedModel{Width: m.width, Classes: m.classes, Report: of.report, Plane: of.storePlane(directions)}
	for k, p := range of.pairs {
		s.Pairs = append(s.Pairs, storedPair{
			Beta: p.beta, MPos: p.mPos, MNeg: p.mNeg, SPos: p.sPos, SNeg: p.sNeg, Distance: p.distance,
			RhoPos: p.rhoPos, RhoNeg: p.rhoNeg, Constant: p.constant, LogW: of.logW[k],
		})
	}
	return s
}

// directions is the number that the solution wants.
func (s *solution) directions() int {
	if s.plane != nil {
		_, r := s.plane.means.Dims()
		return r
	}
	return len(s.pairs)
}

// model rebuilds and validates, for a layer of h units; it returns the directions too.
func (s storedModel) model(kind string, h int) (*model, *solution, *mat.Dense, error) {
	if s.Width < 1 || !classes.Valid(s.Classes) {
		return nil, nil, nil, fault.BadModel(kind, "classes %v", s.Classes)
	}
	m := &model{width: s.Width, classes: s.Classes}
	var of *solution
	var directions *mat.Dense
	var err error
	if s.Plane != nil {
		of, directions, err = s.Plane.solution(kind, s.Classes, h)
	} else {
		of, directions, err = s.pairs(kind, h)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if v := of.report.Objective; v-v != 0 {
		return nil, nil, nil, fault.BadModel(kind, "objective %v", v)
	}
	m.solved = func() (*solution, error) { return of, nil }
	return m, of, directions, nil
}

func (s storedModel) pairs(kind string, h int) (*solution, *mat.Dense, error) {
	if k := float64(len(s.Classes)); float64(len(s.Pairs)) != k*(k-1)/2 {
		return nil, nil, fault.BadModel(kind, "%d pairs for classes %v", len(s.Pairs), s.Classes)
	}
	of := &solution{classes: s.Classes, report: s.Report}
	if h < 1 {
		return nil, nil, fault.BadModel(kind, "pairs of no units")
	}
	directions := mat.NewDense(h, len(s.Pairs), nil)
	for i, p := range s.Pairs {
		numbers := codec.Floats{p.MPos, p.MNeg, p.SPos, p.SNeg, p.Distance, p.RhoPos, p.RhoNeg, p.LogW}
		if len(p.Beta) != h || !p.Beta.Finite() || !numbers.Finite() || !(p.SPos > 0) || !(p.SNeg > 0) {
			return nil, nil, fault.BadModel(kind, "pair %d: %d coefficients for %d units, variances %v and %v", i, len(p.Beta), h, p.SPos, p.SNeg)
		}
		directions.SetCol(i, p.Beta)
		of.pairs = append(of.pairs, &projection{
			beta: p.Beta, mPos: p.MPos, mNeg: p.MNeg, sPos: p.SPos, sNeg: p.SNeg, distance: p.Distance, rhoPos: p.RhoPos, rhoNeg: p.RhoNeg, constant: p.Constant,
		})
		of.logW = append(of.logW, p.LogW)
	}
	return of, directions, nil
}

// MarshalBinary writes the fitted machine: its units and the direction of each pair of
// classes. The statistics, O(h²) for each class, are not written: Statistics gives
// them, and they have MarshalBinary of their own.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	of, err := c.m.solution(classifierType)
	if err != nil {
		return nil, err
	}
	h := of.scorer.(*hiddenScorer)
	s := c.m.store(of, h.directions)
	if s.Hidden, err = estimators.MakePart(classifierType+": hidden units", h.hidden); err != nil {
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
	w, _ := hidden.UnitWeights()
	h, d := w.Dims()
	if d != s.Width {
		return fault.BadModel(classifierKind, "units of %d columns, %d announced", d, s.Width)
	}
	m, of, directions, err := s.model(classifierKind, h)
	if err != nil {
		return err
	}
	of.scorer = &hiddenScorer{hidden: hidden, directions: directions}
	c.m = m
	return nil
}
