package estimatortest

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

// threeClasses returns a model that is fitted to three classes, and new rows of these classes.
func threeClasses(s *subject.Subject, p *subject.Probe) (subject.Model, subject.Data) {
	return s.Fitted(p, subject.Problem(s.Kind, 12, subject.TrainRows, 3, 3)), subject.Problem(s.Kind, 13, subject.TestRows, 3, 3)
}

func checkLabels(p *subject.Probe, s *subject.Subject) {
	m, test := threeClasses(s, p)
	before, err := m.Classifier().Predict(test.X)
	p.Must("Predict", err)
	// The order of the labels is the same, so the model must be the same.
	other := map[int]int{-3: math.MinInt, 2: -1, 11: math.MaxInt}
	d := subject.Problem(s.Kind, 12, subject.TrainRows, 3, 3)
	y := subject.ToLabels(d.Y)
	for i, l := range y {
		y[i] = other[l]
	}
	c := s.New().Classifier()
	p.Must("Fit with large labels", c.Fit(context.Background(), d.X, y))
	after, err := c.Predict(test.X)
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

func checkClasses(p *subject.Probe, s *subject.Subject) {
	m, _ := threeClasses(s, p)
	want := subject.ToLabels(subject.LabelsOf)
	got := m.Classifier().Classes()
	if !slices.Equal(got, want) {
		p.Fatalf("Classes = %v, want %v", got, want)
	}
	got[0] = 1000
	if again := m.Classifier().Classes(); !slices.Equal(again, want) {
		p.Errorf("Classes after writing to what it returned: %v, want %v", again, want)
	}
}

func checkThreeClasses(p *subject.Probe, s *subject.Subject) {
	m, test := threeClasses(s, p)
	accurate(p, "Predict", m.Outputs(p, test.X)[0].Values.RawMatrix().Data, test.Y)
}

// probaSlack is the tolerance for rounding: a probability may be outside [0, 1] by this much, and a sum of K probabilities may
// differ from 1.
const probaSlack = 1e-9

func checkProbabilities(p *subject.Probe, s *subject.Subject) {
	for _, k := range []int{2, 3} {
		m := s.Fitted(p, subject.Problem(s.Kind, 14, subject.TrainRows, 3, k))
		m.Needs(p, estimators.Proba)
		x := subject.Problem(s.Kind, 15, subject.TestRows, 3, k).X
		proba, err := m.Value.(estimators.ProbaPredictor).PredictProba(x)
		p.Must("PredictProba", err)
		dims(p, "PredictProba", proba, subject.TestRows, k)
		for i := range subject.TestRows {
			row := proba.RawRowView(i)
			if !(floats.Min(row) >= -probaSlack) || !(floats.Max(row) <= 1+probaSlack) || !(math.Abs(floats.Sum(row)-1) <= probaSlack) {
				p.Fatalf("row %d of %d classes: %v, want numbers in [0,1] that sum to 1", i, k, row)
			}
		}
	}
}

func dims(p *subject.Probe, method string, m *mat.Dense, rows, cols int) {
	if r, c := m.Dims(); r != rows || c != cols {
		p.Fatalf("%s returned %d×%d, want %d×%d", method, r, c, rows, cols)
	}
}

// argmax returns, for each row, the class of the largest score, or the first of tied classes.
func argmax(scores *mat.Dense, classes []int) []float64 {
	n, _ := scores.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(classes[floats.MaxIdx(scores.RawRowView(i))])
	}
	return out
}

func checkProbabilityOrder(p *subject.Probe, s *subject.Subject) {
	m, test := threeClasses(s, p)
	m.Needs(p, estimators.Proba)
	proba, err := m.Value.(estimators.ProbaPredictor).PredictProba(test.X)
	p.Must("PredictProba", err)
	dims(p, "PredictProba", proba, subject.TestRows, 3)
	accurate(p, "the largest of PredictProba", argmax(proba, m.Classifier().Classes()), test.Y)
}

func checkDecision(p *subject.Probe, s *subject.Subject) {
	for _, k := range []int{2, 3} {
		m := s.Fitted(p, subject.Problem(s.Kind, 16, subject.TrainRows, 3, k))
		m.Needs(p, estimators.Decision)
		x := subject.Problem(s.Kind, 17, subject.TestRows, 3, k).X
		scores, err := m.Value.(estimators.DecisionPredictor).Decision(x)
		p.Must("Decision", err)
		dims(p, "Decision", scores, subject.TestRows, k)
		want := m.Outputs(p, x)[0].Values.RawMatrix().Data
		if got := argmax(scores, m.Classifier().Classes()); !slices.Equal(got, want) {
			p.Errorf("the largest of Decision are %v, Predict gives %v", got, want)
		}
	}
}
