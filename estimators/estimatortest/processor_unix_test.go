//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package estimatortest_test

import "syscall"

// processorSeconds returns the processor time of all goroutines.
func processorSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
