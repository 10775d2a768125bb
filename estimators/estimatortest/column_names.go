package estimatortest

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

func checkColumnNames(p *subject.Probe, s *subject.Subject) {
	s.New().Needs(p, estimators.Naming)
	d, x := s.Train(), s.Test().X
	_, width := d.X.Dims()
	names := make([]string, width)
	for j := range names {
		names[j] = fmt.Sprintf("name %d", j)
	}
	m := s.New().Clone() // a wrapper sets the names of its estimator, which other wrappers may share
	if got := estimators.ColumnNames(m.Value); got != nil {
		p.Errorf("ColumnNames before Fit: %q", got)
	}
	given := slices.Clone(names)
	estimators.SetColumnNames(m.Value, given)
	p.Must("Fit with names", m.Fit(context.Background(), d.X, d.Y))
	want := s.Fitted(p, d).Outputs(p, x)
	p.Same("with names and without", want, m.Outputs(p, x), 0)
	given[0] = "another"
	if got := estimators.ColumnNames(m.Value); !slices.Equal(got, names) {
		p.Fatalf("ColumnNames after Fit with %q: %q", names, got)
	}
	estimators.SetColumnNames(m.Value, append(slices.Clone(names), "one more"))
	p.Wants("Fit with one name too many", m.Fit(context.Background(), d.X, d.Y), estimators.ErrParam)
	p.Keeps("a Fit with one name too many", m, x, want)
	if got := estimators.ColumnNames(m.Value); !slices.Equal(got, names) {
		p.Errorf("ColumnNames after a Fit that failed: %q", got)
	}
	if !m.Can(estimators.Marshalling) {
		return
	}
	data, err := m.Marshal()
	p.Must("MarshalBinary", err)
	read := s.New()
	p.Must("UnmarshalBinary", read.Unmarshal(data))
	if got := estimators.ColumnNames(read.Value); !slices.Equal(got, names) {
		p.Errorf("ColumnNames of what was read: %q, want %q", got, names)
	}
}
