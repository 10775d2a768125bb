// Package peak reports the peak resident memory of the process.
package peak

import (
	"bytes"
	"os"
	"strconv"
)

// Reset restarts the peak that Bytes reports. If the system does not permit this, Bytes reports the peak since the start of the
// process.
func Reset() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// Bytes returns the peak resident memory of this process, or nil if the system does not report it. It does not use getrusage, whose
// peak of a new process is that of its parent.
func Bytes() *int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	line, _, _ := bytes.Cut(rest, []byte(" kB"))
	kib, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	if err != nil {
		return nil
	}
	size := kib * 1024
	return &size
}
