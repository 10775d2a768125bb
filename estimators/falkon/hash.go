package falkon

import "github.com/kernelearn/kernelearn/internal/rowhash"

const hashSeed = rowhash.Seed

func hashNumber(h uint64, v float64) uint64 { return rowhash.Number(h, v) }

func hashNumbers(h uint64, values []float64) uint64 { return rowhash.Numbers(h, values) }

func hashString(h uint64, s string) uint64 {
	for _, c := range []byte(s) {
		h = hashNumber(h, float64(c))
	}
	return hashNumber(h, float64(len(s)))
}
