package exact

import (
	"fmt"
	"math"
	"math/big"
)

// Moments are the count, the sum and the sum of the squares of numbers.
type Moments struct {
	N            int
	Sum, Squares Sum
}

// Add takes in finite numbers.
func (m *Moments) Add(values []float64) {
	m.N += len(values)
	for _, v := range values {
		m.Sum.Add(v)
		m.Squares.AddSquare(v)
	}
}

// Merge takes in the numbers of o.
func (m *Moments) Merge(o Moments) {
	m.N += o.N
	m.Sum.Merge(o.Sum)
	m.Squares.Merge(o.Squares)
}

// Unmerge takes the numbers of o out again. Whether they were in shows at most in what Valid says.
func (m *Moments) Unmerge(o Moments) {
	m.N -= o.N
	m.Sum.Unmerge(o.Sum)
	m.Squares.Unmerge(o.Squares)
}

// Clone returns a copy that shares no memory.
func (m Moments) Clone() Moments {
	return Moments{N: m.N, Sum: m.Sum.Clone(), Squares: m.Squares.Clone()}
}

// digits are the bits of a quotient before it is rounded to a float64.
const digits = 160

// Mean returns the mean, rounded once; 0 of none.
func (m Moments) Mean() float64 {
	if m.N == 0 {
		return 0
	}
	out, _ := new(big.Float).SetPrec(digits).Quo(m.Sum.Float(), count(m.N)).Float64()
	return out
}

// Deviation returns the standard deviation with n-1 below, rounded once; 0 where all numbers are the
// same. Beyond all numbers it is the largest, and if not 0, then no less than the least.
func (m Moments) Deviation() float64 {
	if m.N < 2 {
		return 0
	}
	// n Σv² - (Σv)², of which nothing is rounded: the precision of each is that of all its bits.
	n, sum := count(m.N), m.Sum.Float()
	a := new(big.Float).SetPrec(whole).Mul(n, m.Squares.Float())
	b := new(big.Float).SetPrec(whole).Mul(sum, sum)
	a.Sub(a, b)
	return root(a.Quo(a, new(big.Float).Mul(n, count(m.N-1))))
}

// RootMeanSquare returns √(Σv²/max(1, n-1)), with Deviation's bounds.
func (m Moments) RootMeanSquare() float64 {
	return root(new(big.Float).SetPrec(digits).Quo(m.Squares.Float(), count(max(1, m.N-1))))
}

// whole are all the bits that n Σv² can have.
const whole = 64*most + 64

func count(n int) *big.Float { return new(big.Float).SetInt64(int64(n)) }

// root is the square root of what is not negative.
func root(v *big.Float) float64 {
	if v.Sign() <= 0 {
		return 0
	}
	out, _ := new(big.Float).SetPrec(digits).Sqrt(v).Float64()
	return min(max(out, math.SmallestNonzeroFloat64), math.MaxFloat64)
}

// Valid returns an error for what no numbers have, which a file may.
func (m Moments) Valid() error {
	squares := m.Squares.Float()
	switch {
	case m.N < 0 || squares.Sign() < 0 || m.N == 0 && (squares.Sign() != 0 || m.Sum.Float().Sign() != 0):
		return fmt.Errorf("moments of %d numbers that no such numbers have", m.N)
	}
	if mean := m.Mean(); mean-mean != 0 {
		return fmt.Errorf("a mean of %v", mean)
	}
	return nil
}
