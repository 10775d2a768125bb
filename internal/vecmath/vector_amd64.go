//go:build !purego

package vecmath

import "golang.org/x/sys/cpu"

// hasVectors is a variable for the tests.
var hasVectors = cpu.X86.HasAVX2
