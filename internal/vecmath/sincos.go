package vecmath

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// Sine and cosine are table-driven, like the exponential: with x = a + r, where a is one of N angles about h = 2π/N apart, and |r|
// ≤ h/2,
//
//	sin x = sin a + (cos a · sin r + sin a · (cos r - 1))
//	cos x = cos a + (cos a · (cos r - 1) - sin a · sin r)
//
// For N = 512, polynomials of degrees 5 and 6 have an error of 1e-17. There is no branch for the quadrant, which a loop over
// math.Sincos often mispredicts. Near a zero of the sine or the cosine the result is half of the table's value, so that the
// rounding of that value would count twice. Therefore a is not exactly kh. It is a nearby angle for which the smaller of the two
// values is a float64 (S. Gal, in: Accurate Scientific Computations, LNCS 235, 1986).
const (
	circleBits = 9
	circle     = 1 << circleBits // N

	inverseAngle = circle / (2 * math.Pi)
	// The step in three parts. The first two have 33 bits, so that their products with k, which has at most 20 bits, are exact.
	angleHigh   = 0x1.921fb544p-7
	angleMiddle = 0x1.0b4611a6p-41
	angleLow    = 0x1.3198a2e037073p-76

	// Beyond farthest, k has more than 20 bits.
	farthest = 8000.0
)

// point is an angle a = kh + offset. The larger value is correctly rounded, and the smaller is exact.
type point struct{ sin, cos, offset float64 }

var circlePoints = func() (table [circle]point) {
	// Compute an eighth of the circle by rotation, and the rest by symmetry.
	const eighth, precision = circle / 8, 200
	angle := pi(precision)
	angle.SetMantExp(angle, 1-circleBits)
	stepSin, stepCos := series(angle)
	sin, cos := new(big.Float).SetPrec(precision), new(big.Float).SetPrec(precision).SetInt64(1)
	product := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(a, b) }
	for k := range eighth + 1 {
		s, _ := sin.Float64()
		// A first-order formula suffices, since offsets are at most 2⁻⁵⁴.
		offset := new(big.Float).SetPrec(precision).SetFloat64(s)
		offset.Quo(offset.Sub(offset, sin), cos)
		c, _ := new(big.Float).Sub(cos, product(sin, offset)).Float64()
		o, _ := offset.Float64()
		for quarter, p := range [4]point{{s, c, o}, {c, -s, o}, {-s, -c, o}, {-c, s, o}} {
			table[(k+2*eighth*quarter)%circle] = p
			table[(2*circle+2*eighth*(1-quarter)-k)%circle] = point{p.cos, p.sin, -o}
		}
		sin, cos = new(big.Float).Add(product(sin, stepCos), product(cos, stepSin)), new(big.Float).Sub(product(cos, stepCos),
			product(sin, stepSin))
	}
	for k := range table { // replace negative zeros
		table[k].sin += 0
		table[k].cos += 0
		table[k].offset += 0
	}
	return table
}()

// pi returns π = 16 atan(1/5) - 4 atan(1/239).
func pi(precision uint) *big.Float {
	arctan := func(n int64) *big.Float {
		power := new(big.Float).SetPrec(precision+32).Quo(big.NewFloat(1), new(big.Float).SetInt64(n))
		sum := new(big.Float).SetPrec(precision + 32)
		square := new(big.Float).SetInt64(-n * n)
		for k := int64(1); power.MantExp(nil) > -int(precision)-32; k += 2 {
			sum.Add(sum, new(big.Float).SetPrec(precision+32).Quo(power, new(big.Float).SetInt64(k)))
			power.Quo(power, square)
		}
		return sum
	}
	a, b := arctan(5), arctan(239)
	a.SetMantExp(a, 4)
	b.SetMantExp(b, 2)
	return a.Sub(a, b)
}

// series returns the sine and the cosine of a small x.
func series(x *big.Float) (sin, cos *big.Float) {
	sin, cos = new(big.Float).SetPrec(x.Prec()), new(big.Float).SetPrec(x.Prec())
	term := new(big.Float).SetPrec(x.Prec()).SetInt64(1)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > -int(x.Prec()); k++ {
		switch k % 4 {
		case 1:
			cos.Add(cos, term)
		case 2:
			sin.Add(sin, term)
		case 3:
			cos.Sub(cos, term)
		case 0:
			sin.Sub(sin, term)
		}
		term.Mul(term, x)
		term.Quo(term, new(big.Float).SetInt64(k))
	}
	return sin, cos
}

