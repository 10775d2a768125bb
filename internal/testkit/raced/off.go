//go:build !race

// Package raced reports whether a test runs under the race detector, which makes it ten times slower. Tests that cannot reveal a
// race, because they use a single goroutine or repeat other tests, are skipped in that case.
package raced

// Enabled reports whether the race detector is on.
const Enabled = false
