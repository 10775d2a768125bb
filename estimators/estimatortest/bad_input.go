package estimatortest

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

var notFinite = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

func checkNotFiniteX(p *subject.Probe, s *subject.Subject) {
	m := s.Fitted(p, s.Train())
	for _, v := range notFinite {
		for _, at := range [][2]int{{0, 0}, {5, 2}} {
			d, test := s.Train(), s.Test()
			d.X.Set(at[0], at[1], v)
			if s.Options.Gaps && math.IsNaN(v) {
				p.Must("Fit with a gap in x", s.New().Fit(context.Background(), d.X, d.Y))
				test.X.Set(at[0], at[1], v)
				m.Outputs(p, test.X)
				continue
			}
			p.Place(fmt.Sprintf("Fit with x%v = %v", at, v), s.New().Fit(context.Background(), d.X, d.Y), at[0], at[1])
			test.X.Set(at[0], at[1], v)
			for _, f := range m.Methods() {
				_, err := f.Call(test.X)
				p.Place(fmt.Sprintf("%s with x%v = %v", f.Name, at, v), err, at[0], at[1])
			}
		}
	}
}

func checkNotFiniteY(p *subject.Probe, s *subject.Subject) {
	for _, v := range notFinite {
		d := s.Train()
		d.Y[3] = v
		column := -1
		if s.Kind == subject.Multis {
			column = 0
		}
		p.Place(fmt.Sprintf("Fit with y[3] = %v", v), s.New().Fit(context.Background(), d.X, d.Y), 3, column)
	}
}

var empties = map[string]mat.Matrix{
	"nil":                 nil,
	"a nil *mat.Dense":    (*mat.Dense)(nil),
	"an empty *mat.Dense": &mat.Dense{},
	"no rows":             subject.Hollow{Rows: 0, Cols: 3},
	"no columns":          subject.Hollow{Rows: subject.TrainRows, Cols: 0},
}

func checkEmptyX(p *subject.Probe, s *subject.Subject) {
	for name, x := range empties {
		y := s.Train().Y
		if name != "no columns" {
			y = []float64{}
		}
		p.Wants("Fit on "+name, s.New().Fit(context.Background(), x, y), estimators.ErrShape)
	}
}

func checkEmptyXAtPredict(p *subject.Probe, s *subject.Subject) {
	m := s.Fitted(p, s.Train())
	for name, x := range empties {
		for _, f := range m.Methods() {
			_, err := f.Call(x)
			p.Wants(f.Name+" on "+name, err, estimators.ErrShape)
		}
	}
}

func checkLengthOfY(p *subject.Probe, s *subject.Subject) {
	d := s.Train()
	for name, y := range map[string][]float64{
		"nil": nil, "empty": {}, "one too short": d.Y[1:], "one too long": append(s.Train().Y, d.Y[0]),
	} {
		p.Wants("Fit with a y that is "+name, s.New().Fit(context.Background(), d.X, y), estimators.ErrShape)
	}
}

func checkWidthAtPredict(p *subject.Probe, s *subject.Subject) {
	m := s.Fitted(p, s.Train())
	for _, width := range []int{1, 2, 4} {
		for _, f := range m.Methods() {
			_, err := f.Call(subject.Problem(s.Kind, 9, subject.TestRows, width, 2).X)
			p.Wants(fmt.Sprintf("%s on %d columns, fitted on 3", f.Name, width), err, estimators.ErrShape)
		}
	}
}

func checkNotFitted(p *subject.Probe, s *subject.Subject) {
	unfitted(p, s.New(), s.Test().X)
}

// unfitted checks that the model is in the same state as before any Fit.
func unfitted(p *subject.Probe, m subject.Model, x mat.Matrix) {
	for _, f := range m.Methods() {
		_, err := f.Call(x)
		p.Wants(f.Name+" before Fit", err, estimators.ErrNotFitted)
	}
	if m.Can(estimators.Marshalling) {
		_, err := m.Marshal()
		p.Wants("MarshalBinary before Fit", err, estimators.ErrNotFitted)
	}
	if m.Kind == subject.Classifiers {
		if c := m.Classifier().Classes(); c != nil {
			p.Errorf("Classes before Fit: %v, want nil", c)
		}
	}
}
