//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// What the processor has; tests turn it off to see the other paths.
var (
	hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512  = hasVectors && cpu.X86.HasAVX512F
)

// Available reports whether the processor has what the routines need. Without it they are gonum's.
func Available() bool { return hasVectors }
