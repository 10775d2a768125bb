package selection

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/search"
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
	Trace []search.TraceRow

	// Result is what the search found, if it had ended: nil otherwise. No estimator of it was fitted.
	Result *search.Result

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
	runs   []*search.Run
	result *search.Result
}

func (t *trail) begin(r *search.Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs = append(t.runs, r)
}

// unfinished is the error of a Fit with what was found until then.
func (t *trail) unfinished(typ string, err error) error {
	var traces [][]search.TraceRow
	for _, r := range t.runs {
		if r.Len() > 0 {
			traces = append(traces, r.Trace())
		}
	}
	if len(traces) == 0 {
		return err
	}
	// Families are searched at the same time: their order is that of their names.
	slices.SortStableFunc(traces, func(a, b []search.TraceRow) int {
		return cmp.Or(cmp.Compare(a[0].Columns, b[0].Columns), cmp.Compare(a[0].Family, b[0].Family))
	})
	return &SearchError{Trace: slices.Concat(traces...), Result: t.result, Err: fault.AddName(typ, err)}
}
