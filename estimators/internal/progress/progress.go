// Package progress passes the steps of a fit on to an estimator's Observe. Most of it is internal/progress.
package progress

import (
	"context"
	"fmt"
	"sync"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Begin begins a fit that tells observe, which may be nil. End is to be deferred, itself.
func Begin(ctx context.Context, observe func(estimators.Step)) (_ context.Context, end func(err *error)) {
	return progress.Begin(ctx, Passed(observe))
}

// Passed is an observer that hears what observe does.
func Passed(observe func(estimators.Step)) func(progress.Step) {
	if observe == nil {
		return nil
	}
	return func(s progress.Step) {
		observe(estimators.Step{Iteration: s.Iteration, Total: s.Total, Objective: s.Objective, Message: s.Message, Done: s.Done, Between: s.Between})
	}
}

// Steps counts the iterations of a fit, of which many may come at once, and passes them on one
// at a time. A nil Steps does nothing.
type Steps struct {
	ctx   context.Context
	total int

	mu   sync.Mutex
	done int
}

// New counts the iterations of the fit that ctx is in, of which there are total at most; 0 if that is not known.
func New(ctx context.Context, total int) *Steps {
	if !progress.Watched(ctx) {
		return nil
	}
	progress.Counts(ctx)
	return &Steps{ctx: ctx, total: total}
}

// Next is a step more. The message is fmt.Sprintf's of format and args.
func (s *Steps) Next(objective float64, format string, args ...any) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	progress.Tell(s.ctx, progress.Step{Iteration: s.done, Total: s.total, Objective: objective, Message: fmt.Sprintf(format, args...)})
}
