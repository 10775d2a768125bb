package selection

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// SearchError is the error of a Fit that ended after its search had computed something: its context ended, or the
// fit on all rows failed. It unwraps to the error that ended it. What was found goes on in another Fit:
//
//	var unfinished *selection.SearchError
//	if errors.As(err, &unfinished) {
//		model.Resume = unfinished.Trace
//	}
type SearchError struct {
	// Trace has the rows that the search had, of all families. The Resume field of a Regressor or Classifier takes them.
	Trace []TraceRow

	// Result is what the search found, if it had ended: nil otherwise. No estimator of it was fitted.
	Result *Result

	// Err ended the Fit.
	Err error
}

// Error returns the message of Err.
func (e *SearchError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *SearchError) Unwrap() error { return e.Err }

// trail keeps the runs of a Fit, for its SearchError.
type trail struct {
	mu     sync.Mutex
	runs   []*Run
	result *Result
}

func (t *trail) begin(r *Run) {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.runs = append(t.runs, r)
	}
}

func (t *trail) found(r *Result) {
	if t != nil {
		t.result = r.clone()
	}
}

// unfinished is the error of a Fit with what was found until then.
func (t *trail) unfinished(typ string, err error) error {
	// Families are searched at the same time: their order is that of their names.
	slices.SortStableFunc(t.runs, func(a, b *Run) int {
		return cmp.Or(cmp.Compare(a.columns, b.columns), cmp.Compare(a.familyName(), b.familyName()))
	})
	var rows []TraceRow
	for _, r := range t.runs {
		rows = append(rows, cloneTrace(r.trace)...)
	}
	if len(rows) == 0 {
		return err
	}
	return &SearchError{Trace: rows, Result: t.result, Err: fault.Of(typ, err)}
}

// holds asks the learners that can tell whether they can hold so many rows, before a search that would end with an error.
func (c engine[Y, E]) holds(rows int) error {
	for i, e := range c.space.samples() {
		asked, ok := any(e).(interface{ CheckRows(rows int) error })
		if !ok || check.IsNil(e) {
			continue
		}
		if err := asked.CheckRows(rows); err != nil {
			if c.space.listed && c.space.labels != nil {
				return fmt.Errorf("%s: candidate %d, %s: %w", c.typ, i, c.space.labels[i], err)
			}
			return fmt.Errorf("%s: %w", c.typ, err)
		}
	}
	return nil
}
