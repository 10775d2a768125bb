//go:build !purego

package linalg

// hasVectors is true: every arm64 processor has NEON. Tests turn it off.
var hasVectors = true
