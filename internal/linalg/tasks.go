package linalg

import (
	"context"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

// tasks is a computation divided into tasks with dependencies. Processors take tasks in order, so tasks on which others depend
// should come early.
type tasks struct {
	run  []func()
	wait [][]int
}

// add appends a task that begins when the tasks with the numbers in after, which must exist, have ended. It returns the task's
// number. Negative numbers are ignored.
func (t *tasks) add(run func(), after ...int) int {
	t.run, t.wait = append(t.run, run), append(t.wait, after)
	return len(t.run) - 1
}

// do runs the tasks on all processors. A task waits only for earlier ones, which have been taken by then, so there is always one
// that can run. After ctx has ended, no further task is taken, but those already taken are completed. It returns ctx's error.
func (t *tasks) do(ctx context.Context) error {
	ended := make([]chan struct{}, len(t.run))
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	return parallel.ForEach(ctx, 0, len(t.run), func(i int) error {
		defer close(ended[i]) // also after a panic
		for _, earlier := range t.wait[i] {
			if earlier >= 0 {
				<-ended[earlier]
			}
		}
		t.run[i]()
		return nil
	})
}
