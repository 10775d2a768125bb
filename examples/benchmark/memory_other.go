//go:build !unix

package main

func resetPeak() {}

// peakBytes returns nil: there is no portable way to ask.
func peakBytes() *int64 { return nil }
