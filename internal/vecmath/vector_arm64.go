//go:build !purego

package vecmath

// hasVectors is a variable for the tests: every arm64 processor has NEON.
var hasVectors = true
