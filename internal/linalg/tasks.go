package linalg

import (
	"context"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

// tasks are pieces of one computation, of which some wait for others. The processors take
// them in their order, so that what others wait for is to come early.
type tasks struct {
	run  []func()
	wait [][]int
}

// add appends a task that begins when those of these numbers have ended, which have to be
// there already, and returns its number. Negative numbers stand for none.
func (t *tasks) add(run func(), after ...int) int {
	t.run, t.wait = append(t.run, run), append(t.wait, after)
	return len(t.run) - 1
}

// do runs them on all processors. A task waits for earlier ones only, which have been taken
// by then: so there is always one that does not wait. The error is ctx's. Once it has ended none is
// taken any more, and those that were are done: none waits for one that is not.
func (t *tasks) do(ctx context.Context) error {
	ended := make([]chan struct{}, len(t.run))
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	return parallel.ForEach(ctx, 0, len(t.run), func(i int) error {
		defer close(ended[i]) // even if it panics
		for _, earlier := range t.wait[i] {
			if earlier >= 0 {
				<-ended[earlier]
			}
		}
		t.run[i]()
		return nil
	})
}
