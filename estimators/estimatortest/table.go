package estimatortest

import (
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/internal/conformance"
)

// judge runs a check on a subject.
func judge(c check, s *subject.Subject) conformance.Verdict {
	return conformance.Judge(s.Options.Skip, c.name, func(p *conformance.Probe) { c.run(&subject.Probe{Probe: p}, s) })
}

// Table collects the outcome of every check on every type on which a suite ran. The zero value is ready to use, also from parallel
// tests.
type Table struct{ outcomes conformance.Table }

// conformance returns the table of outcomes, or nil if t is nil.
func (t *Table) conformance() *conformance.Table {
	if t == nil {
		return nil
	}
	return &t.outcomes
}

// Types returns the names of the types that have a row, in the order in which they were added.
func (t *Table) Types() []string { return t.outcomes.Types() }

// String renders the table: a row for each type, and a column for each check. The columns are numbered. The numbers are explained
// below the table, and so are the letters for the reasons why checks were skipped. A dot stands for a check of another kind of
// type, or for a check that go test -run left out.
func (t *Table) String() string { return t.outcomes.Render(checkNames()) }

func checkNames() []string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.name
	}
	return names
}
