package single

import "math"

// The exponential of k ln 2 + r, with an integer k and |r| ≤ ln 2 / 2, is
//
//	eˣ = 2ᵏ (1 + r + r² (1/2 + c₃r + c₄r² + c₅r³ + c₆r⁴))
//
// The polynomial in parentheses interpolates at Chebyshev nodes, with an error of 1e-8. The product of k and stepHigh, which has
// nine bits, is exact.
const (
	perStep  = 1 / math.Ln2
	stepHigh = 0x1.63p-1
	stepLow  = math.Ln2 - stepHigh

	c3, c4, c5, c6 = 0.166665763, 0.0416665524, 0.0083632376, 0.00139262562

	// Below lowest the result is less than half of the smallest number, and above highest it is infinite.
	lowest, highest = -104.0, 89.0

	// A squared distance at which every Matérn kernel is 0.
	farthest = 1e8
)

// Exp sets x[i] = e^(a·x[i]). The relative error is at most (3 + |a·x[i]|) 2⁻²⁴ if the result is a normal number. Otherwise the
// error is at most the smallest positive number.
func Exp(x []float32, a float32) {
	done := expVector(x, a)
	for i, v := range x[done:] {
		x[done+i] = exponential(v * a)
	}
}

// exponential returns eˣ.
func exponential(x float32) float32 {
	x = max(lowest, min(x, highest))
	k := float32(math.RoundToEven(float64(x * perStep)))
	r := (x - float32(k*stepHigh)) - float32(k*stepLow)
	p := 1 + r*(1+r*(0.5+r*(c3+r*(c4+r*(c5+r*c6)))))
	if x != x {
		return x
	}
	half := int32(k) >> 1 // two factors, since 2ᵏ may not be a normal number
	return p * power(half) * power(int32(k)-half)
}

// power returns 2ᵏ for k from -126 to 127.
func power(k int32) float32 { return math.Float32frombits(uint32(k+127) << 23) }

// Matern sets x[i] = (1 + linear·s + quadratic·s²) e^-s with s = √(a·x[i]), for squared distances x. The error is that of Exp plus
// 4·2⁻²⁴.
func Matern(x []float32, a, linear, quadratic float32) {
	done := maternVector(x, a, linear, quadratic)
	for i, v := range x[done:] {
		s := float32(math.Sqrt(float64(min(a*v, farthest))))
		x[done+i] = (1 + s*(linear+s*quadratic)) * exponential(-s)
	}
}

// Scale multiplies x by a.
func Scale(x []float32, a float32) {
	done := scaleVector(x, a)
	for i := range x[done:] {
		x[done+i] *= a
	}
}

// Finite reports whether x has neither a NaN nor an infinity.
func Finite(x []float32) bool {
	done, finite := finiteVector(x)
	for _, v := range x[done:] {
		finite = finite && v-v == 0
	}
	return finite
}
