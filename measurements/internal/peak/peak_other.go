//go:build !unix

package peak

// Reset does nothing.
func Reset() {}

// Bytes returns nil: there is no portable way to ask.
func Bytes() *int64 { return nil }
