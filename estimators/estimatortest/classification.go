package estimatortest

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

// threeClasses returns a model of three classes and new rows of them.
func (s *subject) threeClasses(p *probe) (model, data) {
	return s.fitted(p, problem(s.kind, 12, trainRows, 3, 3)), problem(s.kind, 13, testRows, 3, 3)
}

func checkLabels(p *probe, s *subject) {
	m, test := s.threeClasses(p)
	before, err := m.classifier().Predict(test.x)
	p.Must("Predict", err)
	// The order is kept, so that the same model has to result.
	other := map[int]int{-3: math.MinInt, 2: -1, 11: math.MaxInt}
	d := problem(s.kind, 12, trainRows, 3, 3)
	y := toLabels(d.y)
	for i, l := range y {
		y[i] = other[l]
	}
	c := s.new().classifier()
	p.Must("Fit with large labels", c.Fit(context.Background(), d.x, y))
	after, err := c.Predict(test.x)
	p.Must("Predict with large labels", err)
	for i, l := range before {
		if after[i] != other[l] {
			p.Fatalf("row %d is %d, with other labels for the same classes %d, want %d", i, l, after[i], other[l])
		}
	}
	if got, want := c.Classes(), []int{math.MinInt, -1, math.MaxInt}; !slices.Equal(got, want) {
		p.Errorf("Classes = %v, want %v", got, want)
	}
}

func checkClasses(p *probe, s *subject) {
	m, _ := s.threeClasses(p)
	want := toLabels(labelsOf)
	got := m.classifier().Classes()
	if !slices.Equal(got, want) {
		p.Fatalf("Classes = %v, want %v", got, want)
	}
	got[0] = 1000
	if again := m.classifier().Classes(); !slices.Equal(again, want) {
		p.Errorf("Classes after writing to what it returned: %v, want %v", again, want)
	}
}

func checkThreeClasses(p *probe, s *subject) {
	m, test := s.threeClasses(p)
	p.accurate("Predict", m.outputs(p, test.x)[0].values.RawMatrix().Data, test.y)
}

// probaSlack is how far a probability may leave [0,1], and a sum of K of them 1,
// by rounding.
const probaSlack = 1e-9

func checkProbabilities(p *probe, s *subject) {
	for _, k := range []int{2, 3} {
		m := s.fitted(p, problem(s.kind, 14, trainRows, 3, k))
		m.needs(p, estimators.Proba)
		x := problem(s.kind, 15, testRows, 3, k).x
		proba, err := m.value.(estimators.ProbaPredictor).PredictProba(x)
		p.Must("PredictProba", err)
		p.dims("PredictProba", proba, testRows, k)
		for i := range testRows {
			row := proba.RawRowView(i)
			if !(floats.Min(row) >= -probaSlack) || !(floats.Max(row) <= 1+probaSlack) || !(math.Abs(floats.Sum(row)-1) <= probaSlack) {
				p.Fatalf("row %d of %d classes: %v, want numbers in [0,1] that sum to 1", i, k, row)
			}
		}
	}
}

func (p *probe) dims(method string, m *mat.Dense, rows, cols int) {
	if r, c := m.Dims(); r != rows || c != cols {
		p.Fatalf("%s gave %d×%d, want %d×%d", method, r, c, rows, cols)
	}
}

// argmax returns for each row the class of its first largest entry.
func argmax(scores *mat.Dense, classes []int) []float64 {
	n, _ := scores.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(classes[floats.MaxIdx(scores.RawRowView(i))])
	}
	return out
}

func checkProbabilityOrder(p *probe, s *subject) {
	m, test := s.threeClasses(p)
	m.needs(p, estimators.Proba)
	proba, err := m.value.(estimators.ProbaPredictor).PredictProba(test.x)
	p.Must("PredictProba", err)
	p.dims("PredictProba", proba, testRows, 3)
	p.accurate("the largest of PredictProba", argmax(proba, m.classifier().Classes()), test.y)
}

func checkDecision(p *probe, s *subject) {
	for _, k := range []int{2, 3} {
		m := s.fitted(p, problem(s.kind, 16, trainRows, 3, k))
		m.needs(p, estimators.Decision)
		x := problem(s.kind, 17, testRows, 3, k).x
		scores, err := m.value.(estimators.DecisionPredictor).Decision(x)
		p.Must("Decision", err)
		p.dims("Decision", scores, testRows, k)
		want := m.outputs(p, x)[0].values.RawMatrix().Data
		if got := argmax(scores, m.classifier().Classes()); !slices.Equal(got, want) {
			p.Errorf("the largest of Decision are %v, Predict gives %v", got, want)
		}
	}
}
