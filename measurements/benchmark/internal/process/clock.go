// Package process handles a cell's process in the operating system: a process group that ends as a unit, a limit on processor time,
// and the clocks for fits and predictions.
package process

import "time"

var started = time.Now()

// Seconds returns the time that measures fits and predictions. It is processor time, or wall-clock time if a cell has several
// threads.
var Seconds = processorTime

// ClockTime returns the wall-clock time since the process began.
func ClockTime() time.Duration { return time.Since(started) }

// The exit codes of a cell's process.
const (
	ExitOrphaned   = 3 // the parent process has ended
	ExitOverBudget = 4
)
