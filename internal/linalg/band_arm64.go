//go:build !purego

package linalg

// hasVectors is true, since every arm64 processor has NEON. Tests turn it off.
var hasVectors = true
