package estimatortest

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
)

func checkInverse(p *probe, s *subject) {
	s.new().needs(p, estimators.Inverting)
	plain, constant := s.train(), s.train()
	for i := range trainRows {
		constant.x.Set(i, 1, 7)
	}
	s.goesBack(p, "rows of Fit", plain)
	s.goesBack(p, "rows of Fit with a column of one value", constant)

	m := s.fitted(p, plain)
	inverse := m.value.(transformers.Inverter).InverseTransform
	z, err := m.predict().call(plain.x)
	p.Must("Transform", err)
	_, width := z.Dims()
	_, err = s.new().value.(transformers.Inverter).InverseTransform(z)
	p.wants("InverseTransform before Fit", err, estimators.ErrNotFitted)
	_, err = inverse(nil)
	p.wants("InverseTransform of nil", err, estimators.ErrShape)
	_, err = inverse(mat.NewDense(2, width+1, nil))
	p.wants("InverseTransform of a column too many", err, estimators.ErrShape)
	for _, v := range notFinite {
		if s.options.Gaps && math.IsNaN(v) {
			continue
		}
		bad := mat.DenseCopyOf(z)
		bad.Set(5, width-1, v)
		_, err = inverse(bad)
		p.place("InverseTransform of a value that is not finite", err, 5, width-1)
	}
}

// goesBack fits the rows, and takes them there and back, all at once and the first alone.
func (s *subject) goesBack(p *probe, what string, d data) {
	m := s.fitted(p, d)
	for _, x := range []*mat.Dense{d.x, d.x.Slice(0, 1, 0, 3).(*mat.Dense)} {
		z, err := m.predict().call(x)
		p.Must("Transform", err)
		kept := mat.DenseCopyOf(z)
		back, err := m.value.(transformers.Inverter).InverseTransform(z)
		p.Must("InverseTransform", err)
		p.sameMatrix("InverseTransform of "+what, x, back, s.options.Tolerance)
		back.Apply(func(int, int, float64) float64 { return math.Pi }, back)
		if !mat.Equal(z, kept) {
			p.Errorf("InverseTransform changed its z, or gave it back")
		}
	}
}
