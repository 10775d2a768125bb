package estimatortest

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/transformers"
)

func checkInverse(p *subject.Probe, s *subject.Subject) {
	s.New().Needs(p, estimators.Inverting)
	plain, constant := s.Train(), s.Train()
	for i := range subject.TrainRows {
		constant.X.Set(i, 1, 7)
	}
	goesBack(s, p, "rows of Fit", plain)
	goesBack(s, p, "rows of Fit with a column of one value", constant)

	m := s.Fitted(p, plain)
	inverse := m.Value.(transformers.Inverter).InverseTransform
	z, err := m.Predict().Call(plain.X)
	p.Must("Transform", err)
	_, width := z.Dims()
	_, err = s.New().Value.(transformers.Inverter).InverseTransform(z)
	p.Wants("InverseTransform before Fit", err, estimators.ErrNotFitted)
	_, err = inverse(nil)
	p.Wants("InverseTransform of nil", err, estimators.ErrShape)
	_, err = inverse(mat.NewDense(2, width+1, nil))
	p.Wants("InverseTransform of a column too many", err, estimators.ErrShape)
	for _, v := range notFinite {
		if s.Options.Gaps && math.IsNaN(v) {
			continue
		}
		bad := mat.DenseCopyOf(z)
		bad.Set(5, width-1, v)
		_, err = inverse(bad)
		p.Place("InverseTransform of a value that is not finite", err, 5, width-1)
	}
}

// goesBack fits a model to the rows, transforms them and applies the inverse, and checks that the rows are returned. It does so for
// all rows at once, and for the first row alone.
func goesBack(s *subject.Subject, p *subject.Probe, what string, d subject.Data) {
	m := s.Fitted(p, d)
	for _, x := range []*mat.Dense{d.X, d.X.Slice(0, 1, 0, 3).(*mat.Dense)} {
		z, err := m.Predict().Call(x)
		p.Must("Transform", err)
		kept := mat.DenseCopyOf(z)
		back, err := m.Value.(transformers.Inverter).InverseTransform(z)
		p.Must("InverseTransform", err)
		p.SameMatrix("InverseTransform of "+what, x, back, s.Options.Tolerance)
		back.Apply(func(int, int, float64) float64 { return math.Pi }, back)
		if !mat.Equal(z, kept) {
			p.Errorf("InverseTransform changed its z, or returned it")
		}
	}
}
