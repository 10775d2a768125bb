//go:build unix && !linux

package peak

import (
	"runtime"
	"syscall"
)

// Reset does nothing, because these systems report the peak since the start of the process.
func Reset() {}

// Bytes returns the peak resident memory of this process, or nil if the system does not report it.
func Bytes() *int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return nil
	}
	size := int64(usage.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" { // these report bytes, others KiB
		size *= 1024
	}
	return &size
}
