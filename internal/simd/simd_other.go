//go:build !(amd64 || arm64) || purego

package simd

// Available reports whether the processor supports the routines. If not, gonum's are used.
func Available() bool { return false }
