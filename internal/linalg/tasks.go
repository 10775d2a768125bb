package linalg

import (
	"context"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

// tasks is a computation divided into tasks with dependencies. The tasks are started in order, so tasks on which others depend
// should come early.
type tasks struct {
	run  []func()
	wait [][]int
}

// add appends a task and returns its number. The task begins when the tasks whose numbers are in after have ended. They must have
// been added before; negative numbers are ignored.
func (t *tasks) add(run func(), after ...int) int {
	t.run, t.wait = append(t.run, run), append(t.wait, after)
	return len(t.run) - 1
}

// do runs the tasks on all processors. A task waits only for tasks that were started before it, so at least one of the started
// tasks can always run. After ctx has ended, no further task is started, but started tasks are completed. It returns ctx's error.
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
