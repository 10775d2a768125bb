package elm

import (
	"math"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

const (
	classifierKind    = "elm.Classifier"
	classifierVersion = 1
)

type storedModel struct {
	Width        int
	Classes      []int
	Units        estimators.NestedModel
	Coefficients codec.Matrix
	Report       estimators.Report
	Ridge        float64
}

// MarshalBinary encodes the fitted machine: its units and their coefficients.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c.m == nil {
		return nil, fault.NotFitted(classifierType)
	}
	hidden, err := estimators.NestModel(classifierType+": hidden units", c.m.hidden)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(classifierKind, classifierVersion, storedModel{
		Width: c.m.width, Classes: c.m.classes, Units: hidden, Coefficients: codec.FromDense(c.m.beta), Report: c.m.report,
		Ridge: c.m.ridge,
	})
}

// UnmarshalBinary decodes the output of MarshalBinary. If it returns an error, which wraps [estimators.ErrBadModel], c is
// unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s storedModel
	if _, err := codec.Unmarshal(data, classifierKind, classifierVersion, &s); err != nil {
		return err
	}
	hidden := &featuremap.RandomHidden{Workers: c.Workers}
	if err := s.Units.UnmarshalInto(classifierKind, "the hidden units", hidden); err != nil {
		return err
	}
	w, _ := hidden.UnitWeights()
	h, d := w.Dims()
	beta, err := s.Coefficients.Dense()
	if err != nil || beta == nil {
		return fault.BadModel(classifierKind, "no coefficients, or not finite")
	}
	outputs := len(s.Classes)
	if outputs == 2 {
		outputs = 1
	}
	rows, columns := beta.Dims()
	switch {
	case !classes.Valid(s.Classes):
		return fault.BadModel(classifierKind, "classes %v", s.Classes)
	case d != s.Width || rows != h || columns != outputs:
		return fault.BadModel(classifierKind, "%d×%d coefficients for %d units of %d columns, width %d", rows, columns, h, d, s.Width)
	case s.Report.Objective-s.Report.Objective != 0:
		return fault.BadModel(classifierKind, "objective %v", s.Report.Objective)
	case !(s.Ridge >= 0) || math.IsInf(s.Ridge, 1):
		return fault.BadModel(classifierKind, "a ridge of %v", s.Ridge)
	}
	c.m = &model{ridge: s.Ridge, hidden: hidden, width: s.Width, classes: s.Classes, beta: beta, report: s.Report}
	return nil
}
