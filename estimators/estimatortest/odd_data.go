package estimatortest

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

func checkShapes(p *probe, s *subject) {
	m := s.fitted(p, s.train())
	for _, n := range []int{1, 7, trainRows, trainRows + 9} {
		m.outputs(p, problem(s.kind, 4, n, 3, 2).x)
	}
}

func checkOneRow(p *probe, s *subject) {
	d := s.train().pick([]int{0})
	m := s.new()
	if err := m.fit(context.Background(), d.x, d.y); err != nil {
		p.contract("Fit on one row", err)
		return
	}
	m.outputs(p, d.x)
	m.outputs(p, s.test().x)
}

func checkOneColumn(p *probe, s *subject) {
	m := s.fitted(p, problem(s.kind, 5, trainRows, 1, 2))
	m.outputs(p, problem(s.kind, 6, testRows, 1, 2).x)
}

func checkWide(p *probe, s *subject) {
	m := s.fitted(p, problem(s.kind, 7, 6, 8, 2))
	m.outputs(p, problem(s.kind, 8, testRows, 8, 2).x)
}

func checkConstantColumn(p *probe, s *subject) {
	for _, v := range []float64{0, 7} {
		// The third column: the first two tell the classes apart.
		d, test := s.train(), s.test()
		d.x.Apply(setColumn(2, v), d.x)
		m := s.fitted(p, d)
		m.outputs(p, test.x)
		test.x.Apply(setColumn(2, v), test.x)
		m.outputs(p, test.x)
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

func checkDuplicatedRows(p *probe, s *subject) {
	d := s.train()
	rows := make([]int, 0, 2*trainRows)
	for i := range trainRows {
		rows = append(rows, i, i)
	}
	s.fitted(p, d.pick(rows)).outputs(p, s.test().x)
}

func checkLargeOffsetAndScale(p *probe, s *subject) {
	adapt := func(x *mat.Dense) *mat.Dense {
		x.Apply(func(_, j int, v float64) float64 {
			return []float64{1e6 + v, 1e6 * v, 1e-6 * v}[j]
		}, x)
		return x
	}
	d := s.train()
	adapt(d.x)
	s.fitted(p, d).outputs(p, adapt(s.test().x))
}

func checkConstantTarget(p *probe, s *subject) {
	for _, v := range []float64{0, 5} {
		d := s.train()
		for i := range d.y {
			d.y[i] = v
		}
		s.fitted(p, d).outputs(p, s.test().x)
	}
}

func checkSingleClass(p *probe, s *subject) {
	d := s.train()
	for i := range d.y {
		d.y[i] = 4
	}
	m := s.new()
	if err := m.fit(context.Background(), d.x, d.y); err != nil {
		p.contract("Fit on one class", err)
		return
	}
	for i, v := range m.outputs(p, s.test().x)[0].values.RawMatrix().Data {
		if v != 4 {
			p.Fatalf("row %d is predicted as %v, the only class is 4", i, v)
		}
	}
}
