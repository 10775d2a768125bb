package search

import (
	"errors"
	"sync"
	"time"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// ErrBudget is the error of [Run.Evaluate] once the budget is spent.
var ErrBudget = errors.New("search: the budget is spent")

// Budget is the time limit that the searches of one Fit share.
type Budget struct {
	limit time.Duration // 0: none
	now   func() time.Time
	mu    sync.Mutex
	begun time.Time // start of the first search
	left  int       // searches that have not begun; each may use an equal part of the remaining time
}

// NewBudget returns the budget of a number of searches. If limit is 0, there is no limit. If now is nil, time.Now is used. For a
// negative limit it returns an ErrParam error that names typ.
func NewBudget(typ string, limit time.Duration, now func() time.Time, searches int) (*Budget, error) {
	if limit < 0 {
		return nil, fault.Param(typ, "Budget", limit, ">= 0, or 0 for none")
	}
	if now == nil {
		now = time.Now
	}
	return &Budget{limit: limit, now: now, left: searches}, nil
}

// Begin starts the next search and returns its share of the remaining time.
func (b *Budget) Begin() Share {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Share{begun: b.now(), now: b.now}
	if b.begun.IsZero() {
		b.begun = s.begun
	}
	if b.limit > 0 {
		// at least a nanosecond, since 0 means no limit
		s.Limit = max((b.limit-s.begun.Sub(b.begun))/time.Duration(max(1, b.left)), 1)
	}
	b.left--
	return s
}

// Share is the part of a [Budget] in which one search may start new work.
type Share struct {
	Limit time.Duration // measured from the beginning of the search; 0: no limit
	begun time.Time
	now   func() time.Time
}

// Spent reports whether the limit has passed.
func (s Share) Spent() bool { return s.Limit > 0 && s.now().Sub(s.begun) >= s.Limit }

// Seconds returns the seconds since the search began.
func (s Share) Seconds() float64 { return s.now().Sub(s.begun).Seconds() }

// Spread returns the numbers 0 to n-1 in an order whose prefixes are spread over their range. It starts with the middle, continues
// with the middles of both halves, then of the quarters, and so on. A search that a budget ends has therefore covered the range
// coarsely.
func Spread(n int) []int {
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
