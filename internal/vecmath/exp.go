// Package vecmath evaluates elementary functions over slices. It is faster than a loop over package math: without a call per
// element, the processor works on several at once.
package vecmath

import (
	"math"
	"math/big"
)

// The exponential is table-driven (P. T. P. Tang, ACM Transactions on Mathematical Software 15, 1989): with x = (k/N) ln 2 + r, an
// integer k and |r| ≤ ln 2 / 2N,
//
//	eˣ = 2^⌊k/N⌋ · 2^((k mod N)/N) · eʳ
//
// The factors are an addition to the exponent, a table, and a polynomial. For N = 256, degree 4 has an error of 4e-17.
const (
	tableBits = 8
	tableSize = 1 << tableBits

	inverseStep = tableSize / math.Ln2
	// The step ln 2 / N in two parts. The first has 32 bits, so that its product with k, which has at most 19 bits, is exact.
	stepHigh = 0x1.62e42fefp-9
	stepLow  = math.Ln2/tableSize - stepHigh

	// Adding and subtracting it rounds a float64 to an integer, which is in the low bits of the sum.
	rounder = 0x1.8p52

	// Between the first two bounds the result is a normal number. Beyond the others it is less than half of the smallest number, or
	// larger than the largest.
	lowest, highest        = -708.0, 709.0
	vanishing, overflowing = -745.2, 709.8
)

// exp2Bits holds the bits of 2^(i/N), correctly rounded, minus i shifted to where k is added. The integer part of k/N is then in
// the exponent bits.
var exp2Bits = func() (table [tableSize]uint64) {
	root := new(big.Float).SetPrec(160).SetInt64(2)
	for range tableBits {
		root.Sqrt(root)
	}
	power := new(big.Float).SetPrec(160).SetInt64(1)
	for i := range table {
		v, _ := power.Float64()
		table[i] = math.Float64bits(v) - uint64(i)<<(52-tableBits)
		power.Mul(power, root)
	}
	return table
}()

// Exp sets dst[i] = e^(a·x[i]), where the product is rounded first. The error is at most 2 units in the last place, even for
// subnormal results. The slice dst must have the length of x and may be x itself. The result is bit-identical on all processors.
func Exp(dst []float64, a float64, x []float64) {
	dst = dst[:len(x)]
	for {
		done := expVector(dst, a, x)
		dst, x = dst[done:], x[done:]
		if len(x) == 0 {
			return
		}
		n := min(len(x), vectorLength)
		expScalar(dst[:n], a, x[:n])
		dst, x = dst[n:], x[n:]
	}
}

// expScalar computes Exp in Go. The conversions prevent the compiler from fusing products into sums.
func expScalar(dst []float64, a float64, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		v = float64(v * a)
		if !(v >= lowest && v <= highest) {
			dst[i] = expOutside(v)
			continue
		}
		t := float64(v*inverseStep) + rounder
		k := math.Float64bits(t)
		t -= rounder
		r := (v - float64(t*stepHigh)) - float64(t*stepLow)
		p := r + float64(r*r*(0.5+float64(r*(1.0/6+float64(r*(1.0/24))))))
		s := math.Float64frombits(exp2Bits[k%tableSize] + k<<(52-tableBits))
		dst[i] = s + float64(s*p)
	}
}

// expOutside factors out a power of two, so that nothing underflows or overflows before the last step. (math.Exp is +Inf from
// 709.7827128932 on amd64.)
func expOutside(v float64) float64 {
	switch {
	case math.IsNaN(v):
		return v
	case v < vanishing:
		return 0
	case v > overflowing:
		return math.Inf(1)
	}
	power := math.Trunc(v / math.Ln2)
	rest := [1]float64{(v - float64(power*0x1.62e42fefp-1)) - float64(power*(math.Ln2-0x1.62e42fefp-1))}
	expScalar(rest[:], 1, rest[:])
	return math.Ldexp(rest[0], int(power))
}
