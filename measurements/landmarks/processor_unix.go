//go:build unix

package main

import (
	"math"

	"golang.org/x/sys/unix"
)

// processorSeconds are those that this process took of all processors, NaN where the system does not
// tell.
func processorSeconds() float64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return math.NaN()
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
