package main

import (
	"bytes"
	"os"
	"strconv"
)

// resetPeak makes the most that peakBytes tells of that from here on. A system that
// does not let it leaves the most since the process began.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakBytes returns the most resident memory of this process, nil if the system does
// not tell. Not by getrusage: there a process starts with the peak of the one that
// started it.
func peakBytes() *int64 {
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
