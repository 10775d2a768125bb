//go:build !purego

package linalg

import "golang.org/x/sys/cpu"

// hasVectors reports whether the processor has AVX2 and FMA. Tests turn it off.
var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA
