// Package rowhash detects whether rows that are read a second time are different or in a different order. It does not protect
// against deliberate deception.
package rowhash

import (
	"math"
	"math/bits"
)

// Seed is an initial hash.
const Seed = 0x66616c6b6f6e

// Number mixes a number into a hash with a 64-bit multiplication whose halves are combined (W. Y. Wang's wyhash).
func Number(h uint64, v float64) uint64 {
	high, low := bits.Mul64(h^math.Float64bits(v), 0x9e3779b97f4a7c15)
	return high ^ low ^ h<<1
}

// Numbers mixes several numbers into a hash in order.
func Numbers(h uint64, values []float64) uint64 {
	for _, v := range values {
		h = Number(h, v)
	}
	return h
}