// Sincos sets sin[i] and cos[i] to the sine and the cosine of x[i], with an error of at most 2 units in the last place for
// arguments of any size. Both have the length of x, and either may be x itself. The results are bit-identical on all processors.
func Sincos(sin, cos, x []float64) {
	sin, cos = sin[:len(x)], cos[:len(x)]
	for {
		done := sincosVector(sin, cos, x)
		sin, cos, x = sin[done:], cos[done:], x[done:]
		if len(x) == 0 {
			return
		}
		n := min(len(x), vectorLength)
		sincosScalar(sin[:n], cos[:n], x[:n])
		sin, cos, x = sin[n:], cos[n:], x[n:]
	}
}

// sincosScalar computes Sincos in Go, without fused operations, like expScalar.
func sincosScalar(sin, cos, x []float64) {
	sin, cos = sin[:len(x)], cos[:len(x)]
	for i, v := range x {
		if !(v >= -farthest && v <= farthest) {
			sin[i], cos[i] = sincosFar(v)
			continue
		}
		t := float64(v*inverseAngle) + rounder
		p := &circlePoints[math.Float64bits(t)%circle]
		t -= rounder
		w := v - float64(t*angleHigh)
		m := float64(t * angleMiddle)
		r := w - m
		low := ((w - r) - m) - float64(t*angleLow)
		sin[i], cos[i] = p.turn(r, low)
	}
}

// turn returns the sine and the cosine of kh + r + low.
func (p *point) turn(r, low float64) (sin, cos float64) {
	q := float64(r * r)
	s := r + ((low - p.offset) + float64(r*q*(float64(q*(1.0/120))-1.0/6)))
	c := float64(q * (float64(q*(1.0/24-float64(q*(1.0/720)))) - 0.5))
	return p.sin + (float64(p.cos*s) + float64(p.sin*c)), p.cos + (float64(p.cos*c) - float64(p.sin*s))
}

// turns holds the fractional bits of 1/2π, most significant first: those that an exponent of up to 971 shifts out, 128 that remain,
// and 64 for the product.
var turns = sync.OnceValue(func() (words [20]uint64) {
	const precision = 64 * 20
	v := pi(precision)
	v.SetMantExp(v, 1)
	v.Quo(new(big.Float).SetPrec(precision+32).SetMantExp(big.NewFloat(1), precision), v)
	n, _ := v.Int(nil)
	for i, w := range n.FillBytes(make([]byte, precision/8)) {
		words[i/8] |= uint64(w) << (56 - 8*(i%8))
	}
	return words
})

// sincosFar multiplies by 1/2π in integers, and keeps 128 fractional bits (M. H. Payne, R. N. Hanek, ACM SIGNUM Newsletter 18,
// 1983).
func sincosFar(v float64) (sin, cos float64) {
	if v-v != 0 {
		return math.NaN(), math.NaN()
	}
	exponent := int(math.Float64bits(v)>>52)&0x7ff - 1023 - 52
	mantissa := math.Float64bits(v)&(1<<52-1) | 1<<52
	high, low := turnsOf(mantissa, exponent)

	// The nearest point of the table, and the signed remainder.
	k := (high + 1<<(63-circleBits)) >> (64 - circleBits)
	high -= k << (64 - circleBits)
	sign := 1.0
	if int64(high) < 0 {
		sign = -1
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	// The remainder is a + b turns, with an exact a, times 2π = c + d.
	a, b := sign*float64(high&^0x7ff), sign*(float64(high&0x7ff)+float64(low)*0x1p-64)
	const c, d = 2 * math.Pi, 0x1.1a62633145c07p-52
	p := a * c
	rest := math.FMA(a, c, -p) + (float64(a*d) + float64(b*c))
	r := p + rest
	sin, cos = circlePoints[k%circle].turn(r*0x1p-64, ((p-r)+rest)*0x1p-64)
	if v < 0 {
		return -sin, cos
	}
	return sin, cos
}

// turnsOf returns the fractional part of mantissa·2^exponent/2π in units of 2⁻¹²⁸. The exponent is that of a number beyond
// farthest, at least -40.
func turnsOf(mantissa uint64, exponent int) (high, low uint64) {
	words := turns()
	// word returns the i-th of the 64-bit words that start at bit number exponent. Bits before the binary point are 0.
	word := func(i int) uint64 {
		at := exponent + 64*i
		first, shift := at>>6, uint(at)&63
		get := func(j int) uint64 {
			if j < 0 {
				return 0
			}
			return words[j]
		}
		return get(first)<<shift | get(first+1)>>(64-shift)
	}
	thirdHigh, _ := bits.Mul64(word(2), mantissa)
	secondHigh, secondLow := bits.Mul64(word(1), mantissa)
	low, carry := bits.Add64(secondLow, thirdHigh, 0)
	high, _ = bits.Add64(word(0)*mantissa, secondHigh, carry)
	return high, low
}
