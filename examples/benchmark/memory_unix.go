//go:build unix && !linux

package main

import (
	"runtime"
	"syscall"
)

// resetPeak does nothing: these systems tell the most since a process began.
func resetPeak() {}

// peakBytes returns the most resident memory of this process, nil if the system does
// not tell.
func peakBytes() *int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return nil
	}
	size := int64(usage.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" { // in bytes there, elsewhere in KiB
		size *= 1024
	}
	return &size
}
