// Package peak tells the most resident memory that the process had.
package peak

import (
	"bytes"
	"os"
	"strconv"
)

// Reset makes the most that Bytes tells of that from here on. A system that
// does not let it leaves the most since the process began.
func Reset() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// Bytes returns the most resident memory of this process, nil if the system does
// not tell. Not by getrusage: there a process starts with the peak of the one that
// started it.
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
