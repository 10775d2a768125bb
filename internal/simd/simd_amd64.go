//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// Capabilities of the processor. Tests turn them off to reach the other paths.
var (
	hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512  = hasVectors && cpu.X86.HasAVX512F
)

// Available reports whether the processor supports the routines. If not, gonum's are used.
func Available() bool { return hasVectors }
