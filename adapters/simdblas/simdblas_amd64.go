//go:build !purego

package simdblas

import (
	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/blas/blas64"
)

// What the processor has; tests turn it off to see the other paths.
var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F
)

func init() {
	if hasAVX2 {
		blas64.Use(Implementation{})
	}
}
