package exact

import (
	"fmt"
	"math"
	"math/big"
)

// Moments holds the count, the sum and the sum of squares of numbers.
type Moments struct {
	N            int
	Sum, Squares Sum
}

// Add includes finite numbers.
func (m *Moments) Add(values []float64) {
	m.N += len(values)
	for _, v := range values {
		m.Sum.Add(v)
		m.Squares.AddSquare(v)
	}
}

// Merge adds the numbers of o.
func (m *Moments) Merge(o Moments) {
	m.N += o.N
	m.Sum.Merge(o.Sum)
	m.Squares.Merge(o.Squares)
}

// Unmerge removes the numbers of o. If m does not contain these numbers, only Valid may detect it.
func (m *Moments) Unmerge(o Moments) {
	m.N -= o.N
	m.Sum.Unmerge(o.Sum)
	m.Squares.Unmerge(o.Squares)
}

// Clone returns a copy that shares no memory.
func (m Moments) Clone() Moments {
	return Moments{N: m.N, Sum: m.Sum.Clone(), Squares: m.Squares.Clone()}
}

// digits is the precision, in bits, of a quotient before it is rounded to a float64.
const digits = 160

// Mean returns the mean, rounded once. It is 0 if there are no numbers.
func (m Moments) Mean() float64 {
	if m.N == 0 {
		return 0
	}
	out, _ := new(big.Float).SetPrec(digits).Quo(m.Sum.Float(), count(m.N)).Float64()
	return out
}

// Deviation returns the standard deviation with denominator n-1, rounded once. It is 0 if all numbers are equal. Otherwise it is
// limited to the range from the smallest positive float64 to the largest.
func (m Moments) Deviation() float64 {
	if m.N < 2 {
		return 0
	}
	// The numerator is n Σv² - (Σv)² without rounding, because the precision covers all bits.
	n, sum := count(m.N), m.Sum.Float()
	a := new(big.Float).SetPrec(whole).Mul(n, m.Squares.Float())
	b := new(big.Float).SetPrec(whole).Mul(sum, sum)
	a.Sub(a, b)
	return root(a.Quo(a, new(big.Float).Mul(n, count(m.N-1))))
}

// RootMeanSquare returns √(Σv²/max(1, n-1)), with the limits of Deviation.
func (m Moments) RootMeanSquare() float64 {
	return root(new(big.Float).SetPrec(digits).Quo(m.Squares.Float(), count(max(1, m.N-1))))
}

// whole is the largest number of bits of n Σv².
const whole = 64*most + 64

func count(n int) *big.Float { return new(big.Float).SetInt64(int64(n)) }

// root returns the square root of a nonnegative number.
func root(v *big.Float) float64 {
	if v.Sign() <= 0 {
		return 0
	}
	out, _ := new(big.Float).SetPrec(digits).Sqrt(v).Float64()
	return min(max(out, math.SmallestNonzeroFloat64), math.MaxFloat64)
}

// Valid returns an error if no numbers can have these moments, for example because a file is damaged.
func (m Moments) Valid() error {
	squares := m.Squares.Float()
	switch {
	case m.N < 0 || squares.Sign() < 0 || m.N == 0 && (squares.Sign() != 0 || m.Sum.Float().Sign() != 0):
		return fmt.Errorf("moments that no %d numbers can have", m.N)
	}
	if mean := m.Mean(); mean-mean != 0 {
		return fmt.Errorf("a mean of %v", mean)
	}
	return nil
}
