package conformance

import (
	"iter"
	"testing"
)

// Run runs each check as a subtest and records the outcome in the table. If table is nil, Run uses a new table and logs it at the
// end. The argument all holds the names of all checks in the suite. skip holds the reason for each check that is left out.
func Run(t *testing.T, name string, table *Table, skip map[string]string, all []string, checks iter.Seq2[string, func() Verdict]) {
	t.Helper()
	if table == nil {
		table = &Table{}
		defer func() { t.Log("\n" + table.Render(all)) }()
	}
	if err := ValidSkips(skip, all); err != "" {
		t.Errorf("%s: %s", name, err)
	}
	t.Run(name, func(t *testing.T) {
		for check, judge := range checks {
			t.Run(check, func(t *testing.T) {
				v := judge()
				table.Add(name, check, v)
				for _, f := range v.Failures {
					t.Error(f)
				}
				if v.Skipped != "" && !v.Failed() {
					t.Skip("because the type " + v.Skipped)
				}
			})
		}
	})
}
