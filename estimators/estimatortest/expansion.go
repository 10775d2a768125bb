package estimatortest

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

// checkExpansion checks that Predict, or Decision, returns the weighted sum of kernel values that the Expansion defines.
func checkExpansion(p *subject.Probe, s *subject.Subject) {
	fresh := s.New()
	fresh.Needs(p, estimators.Expanding)
	if _, err := fresh.Value.(estimators.Expander).Expansion(); err == nil {
		p.Errorf("Expansion before Fit: no error")
	} else {
		p.Wants("Expansion before Fit", err, estimators.ErrNotFitted)
	}
	m, x := s.Fitted(p, s.Train()), s.Test().X
	m.Needs(p, estimators.Expanding) // for these classes
	e, err := m.Value.(estimators.Expander).Expansion()
	p.Must("Expansion", err)
	var want *mat.Dense
	if r, ok := m.Value.(estimators.Regressor); ok {
		y, err := r.Predict(x)
		p.Must("Predict", err)
		want = mat.NewDense(len(y), 1, y)
	} else {
		m.Needs(p, estimators.Decision)
		want, err = m.Value.(estimators.DecisionPredictor).Decision(x)
		p.Must("Decision", err)
	}
	rows, outputs := want.Dims()
	if len(e.Intercepts) != outputs {
		p.Fatalf("Expansion has %d Intercepts for %d outputs", len(e.Intercepts), outputs)
	}
	got := mat.NewDense(rows, outputs, nil)
	for r := range rows {
		copy(got.RawRowView(r), e.Intercepts)
		for _, part := range e.Parts {
			n, _ := part.Rows.Dims()
			dims(p, "Coefficients of Expansion", part.Coefficients, n, outputs)
			for i := range n {
				k := part.Kernel.Eval(x.RawRowView(r), part.Rows.RawRowView(i))
				for c := range outputs {
					got.Set(r, c, got.At(r, c)+k*part.Coefficients.At(i, c))
				}
			}
		}
	}
	p.SameMatrix("the sum of the kernel values of Expansion", want, got, s.Options.Tolerance)
}
