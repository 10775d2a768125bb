//go:build unix && !linux

package peak

import (
	"runtime"
	"syscall"
)

// Reset does nothing: these systems tell the most since a process began.
func Reset() {}

// Bytes returns the most resident memory of this process, nil if the system does
// not tell.
func Bytes() *int64 {
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
