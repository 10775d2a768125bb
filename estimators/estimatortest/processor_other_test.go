//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package estimatortest_test

import "time"

var processorsBegun = time.Now()

// processorSeconds returns the elapsed time instead, because the processor time is not available.
func processorSeconds() float64 { return time.Since(processorsBegun).Seconds() }
