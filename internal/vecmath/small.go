package vecmath

import "math"

// Dot returns Σ x[i]z[i], computed with a loop. It is for rows with few columns, where a BLAS call costs more than it saves. For
// long vectors see linalg.Dot.
func Dot(x, z []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += v * z[i]
	}
	return s
}

// SquaredDistance returns Σ (x[i] - z[i])², computed with a loop, like Dot.
func SquaredDistance(x, z []float64) float64 {
	s := 0.0
	for i, v := range x {
		d := v - z[i]
		s += d * d
	}
	return s
}

// Sum returns Σ v[i], added in order.
func Sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

// Sigmoid returns 1/(1 + e⁻ᵛ) without overflow.
func Sigmoid(v float64) float64 {
	if v >= 0 {
		return 1 / (1 + math.Exp(-v))
	}
	e := math.Exp(v)
	return e / (1 + e)
}

// Softplus returns log(1 + eᵛ) without overflow.
func Softplus(v float64) float64 { return max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }

// Softmax overwrites z with exp(z)/Σexp(z) and returns log Σexp(z), without overflow.
func Softmax(z []float64) float64 {
	top := math.Inf(-1)
	for _, v := range z {
		top = max(top, v)
	}
	total := 0.0
	for k, v := range z {
		z[k] = math.Exp(v - top)
		total += z[k]
	}
	for k := range z {
		z[k] /= total
	}
	return top + math.Log(total)
}

// Power returns v^p by repeated squaring. It is bit-identical on all platforms, and about five times as fast as math.Pow for
// typical degrees.
func Power(v float64, p int) float64 {
	r := 1.0
	for ; p > 0; p >>= 1 {
		if p&1 != 0 {
			r *= v
		}
		v *= v
	}
	return r
}
