package columnwise

import "math"

// yeoJohnson returns ψ(x) of Yeo and Johnson. With L = ln(1+|x|), it is expm1(λL)/λ for x ≥ 0, and -expm1((2-λ)L)/(2-λ) otherwise.
// The limits for λ = 0 and λ = 2 are L and -L.
func yeoJohnson(x, lambda float64) float64 {
	if x < 0 {
		return -boxCox(-x, 2-lambda)
	}
	return boxCox(x, lambda)
}

// boxCox returns ((1+u)^p - 1)/p for u ≥ 0.
func boxCox(u, p float64) float64 {
	if p == 1 {
		return u
	}
	l := math.Log1p(u)
	if p*l >= 1 { // here nothing cancels, but the exponential of a logarithm would lose digits
		return (math.Pow(1+u, p) - 1) / p
	}
	return growth(p, l, 0)
}

// inverseYeoJohnson returns the x with ψ(x) = z, or an infinity if z is beyond all values of ψ.
func inverseYeoJohnson(z, lambda float64) float64 {
	switch {
	case lambda == 1:
		return z
	case z < 0:
		return -math.Expm1(inverseGrowth(2-lambda, -z, 0))
	}
	return math.Expm1(inverseGrowth(lambda, z, 0))
}

// negligible is too small to change 1 when it is added.
const negligible = 0x1p-54

// growth returns eˢ(e^(pt) - 1)/p, or its limit eˢt.
func growth(p, t, s float64) float64 {
	switch a := p * t; {
	case math.Abs(a) < negligible:
		return t * math.Exp(s)
	case a > 1: // this product may be infinite, but is never a difference of two infinities
		return -math.Expm1(-a) * math.Exp(a+s) / p
	default:
		return math.Expm1(a) / p * math.Exp(s)
	}
}

// inverseGrowth returns the t with growth(p, t, s) = w, or an infinity if w is beyond all values of growth.
func inverseGrowth(p, w, s float64) float64 {
	if w == 0 {
		return 0
	}
	wide, log := w*math.Exp(-s), math.Log(math.Abs(w))-s
	if -s > 700 { // the power overflows
		wide = math.Copysign(math.Exp(log), w)
	}
	switch y := p * wide; {
	case p == 0 || math.Abs(y) < negligible:
		return wide
	case y <= -1:
		return math.Copysign(math.Inf(1), w)
	case y > 1/negligible:
		return (math.Log(math.Abs(p)) + log) / p
	default:
		return math.Log1p(y) / p
	}
}

// warp computes ψ of a column up to an affine map, which standardising removes. The values are neither huge nor differences of huge
// numbers, for any λ and any column. With u = ±x,
//
//	v(x) = ± e^(-shift) (ψ(u) - ψ(ref)) / (1+ref)^p
//
// For a column without negative numbers, the sign is +, p = λ, and ref is the value with the largest power. For a column of
// negative numbers, the sign is -, which maps ψ to itself with p = 2-λ. For a column with both signs, ref = 0, and e^shift is the
// largest power in the column. For λ = 1 the result is x itself, and no warp is needed.
type warp struct {
	sign, p, ref, shift float64
}

// shiftOf returns the shift for the warp of a column with the given smallest and largest value.
func shiftOf(lambda, least, largest float64) float64 {
	if lambda != 1 && least < 0 && largest >= 0 {
		return max(0, lambda*math.Log1p(largest), (2-lambda)*math.Log1p(-least))
	}
	return 0
}

// newWarp returns the warp of a column with the given smallest and largest value.
func newWarp(lambda, least, largest, shift float64) warp {
	switch {
	case least < 0 && largest >= 0:
		return warp{1, lambda, 0, shift}
	case largest < 0:
		w := newWarp(2-lambda, -largest, -least, shift)
		w.sign = -1
		return w
	case lambda >= 0:
		return warp{1, lambda, largest, shift}
	}
	return warp{1, lambda, least, shift}
}

// transform returns v(x).
func (w warp) transform(x float64) float64 {
	u := w.sign * x
	switch {
	case w.p == 1:
		return w.sign * (u - w.ref) / (1 + w.ref)
	case u >= 0:
		return w.sign * growth(w.p, logRatio(u, w.ref), -w.shift)
	}
	return w.sign * (w.atZero() - growth(2-w.p, math.Log1p(-u), w.logSlopeBelow()))
}

func (w warp) atZero() float64 { return growth(w.p, logRatio(0, w.ref), -w.shift) }

// logSlopeBelow returns the logarithm of the factor by which ψ(u) - ψ(0) is multiplied for u < 0.
func (w warp) logSlopeBelow() float64 { return -w.shift - w.p*math.Log1p(w.ref) }

// inverse returns the x with v(x) = v, or an infinity if v is beyond all values of the warp.
func (w warp) inverse(v float64) float64 {
	v *= w.sign
	if w.p == 1 {
		return w.sign * (w.ref + v*(1+w.ref))
	}
	zero := w.atZero()
	if v < zero {
		return -w.sign * math.Expm1(inverseGrowth(2-w.p, zero-v, w.logSlopeBelow()))
	}
	t := inverseGrowth(w.p, v, -w.shift)
	if g := math.Expm1(t); math.Abs(g) < 0.5 {
		return w.sign * max(w.ref+(1+w.ref)*g, 0)
	}
	return w.sign * max(math.Expm1(math.Log1p(w.ref)+t), 0)
}

// logRatio returns ln((1+u)/(1+ref)) for two numbers that are at least 0.
func logRatio(u, ref float64) float64 {
	if q := (u - ref) / (1 + ref); math.Abs(q) < 0.5 {
		return math.Log1p(q)
	}
	return math.Log((1 + u) / (1 + ref))
}
