// Package process is the operating system's side of a cell: a group of processes of its own that ends as one, a limit on its
// processor time, and the clocks that fits and predictions are timed by.
package process

import "time"

var started = time.Now()

// Seconds is what fits and predictions are timed by: the time of the processor, or where a
// cell has several threads that of the clock.
var Seconds = processorTime

// ClockTime is the time by the clock since the process began.
func ClockTime() time.Duration { return time.Since(started) }

// Exit codes of a cell's process.
const (
	ExitOrphaned   = 3 // its parent is gone
	ExitOverBudget = 4
)
