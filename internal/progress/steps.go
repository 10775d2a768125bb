package progress

import (
	"context"
	"fmt"
	"sync"
)

// Steps counts the iterations of a fit, of which many may come at once, and passes them on one
// at a time. A nil Steps does nothing.
type Steps struct {
	ctx   context.Context
	total int

	mu   sync.Mutex
	done int
}

// NewSteps counts the iterations of the fit that ctx is in, of which there are total at most; 0 if that is not known.
func NewSteps(ctx context.Context, total int) *Steps {
	if !Watched(ctx) {
		return nil
	}
	Counts(ctx)
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
	Tell(s.ctx, Step{Iteration: s.done, Total: s.total, Objective: objective, Message: fmt.Sprintf(format, args...)})
}
