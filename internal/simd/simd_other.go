//go:build !(amd64 || arm64) || purego

package simd

// Available reports whether the processor has what the routines need. Without it they are gonum's.
func Available() bool { return false }
