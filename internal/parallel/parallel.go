// Package parallel runs independent tasks on a fixed number of goroutines.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Workers returns the number of goroutines that a Workers field of n stands
// for: n itself, or GOMAXPROCS when n is 0 or less.
func Workers(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// begun is how many goroutines of all calls of For are at work, beside those that called it.
var begun atomic.Int64

// around has what surrounds tasks, and how many calls of For are running some.
var around struct {
	sync.Mutex
	enter, leave func()
	running      int
}

// surrounded is whether there is something.
var surrounded atomic.Bool

// OnParallel has enter called before any call of For of more than one task begins them, and leave
// when none is running any more: a BLAS that has threads of its own is kept to one of them in between.
// Whether For takes one goroutine or several makes no difference, so that what tasks compute does not
// depend on it. Nil takes both away. No call of For may be running.
func OnParallel(enter, leave func()) {
	around.Lock()
	defer around.Unlock()
	around.enter, around.leave = enter, leave
	surrounded.Store(enter != nil)
}

// begin notes that a call of For runs tasks, and returns what notes that it no longer does.
func begin() (end func()) {
	if !surrounded.Load() {
		return func() {}
	}
	around.Lock()
	defer around.Unlock()
	if around.running == 0 {
		around.enter()
	}
	around.running++
	return func() {
		around.Lock()
		defer around.Unlock()
		around.running--
		if around.running == 0 {
			around.leave()
		}
	}
}

// ForEach calls f(0) to f(n-1), each once, on at most workers goroutines (0 means
// GOMAXPROCS), and returns when all that were begun have ended. The caller's is one of them, and
// the only one where other calls of For already keep all processors busy: within one that runs f on
// several goroutines, more of them would only wait for each other. After the first
// error, or once ctx is done, no further task is begun; of several errors the
// one of the lowest index is returned, so that the outcome does not depend on
// the order in which goroutines happen to run. A panic in f, of a kernel or an Observe that a
// user gave, is such an error, a [fault.PanicError], on any number of goroutines.
//
// Each task is a step on the way of the part of package progress that ctx has, if nothing around it says how far that is.
func ForEach(ctx context.Context, workers, n int, f func(i int) error) error {
	if ctx == nil {
		ctx = context.Background() // a goroutine that panics would end the program
	}
	if n > 1 && progress.Watched(ctx) {
		loop := progress.NewLoop(ctx)
		defer loop.End()
		inner := f
		f = func(i int) error {
			err := inner(i)
			if err == nil {
				loop.Add(1 / float64(n))
			}
			return err
		}
	}
	if n > 1 {
		ctx = progress.Silent(ctx) // an observer that panics does so in a task
	}
	return run(ctx, workers, n, f)
}

// ForEachPart is For of tasks that take long, and that say how far they are by the context that they get.
func ForEachPart(ctx context.Context, workers, n int, f func(ctx context.Context, i int) error) error {
	if ctx == nil {
		ctx = context.Background()
	}
	group := progress.Open(ctx)
	return run(progress.Silent(ctx), workers, n, func(i int) error {
		own, done := group.Parallel(1 / float64(n))
		err := f(own, i)
		if err == nil {
			done()
		}
		return err
	})
}

func run(ctx context.Context, workers, n int, f func(i int) error) error {
	if n > 1 {
		defer begin()()
	}
	workers = min(Workers(workers), n)
	others := int(begun.Load())
	if workers <= 1 || others > 0 && others+1 >= runtime.GOMAXPROCS(0) {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := try(f, i); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	var (
		next   atomic.Int64
		stop   atomic.Bool
		mu     sync.Mutex
		first  = n
		failed error
		wg     sync.WaitGroup
	)
	run := func(i int) {
		err := try(f, i)
		if err == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if i < first {
			first, failed = i, err
		}
		stop.Store(true)
	}
	work := func() {
		for !stop.Load() && ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			run(i)
		}
	}
	for range workers - 1 {
		wg.Add(1)
		begun.Add(1)
		go func() {
			defer wg.Done()
			defer begun.Add(-1)
			work()
		}()
	}
	work()
	wg.Wait()
	if failed != nil {
		return failed
	}
	return ctx.Err()
}

// try is f(i), its panic an error.
func try(f func(i int) error, i int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Panicked(p)
		}
	}()
	return f(i)
}

// Do is For of what neither fails nor is cancelled, as the routines of linear algebra: a panic is one in the caller's
// goroutine.
func Do(workers, n int, f func(i int)) {
	err := ForEach(context.Background(), workers, n, func(i int) error {
		f(i)
		return nil
	})
	if err != nil {
		panic(err)
	}
}
