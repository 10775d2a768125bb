//go:build unix

package main

import (
	"math"

	"golang.org/x/sys/unix"
)

// processorSeconds returns the seconds that this process used on all processors, or NaN if the system does not report them.
func processorSeconds() float64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return math.NaN()
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
