package estimatortest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

var notFinite = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// place fails unless err is ErrNotFinite and carries the place.
func (p *probe) place(doing string, err error, row, col int) {
	p.wants(doing, err, estimators.ErrNotFinite)
	var at *estimators.NotFiniteError
	switch {
	case err == nil:
	case !errors.As(err, &at):
		p.Errorf("%s: the error %q is no *estimators.NotFiniteError and so names no place", doing, err)
	case at.Row != row || at.Col != col:
		p.Errorf("%s: the error names the place [%d,%d], want [%d,%d]", doing, at.Row, at.Col, row, col)
	}
}

func checkNotFiniteX(p *probe, s *subject) {
	m := s.fitted(p, s.train())
	for _, v := range notFinite {
		for _, at := range [][2]int{{0, 0}, {5, 2}} {
			d, test := s.train(), s.test()
			d.x.Set(at[0], at[1], v)
			if s.options.Gaps && math.IsNaN(v) {
				p.Must("Fit with a gap in x", s.new().fit(context.Background(), d.x, d.y))
				test.x.Set(at[0], at[1], v)
				m.outputs(p, test.x)
				continue
			}
			p.place(fmt.Sprintf("Fit with x%v = %v", at, v), s.new().fit(context.Background(), d.x, d.y), at[0], at[1])
			test.x.Set(at[0], at[1], v)
			for _, f := range m.methods() {
				_, err := f.call(test.x)
				p.place(fmt.Sprintf("%s with x%v = %v", f.name, at, v), err, at[0], at[1])
			}
		}
	}
}

func checkNotFiniteY(p *probe, s *subject) {
	for _, v := range notFinite {
		d := s.train()
		d.y[3] = v
		column := -1
		if s.kind == multis {
			column = 0
		}
		p.place(fmt.Sprintf("Fit with y[3] = %v", v), s.new().fit(context.Background(), d.x, d.y), 3, column)
	}
}

var empties = map[string]mat.Matrix{
	"nil":                 nil,
	"a nil *mat.Dense":    (*mat.Dense)(nil),
	"an empty *mat.Dense": &mat.Dense{},
	"no rows":             hollow{0, 3},
	"no columns":          hollow{trainRows, 0},
}

func checkEmptyX(p *probe, s *subject) {
	for name, x := range empties {
		y := s.train().y
		if name != "no columns" {
			y = []float64{}
		}
		p.wants("Fit on "+name, s.new().fit(context.Background(), x, y), estimators.ErrShape)
	}
}

func checkEmptyXAtPredict(p *probe, s *subject) {
	m := s.fitted(p, s.train())
	for name, x := range empties {
		for _, f := range m.methods() {
			_, err := f.call(x)
			p.wants(f.name+" on "+name, err, estimators.ErrShape)
		}
	}
}

func checkLengthOfY(p *probe, s *subject) {
	d := s.train()
	for name, y := range map[string][]float64{
		"nil": nil, "empty": {}, "one too short": d.y[1:], "one too long": append(s.train().y, d.y[0]),
	} {
		p.wants("Fit with a y that is "+name, s.new().fit(context.Background(), d.x, y), estimators.ErrShape)
	}
}

func checkWidthAtPredict(p *probe, s *subject) {
	m := s.fitted(p, s.train())
	for _, width := range []int{1, 2, 4} {
		for _, f := range m.methods() {
			_, err := f.call(problem(s.kind, 9, testRows, width, 2).x)
			p.wants(fmt.Sprintf("%s on %d columns, fitted on 3", f.name, width), err, estimators.ErrShape)
		}
	}
}

func checkNotFitted(p *probe, s *subject) {
	p.unfitted(s.new(), s.test().x)
}

// unfitted fails unless the model is as it was before any Fit.
func (p *probe) unfitted(m model, x mat.Matrix) {
	for _, f := range m.methods() {
		_, err := f.call(x)
		p.wants(f.name+" before Fit", err, estimators.ErrNotFitted)
	}
	if m.can(estimators.Marshalling) {
		_, err := m.marshal()
		p.wants("MarshalBinary before Fit", err, estimators.ErrNotFitted)
	}
	if m.kind == classifiers {
		if c := m.classifier().Classes(); c != nil {
			p.Errorf("Classes before Fit: %v, want nil", c)
		}
	}
}
