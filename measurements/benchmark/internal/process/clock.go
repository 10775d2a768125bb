// Package process handles the operating system's part of a cell: a process group that ends as a unit, a limit on processor time,
// and the clocks for fits and predictions.
package process

import "time"

var started = time.Now()

// Seconds returns the time by which fits and predictions are measured: processor time, or the time by the clock if a cell has
// several threads.
var Seconds = processorTime

// ClockTime returns the time by the clock since the process began.
func ClockTime() time.Duration { return time.Since(started) }

// Exit codes of a cell's process.
const (
	ExitOrphaned   = 3 // the parent process has ended
	ExitOverBudget = 4
)
