package falkon

import (
	"math"
	"math/bits"
)

const hashSeed = 0x66616c6b6f6e // "falkon"

// hashNumber mixes a number into a hash: a multiplication of 64 bits folded to its halves
// (W. Y. Wang's wyhash). It tells rows in another order from those that were read first; it is
// no protection against who wants to deceive.
func hashNumber(h uint64, v float64) uint64 {
	high, low := bits.Mul64(h^math.Float64bits(v), 0x9e3779b97f4a7c15)
	return high ^ low ^ h<<1
}

func hashNumbers(h uint64, values []float64) uint64 {
	for _, v := range values {
		h = hashNumber(h, v)
	}
	return h
}

func hashString(h uint64, s string) uint64 {
	for _, c := range []byte(s) {
		h = hashNumber(h, float64(c))
	}
	return hashNumber(h, float64(len(s)))
}
