package progress

import (
	"context"
	"fmt"
	"sync"
)

// Steps counts the iterations of a fit, which may come in batches, and passes them on one at a time. A nil Steps does nothing.
type Steps struct {
	ctx   context.Context
	total int

	mu   sync.Mutex
	done int
}

// NewSteps counts the iterations of the fit of ctx. The parameter total is their largest number, or 0 if it is unknown.
func NewSteps(ctx context.Context, total int) *Steps {
	if !Watched(ctx) {
		return nil
	}
	Counts(ctx)
	return &Steps{ctx: ctx, total: total}
}

// Next passes on one iteration. The message is formatted as by fmt.Sprintf.
func (s *Steps) Next(objective float64, format string, args ...any) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	Tell(s.ctx, Step{Iteration: s.done, Total: s.total, Objective: objective, Message: fmt.Sprintf(format, args...)})
}
