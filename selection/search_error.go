package selection

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/search"
)

// SearchError is the error of a Fit that failed after its search had computed results: the context ended, or the fit on all rows
// failed. It wraps the cause. Another Fit can continue from the results of the search:
//
//	var unfinished *selection.SearchError
//	if errors.As(err, &unfinished) {
//		model.Resume = unfinished.Trace
//	}
type SearchError struct {
	// Trace holds the rows of the search, for all families. It can be assigned to the Resume field of a Regressor or Classifier.
	Trace []search.TraceRow

	// Result is the result of the search if the search was complete, and nil otherwise. In both cases, no estimator was fitted.
	Result *search.Result

	// Err is the cause.
	Err error
}

// Error returns the message of Err.
func (e *SearchError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *SearchError) Unwrap() error { return e.Err }

// trail records the runs of a Fit for its SearchError.
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

// unfinished returns err in a SearchError with the results so far. If there are none, it returns err itself.
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
	// Families are searched in parallel, so their rows are sorted by name.
	slices.SortStableFunc(traces, func(a, b []search.TraceRow) int {
		return cmp.Or(cmp.Compare(a[0].Columns, b[0].Columns), cmp.Compare(a[0].Family, b[0].Family))
	})
	return &SearchError{Trace: slices.Concat(traces...), Result: t.result, Err: fault.AddName(typ, err)}
}
