// Package minimize runs gonum's minimisers, which start their own goroutines. A panic there, in a kernel, an Observe function or a
// BLAS, becomes an error instead of ending the program.
package minimize

import (
	"gonum.org/v1/gonum/optimize"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Method is a minimiser that reports its status.
type Method interface {
	optimize.Method
	optimize.Statuser
}

// Run is like optimize.Minimize for f and its gradient, which are called one at a time. It returns an error only for a panic, as a
// [fault.PanicError]. If a minimiser makes no more progress, gonum returns an error, but Run does not. The result may then be nil.
func Run(f func(x []float64) float64, gradient func(g, x []float64), stop func() error, start []float64, settings *optimize.Settings,
	method Method) (_ *optimize.Result, err error) {
	defer fault.Recover(&err)
	var failed error
	try := func(call func()) {
		defer fault.Recover(&failed)
		if failed == nil {
			call()
		}
	}
	problem := optimize.Problem{
		Func: func(x []float64) (value float64) { try(func() { value = f(x) }); return value },
		Grad: func(g, x []float64) { try(func() { gradient(g, x) }) },
		Status: func() (optimize.Status, error) {
			if failed == nil && stop != nil {
				if err := stop(); err != nil {
					return optimize.Failure, err
				}
			}
			if failed != nil {
				return optimize.Failure, failed
			}
			return optimize.NotTerminated, nil
		},
	}
	held := &held{Method: method}
	result, _ := optimize.Minimize(problem, start, settings, held)
	if failed == nil {
		failed = held.failed
	}
	return result, failed
}

// held is a method that catches its own panics.
type held struct {
	Method
	failed error
}

// Run implements optimize.Method. Its contract requires that operation is closed after result.
func (h *held) Run(operation chan<- optimize.Task, result <-chan optimize.Task, tasks []optimize.Task) {
	defer func() {
		if p := recover(); p != nil {
			h.failed = fault.Panicked(p)
			task := tasks[0]
			task.Op = optimize.MethodDone
			operation <- task
			for range result {
			}
			close(operation)
		}
	}()
	h.Method.Run(operation, result, tasks)
}

// Status implements optimize.Statuser.
func (h *held) Status() (optimize.Status, error) {
	if h.failed != nil {
		return optimize.Failure, h.failed
	}
	return h.Method.Status()
}
