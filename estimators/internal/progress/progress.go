// Package progress passes the steps of a fit on to an estimator's Observe.
package progress

import (
	"fmt"
	"sync"

	"github.com/kernelearn/kernelearn/estimators"
)

// Steps counts the steps of a fit, of which many may come at once, and passes them on one
// at a time. A nil Steps and one without Observe do nothing.
type Steps struct {
	Observe func(estimators.Step)
	Total   int // how many there will be at most; 0 if not known

	mu   sync.Mutex
	done int
}

// Next is a step more. The message is fmt.Sprintf's of format and args.
func (s *Steps) Next(objective float64, format string, args ...any) {
	if s == nil || s.Observe == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.Observe(estimators.Step{Iteration: s.done, Total: s.Total, Objective: objective, Message: fmt.Sprintf(format, args...)})
}
