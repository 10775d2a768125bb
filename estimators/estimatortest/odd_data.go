package estimatortest

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

func checkShapes(p *subject.Probe, s *subject.Subject) {
	m := s.Fitted(p, s.Train())
	for _, n := range []int{1, 7, subject.TrainRows, subject.TrainRows + 9} {
		m.Outputs(p, subject.Problem(s.Kind, 4, n, 3, 2).X)
	}
}

func checkOneRow(p *subject.Probe, s *subject.Subject) {
	d := s.Train().Pick([]int{0})
	m := s.New()
	if err := m.Fit(context.Background(), d.X, d.Y); err != nil {
		p.Contract("Fit on one row", err)
		return
	}
	m.Outputs(p, d.X)
	m.Outputs(p, s.Test().X)
}

func checkOneColumn(p *subject.Probe, s *subject.Subject) {
	m := s.Fitted(p, subject.Problem(s.Kind, 5, subject.TrainRows, 1, 2))
	m.Outputs(p, subject.Problem(s.Kind, 6, subject.TestRows, 1, 2).X)
}

func checkWide(p *subject.Probe, s *subject.Subject) {
	m := s.Fitted(p, subject.Problem(s.Kind, 7, 6, 8, 2))
	m.Outputs(p, subject.Problem(s.Kind, 8, subject.TestRows, 8, 2).X)
}

func checkConstantColumn(p *subject.Probe, s *subject.Subject) {
	for _, v := range []float64{0, 7} {
		// The third column is changed, because the first two separate the classes.
		d, test := s.Train(), s.Test()
		d.X.Apply(setColumn(2, v), d.X)
		m := s.Fitted(p, d)
		m.Outputs(p, test.X)
		test.X.Apply(setColumn(2, v), test.X)
		m.Outputs(p, test.X)
	}
}

func setColumn(column int, to float64) func(i, j int, v float64) float64 {
	return func(_, j int, v float64) float64 {
		if j == column {
			return to
		}
		return v
	}
}

func checkDuplicatedRows(p *subject.Probe, s *subject.Subject) {
	d := s.Train()
	rows := make([]int, 0, 2*subject.TrainRows)
	for i := range subject.TrainRows {
		rows = append(rows, i, i)
	}
	s.Fitted(p, d.Pick(rows)).Outputs(p, s.Test().X)
}

func checkLargeOffsetAndScale(p *subject.Probe, s *subject.Subject) {
	adapt := func(x *mat.Dense) *mat.Dense {
		x.Apply(func(_, j int, v float64) float64 {
			return []float64{1e6 + v, 1e6 * v, 1e-6 * v}[j]
		}, x)
		return x
	}
	d := s.Train()
	adapt(d.X)
	s.Fitted(p, d).Outputs(p, adapt(s.Test().X))
}

func checkConstantTarget(p *subject.Probe, s *subject.Subject) {
	for _, v := range []float64{0, 5} {
		d := s.Train()
		for i := range d.Y {
			d.Y[i] = v
		}
		s.Fitted(p, d).Outputs(p, s.Test().X)
	}
}

func checkSingleClass(p *subject.Probe, s *subject.Subject) {
	d := s.Train()
	for i := range d.Y {
		d.Y[i] = 4
	}
	m := s.New()
	if err := m.Fit(context.Background(), d.X, d.Y); err != nil {
		p.Contract("Fit on one class", err)
		return
	}
	for i, v := range m.Outputs(p, s.Test().X)[0].Values.RawMatrix().Data {
		if v != 4 {
			p.Fatalf("row %d is predicted as %v, the only class is 4", i, v)
		}
	}
}
