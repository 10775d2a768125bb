//go:build !race

// Package raced says whether a test runs under the race detector, which makes it ten times as slow: tests with nothing for
// it to see, of one goroutine or of what other tests have on as many, are left out there.
package raced

// Enabled is whether the race detector is on.
const Enabled = false
