package streams

import (
	"context"
	"math"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/transformers"
	"gonum.org/v1/gonum/mat"
)

func partialFit(m subject.Model, x mat.Matrix, y []float64) error {
	switch m.Kind {
	case subject.Regressors:
		return m.Value.(estimators.PartialFitter[float64]).PartialFit(context.Background(), x, y)
	case subject.Transforms:
		return m.Value.(transformers.PartialFitter).PartialFit(context.Background(), x)
	}
	return m.Value.(estimators.PartialFitter[int]).PartialFit(context.Background(), x, subject.ToLabels(y))
}

func CheckPartialFit(p *subject.Probe, s *subject.Subject) {
	m, d, x := s.New(), s.Train(), s.Gappy(s.Test().X)
	m.Needs(p, estimators.Partial)
	p.Must("PartialFit before Fit", partialFit(m, d.X, d.Y))
	if m.Can(estimators.Mergeable) {
		p.Same("PartialFit before Fit, and FitStatistics", merged(s, p, d, 1).Outputs(p, x), m.Outputs(p, x), s.Options.Tolerance)
	} else {
		p.Same("PartialFit before Fit, and Fit", s.Fitted(p, d).Outputs(p, x), m.Outputs(p, x), s.Options.Tolerance)
	}

	want := m.Outputs(p, x)
	bad := s.Train()
	bad.X.Set(2, 1, math.Inf(1))
	p.Place("PartialFit with x[2,1] = Inf", partialFit(m, bad.X, bad.Y), 2, 1)
	p.Wants("PartialFit of a narrower x", partialFit(m, d.X.Slice(0, subject.TrainRows, 0, 2), d.Y), estimators.ErrShape)
	p.Keeps("a PartialFit that failed", m, x, want)

	more := s.OtherProblem()
	for range 2 { // so that its values are the most frequent
		p.Must("PartialFit", partialFit(m, more.X, more.Y))
	}
	moved := false
	for i, o := range m.Outputs(p, x) {
		moved = moved || !mat.Equal(o.Values, want[i].Values)
	}
	if !moved {
		p.Errorf("PartialFit of other rows changes no result")
	}
}
