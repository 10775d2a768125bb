package selection

import (
	"errors"
	"sync"
	"time"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// ErrBudget is the error of [Run.Evaluate] once the budget is spent.
var ErrBudget = errors.New("selection: the budget is spent")

// budget is the time that a search may begin new work in; a limit of 0 is none.
type budget struct {
	limit time.Duration // from begun on
	begun time.Time
	now   func() time.Time
}

// clock is what the searches of one Fit share a budget by.
type clock struct {
	limit time.Duration // of all; 0: none
	now   func() time.Time
	mu    sync.Mutex
	begun time.Time // of the first search
	left  int       // searches that are to begin; each may use an equal part of what is left
}

// newClock returns the clock of so many searches; now nil is time.Now.
func newClock(typ string, limit time.Duration, now func() time.Time, searches int) (*clock, error) {
	if limit < 0 {
		return nil, fault.Param(typ, "Budget", limit, ">= 0, or 0 for none")
	}
	return &clock{limit: limit, now: clockOr(now), left: searches}, nil
}

// clockOr returns now, or time.Now if it is nil.
func clockOr(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}

// begin returns the budget of the next search.
func (c *clock) begin() budget {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := budget{begun: c.now(), now: c.now}
	if c.begun.IsZero() {
		c.begun = b.begun
	}
	if c.limit > 0 {
		// At least a nanosecond: 0 would be no limit.
		b.limit = max((c.limit-b.begun.Sub(c.begun))/time.Duration(max(1, c.left)), 1)
	}
	c.left--
	return b
}

func (b budget) spent() bool { return b.limit > 0 && b.now().Sub(b.begun) >= b.limit }

func (b budget) seconds() float64 { return b.now().Sub(b.begun).Seconds() }

// spread returns the numbers 0..n-1 in an order whose every beginning is spread over
// their range: the middle, those of both halves, of the quarters, and so on. A search
// that a budget ends has then looked everywhere, if coarsely.
func spread(n int) []int {
	out := make([]int, 0, n)
	parts := [][2]int{{0, n}}
	for i := 0; i < len(parts); i++ {
		lo, hi := parts[i][0], parts[i][1]
		if lo == hi {
			continue
		}
		middle := (lo + hi) / 2
		out = append(out, middle)
		parts = append(parts, [2]int{lo, middle}, [2]int{middle + 1, hi})
	}
	return out
}
