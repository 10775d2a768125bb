package conformance

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Table collects the outcome of every check on every type of a suite. The zero value is ready to use, and parallel tests may share
// it.
type Table struct {
	mu    sync.Mutex
	types []string
	cells map[string]map[string]Verdict // by type and check
}

// Add records the outcome of a check on a type.
func (t *Table) Add(typ, check string, v Verdict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cells == nil {
		t.cells = map[string]map[string]Verdict{}
	}
	if t.cells[typ] == nil {
		t.cells[typ] = map[string]Verdict{}
		t.types = append(t.types, typ)
	}
	t.cells[typ][check] = v
}

// Types returns the names of the types in the order in which they were added.
func (t *Table) Types() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.types)
}

// Outcome returns the verdict of a check on a type, and whether it was recorded.
func (t *Table) Outcome(typ, check string) (Verdict, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ran := t.cells[typ][check]
	return v, ran
}

// Render formats a table of these checks, with one row per type and one column per check. Columns are numbered. A legend below
// explains the numbers, and the letters that stand for skip reasons. A dot stands for a check that does not apply to the type, or
// that was not selected by go test -run.
func (t *Table) Render(checks []string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	width := len("type")
	for _, typ := range t.types {
		width = max(width, len(typ))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%-*s", width, "type")
	for i := range checks {
		fmt.Fprintf(&out, " %4d", i+1)
	}
	var reasons []string
	for _, typ := range t.types {
		fmt.Fprintf(&out, "\n%-*s", width, typ)
		for _, c := range checks {
			v, ran := t.cells[typ][c]
			cell := "pass"
			switch {
			case !ran:
				cell = "."
			case v.Failed():
				cell = "FAIL"
			case v.Skipped != "":
				at := slices.Index(reasons, v.Skipped)
				if at < 0 {
					at, reasons = len(reasons), append(reasons, v.Skipped)
				}
				cell = "(" + letters(at) + ")"
			}
			fmt.Fprintf(&out, " %4s", cell)
		}
	}
	out.WriteString("\n\nchecks\n")
	for i, c := range checks {
		fmt.Fprintf(&out, "%4d %s\n", i+1, c)
	}
	if len(reasons) > 0 {
		out.WriteString("\nskipped, because the type\n")
	}
	for i, r := range reasons {
		fmt.Fprintf(&out, " %3s %s\n", "("+letters(i)+")", r)
	}
	return out.String()
}

// letters returns the i-th of the letters a, b, ... z, aa, ab, ...
func letters(i int) string {
	s := string(rune('a' + i%26))
	if i >= 26 {
		return letters(i/26-1) + s
	}
	return s
}
