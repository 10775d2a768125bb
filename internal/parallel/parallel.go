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

// Workers returns the number of goroutines for a Workers field of n: n itself, or GOMAXPROCS if n is 0 or less.
func Workers(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// begun counts the running goroutines that this package has started.
var begun atomic.Int64

// around holds the functions of OnParallel, and the number of calls that are running tasks.
var around struct {
	sync.Mutex
	enter, leave func()
	running      int
}

// surrounded reports whether OnParallel has set functions.
var surrounded atomic.Bool

// OnParallel registers two functions. enter is called before the first call of ForEach, ForEachPart or Do with more than one task
// starts, and leave after the last running one has ended. In between, a BLAS with its own threads should use only one, so that
// results do not depend on the number of goroutines. Nil functions remove both. OnParallel must not be called while such a call is
// running.
func OnParallel(enter, leave func()) {
	around.Lock()
	defer around.Unlock()
	around.enter, around.leave = enter, leave
	surrounded.Store(enter != nil)
}

// begin records that a call runs tasks. It returns the function that records the end of the call.
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

// ForEach calls f(0) to f(n-1), each once, on at most workers goroutines (0: GOMAXPROCS), and returns when all started calls have
// ended. The caller's goroutine is one of them. It is the only one if other calls already keep all processors busy, because nested
// goroutines would only wait for each other. After the first error, or after ctx has ended, no further task is started. If there
// are several errors, the one with the lowest index is returned, so that the outcome does not depend on scheduling. A panic in f,
// such as in a user's kernel or Observe function, becomes an error, a [fault.PanicError], on any number of goroutines.
//
// Each task advances the progress of ctx, see package progress, unless a loop around it reports progress itself.
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
		ctx = progress.Silent(ctx) // a panic of an observer must occur in a task
	}
	return run(ctx, workers, n, f)
}

// ForEachPart is like ForEach, for long tasks, which report progress through their own contexts.
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

// try calls f(i) and turns a panic into an error.
func try(f func(i int) error, i int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Panicked(p)
		}
	}()
	return f(i)
}

// Do is like ForEach, for functions that neither fail nor are cancelled, such as those of linear algebra. A panic is repeated in
// the caller's goroutine.
func Do(workers, n int, f func(i int)) {
	err := ForEach(context.Background(), workers, n, func(i int) error {
		f(i)
		return nil
	})
	if err != nil {
		panic(err)
	}
}
