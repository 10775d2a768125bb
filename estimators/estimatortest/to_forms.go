package estimatortest

import (
	"fmt"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

func checkToForms(p *subject.Probe, s *subject.Subject) {
	m := s.Fitted(p, s.Train())
	forms := m.ToForms()
	if len(forms) == 0 {
		p.Skip("has no methods that write into the caller's memory")
	}
	for _, f := range forms {
		for _, n := range []int{1, 16, 17, 2 * subject.TrainRows} {
			x := subject.Problem(s.Kind, 12, n, 3, 2).X
			want, err := m.Whole(f.Name)(x)
			p.Must("on good rows", err)
			got, err := f.Call(x)
			p.Must(f.Name, err)
			p.SameMatrix(fmt.Sprintf("%s of %d rows", f.Name, n), want, got, s.Options.Tolerance)
		}
		for _, n := range []int{3, 20} { // few and many
			p.Wants(fmt.Sprintf("%s of %d rows into memory for one more", f.Name, n),
				m.IntoOther(f.Name, subject.Problem(s.Kind, 12, n, 3, 2).X),
				estimators.ErrShape)
		}
	}
}
