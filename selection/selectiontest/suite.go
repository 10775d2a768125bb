package selectiontest

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Options adapts the suite to a strategy. A nil *Options stands for the zero value.
type Options struct {
	// Skip maps the name of a check to the reason for omitting it, which completes "skipped, because the type ...".
	Skip map[string]string
	// Table collects the outcomes. If it is nil, a table of this strategy alone is logged.
	Table *Table
}

// Strategy runs the suite on the strategies that build returns, under their Name.
func Strategy(t *testing.T, build func() search.Strategy, opt *Options) {
	t.Helper()
	s := subject{build: build}
	if opt != nil {
		s.Options = *opt
	}
	first := build()
	if first == nil {
		t.Fatal("the strategy is nil")
	}
	conformance.Run(t, first.Name(), s.Table.conformance(), s.Skip, checkNames(),
		func(yield func(string, func() conformance.Verdict) bool) {
			for _, c := range checks {
				if !yield(c.name, func() conformance.Verdict { return s.judge(c) }) {
					return
				}
			}
		})
}

// subject is the strategy under test.
type subject struct {
	Options
	build func() search.Strategy
}

func (s *subject) judge(c check) conformance.Verdict {
	return conformance.Judge(s.Skip, c.name, func(p *conformance.Probe) { c.run(p, s) })
}

// Table collects the outcome of every check on every strategy of a suite. The zero value is ready to use. Parallel tests may share
// a Table.
type Table struct{ outcomes conformance.Table }

// conformance returns the table for outcomes, or nil for a nil t.
func (t *Table) conformance() *conformance.Table {
	if t == nil {
		return nil
	}
	return &t.outcomes
}

// Types returns the names of the strategies in the order in which they were added.
func (t *Table) Types() []string { return t.outcomes.Types() }

// String formats the table, with one row per strategy and one column per check. Columns are numbered, and a legend below explains
// the numbers and the letters that stand for skip reasons. A dot stands for a check that go test -run left out.
func (t *Table) String() string { return t.outcomes.Render(checkNames()) }

// Check describes one check of the suite.
type Check struct {
	Name string // name of the subtest and key in Options.Skip
	Doc  string // what the check verifies
}

// Checks returns the checks in the order in which they run.
func Checks() []Check {
	out := make([]Check, len(checks))
	for i, c := range checks {
		out[i] = Check{Name: c.name, Doc: c.doc}
	}
	return out
}

func checkNames() []string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.name
	}
	return names
}

type check struct {
	name string
	doc  string
	run  func(p *conformance.Probe, s *subject)
}

var checks = []check{
	{"named", "Name is not empty and does not change.", checkNamed},
	{"chooses", "Exactly one row is Chosen. A Regressor and a Classifier are fitted with its kernel, and predict.", checkChooses},
	{"trace", "Rows are numbered from 1, belong to the family, name the Basis of their scores, and survive JSON.", checkTrace},
	{"best", "No row with the Basis and Round of the chosen row has a better score by more than its standard error, unless the strategy " +
		"compared at most one target.", checkBest},
	{"counts", "Fits counts the fits of the learner, Evaluations the rows with an entropy.", checkCounts},
	{"workers", "The Result is the same on 1, 2 and 5 workers.", checkWorkers},
	{"progress", "The rows passed to Observe report a share done that increases from near 0 to 1, from one goroutine at a time.",
		checkProgress},
	{"cancel", "If the context ends before or during the search, Fit returns its error and keeps the earlier model.", checkCancel},
	{"budget", "A budget that is exhausted at once still gives a model, with StatusBudget if work was left.", checkBudget},
	{"resume", "A search that resumes from the rows of a cancelled one, or from all rows, returns the same Result and repeats no fit.",
		checkResume},
	{"configuration", "Choose changes neither the strategy nor the rows, the targets and the weights.", checkConfiguration},
	{"shared", "Several fits can use one strategy at the same time; with -race, without a race.", checkShared},
	{"weights", "Weights of 1 change nothing.", checkWeights},
	{"candidates", "Candidates are compared, or the error is ErrParam.", checkCandidates},
	{"families", "Several families, or a family of two parameters, are compared by scores, or the error is ErrParam.", checkFamilies},
	{"odd-data", "One row, two rows, equal rows and constant targets give a model or an error, and no panic.", checkOddData},
	{"saved", "A saved model contains the Result, and predicts the same after reading.", checkSaved},
}
