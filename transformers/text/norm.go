package text

import (
	"math"

	"github.com/kernelearn/kernelearn/internal/enum"
)

// Norm is the norm by which a row is divided.
type Norm int

// The norms.
const (
	// L2 is the Euclidean length. It is the default.
	L2 Norm = iota
	// L1 is the sum of the absolute values.
	L1
	// NoNorm leaves rows unchanged.
	NoNorm
)

// String returns the name of the norm.
func (n Norm) String() string { return enum.Name("Norm", int(n), "L2", "L1", "NoNorm") }

// divide divides the values of a row, unless all of them are 0.
func (n Norm) divide(values []float64) {
	size := 0.0
	switch n {
	case L2:
		for _, v := range values {
			size += v * v
		}
		size = math.Sqrt(size)
	case L1:
		for _, v := range values {
			size += math.Abs(v)
		}
	}
	if size > 0 {
		for i := range values {
			values[i] /= size
		}
	}
}
