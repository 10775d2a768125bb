//go:build !race

// Package raced reports whether a test runs under the race detector, which is ten times slower. Tests that cannot reveal a race,
// because they use a single goroutine or repeat other tests, are skipped there.
package raced

// Enabled reports whether the race detector is on.
const Enabled = false
