package vecmath

import "math"

// Roots sets dst[i] = √min(a·x[i], limit), and NaN for NaN. The slice dst must have the length of x and may be x itself. The result
// is bit-identical on all processors.
func Roots(dst []float64, a, limit float64, x []float64) {
	dst = dst[:len(x)]
	done := rootsVector(dst, a, limit, x)
	for i, v := range x[done:] {
		dst[done+i] = math.Sqrt(min(a*v, limit))
	}
}

// Quadratics sets s[i] = (1 + s[i] + c·s[i]²)·e[i], with e as long as s. For a scaled distance and its exponential, this is a
// Matérn kernel. The result is bit-identical on all processors.
func Quadratics(s []float64, c float64, e []float64) {
	e = e[:len(s)]
	done := quadraticsVector(s, c, e)
	for i, v := range s[done:] {
		// The conversions prevent the compiler from fusing products into sums.
		s[done+i] = (float64((float64(v*c)+1)*v) + 1) * e[done+i]
	}
}
