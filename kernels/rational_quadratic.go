package kernels

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// defaultAlpha is the α of a RationalQuadratic whose Alpha is 0.
const defaultAlpha = 1.0

// RationalQuadratic is the kernel
//
//	k(x, z) = (1 + |x-z|²/(2αℓ²))^-α
//
// It is positive definite: it is a mixture of RBF kernels with all lengths around ℓ. The smaller α is, the more the lengths vary.
// It tends to RBFOfLength(ℓ) as α → ∞, and is the Cauchy kernel for α = 1. ℓ has the unit of the features (Rasmussen and Williams,
// 2006, eq. 4.19).
//
// See also [RBF], [Matern].
type RationalQuadratic struct {
	// Alpha is α > 0. If it is 0, 1 is used.
	Alpha float64

	// Length is ℓ > 0. If it is 0, 1 is used.
	Length float64
}

var _ distanceKernel = RationalQuadratic{}

func (k RationalQuadratic) withDefaults() RationalQuadratic {
	return RationalQuadratic{Alpha: cmp.Or(k.Alpha, defaultAlpha), Length: cmp.Or(k.Length, defaultLength)}
}

// excess returns u-1, where k = u^-α. The zero fields of k must have been replaced with their defaults.
func (k RationalQuadratic) excess(squared float64) float64 {
	return squared / k.Length / k.Length / (2 * k.Alpha)
}

// Eval returns k(x, z). The cost is O(d).
func (k RationalQuadratic) Eval(x, z []float64) float64 {
	checkLen(x, z)
	k = k.withDefaults()
	return math.Exp(-k.Alpha * math.Log1p(k.excess(vecmath.SquaredDistance(x, z))))
}

// String returns, for example, "RationalQuadratic(alpha=1, length=2)".
func (k RationalQuadratic) String() string {
	k = k.withDefaults()
	return fmt.Sprintf("RationalQuadratic(alpha=%v, length=%v)", k.Alpha, k.Length)
}

// Validate returns an ErrParam error unless Alpha and Length are finite and at least 0.
func (k RationalQuadratic) Validate() error {
	if err := positive("RationalQuadratic", "Alpha", k.Alpha); err != nil {
		return err
	}
	return positive("RationalQuadratic", "Length", k.Length)
}

// Params returns ℓ and α.
func (k RationalQuadratic) Params() []Param {
	k = k.withDefaults()
	return []Param{{Name: "length", Kind: KindLength, Value: k.Length}, {Name: "alpha", Kind: KindShape, Value: k.Alpha}}
}

// WithParams returns the RationalQuadratic with another ℓ and α.
func (k RationalQuadratic) WithParams(values []float64) Kernel {
	checkParams(k, len(values), 2)
	return RationalQuadratic{Length: param(values[0]), Alpha: param(values[1])}
}

// EvalGradient implements Differentiable. With u = 1 + r²/(2α) and r = |x-z|/ℓ, the derivatives are r² k/u with respect to ln ℓ and
// αk(1 - 1/u - ln u) with respect to ln α.
func (k RationalQuadratic) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

// OfSquaredDistances implements Radial.
func (k RationalQuadratic) OfSquaredDistances(dst, squared []float64) {
	k = k.withDefaults()
	k.powers(dst, -k.Alpha, squared)
}

// powers sets dst[i] to u^p. The zero fields of k must have been replaced with their defaults.
func (k RationalQuadratic) powers(dst []float64, p float64, squared []float64) {
	for i, s := range squared {
		dst[i] = math.Log1p(k.excess(s))
	}
	vecmath.Exp(dst, p, dst)
}

// SlopesOfSquaredDistances implements [RadialSlopes]: k/(uℓ²).
func (k RationalQuadratic) SlopesOfSquaredDistances(dst, squared []float64) {
	k = k.withDefaults()
	k.powers(dst, -k.Alpha-1, squared)
	for i := range dst {
		dst[i] /= k.Length * k.Length
	}
}

func (k RationalQuadratic) gradientOfSquaredDistances(p int, dst, squared []float64) {
	if p == 0 {
		k.SlopesOfSquaredDistances(dst, squared)
		for i, s := range squared {
			dst[i] *= s
		}
		return
	}
	k = k.withDefaults()
	k.OfSquaredDistances(dst, squared)
	for i, s := range squared {
		e := k.excess(s)
		dst[i] *= k.Alpha * (e/(1+e) - math.Log1p(e))
	}
}

// SpectralDensity implements Spectral: w is a normal vector multiplied by the square root of a gamma variable, which uses the last
// uniform number.
func (k RationalQuadratic) SpectralDensity() (SpectralDensity, error) {
	k = k.withDefaults()
	return scaleMixture(func(u float64) float64 { return math.Sqrt(mathext.GammaIncRegInv(k.Alpha, u)/k.Alpha) / k.Length }), nil
}
