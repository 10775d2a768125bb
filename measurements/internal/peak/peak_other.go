//go:build !unix

package peak

// Reset does nothing.
func Reset() {}

// Bytes returns nil, as there is no portable function for it.
func Bytes() *int64 { return nil }
