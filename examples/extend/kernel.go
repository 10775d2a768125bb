package extend

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

// The defaults of RationalQuadratic.
const (
	DefaultAlpha  = 1.0
	DefaultLength = 1.0
)

// RationalQuadratic is the kernel
//
//	k(x, z) = (1 + |x-z|²/(2αℓ²))^-α
//
// positive definite, a mixture of RBF kernels of all lengths (Rasmussen and Williams, Gaussian
// Processes for Machine Learning, 2006, eq. 4.19), which it tends to as α grows. For α = 1 it is
// the Cauchy kernel.
type RationalQuadratic struct {
	Alpha  float64 // α > 0; 0 means DefaultAlpha
	Length float64 // ℓ > 0, in feature units; 0 means DefaultLength
}

var _ interface {
	kernels.Kernel
	kernels.Radial
	kernels.Spectral
	kernels.Validator
} = RationalQuadratic{}

func (k RationalQuadratic) withDefaults() RationalQuadratic {
	return RationalQuadratic{Alpha: cmp.Or(k.Alpha, DefaultAlpha), Length: cmp.Or(k.Length, DefaultLength)}
}

// Eval returns k(x, z).
func (k RationalQuadratic) Eval(x, z []float64) float64 {
	d := floats.Distance(x, z, 2) // panics for rows of different length
	out := []float64{d * d}
	k.OfSquaredDistances(out, out)
	return out[0]
}

// OfSquaredDistances implements kernels.Radial.
func (k RationalQuadratic) OfSquaredDistances(dst, squared []float64) {
	k = k.withDefaults()
	for i, s := range squared {
		dst[i] = math.Exp(-k.Alpha * math.Log1p(s/k.Length/k.Length/(2*k.Alpha)))
	}
}

// String returns, for example, "RationalQuadratic(alpha=1, length=2)".
func (k RationalQuadratic) String() string {
	k = k.withDefaults()
	return fmt.Sprintf("RationalQuadratic(alpha=%v, length=%v)", k.Alpha, k.Length)
}

// Validate returns an ErrParam error unless both parameters are finite and at least 0.
func (k RationalQuadratic) Validate() error {
	for _, f := range []struct {
		name  string
		value float64
	}{{"Alpha", k.Alpha}, {"Length", k.Length}} {
		if !(f.value >= 0) || math.IsInf(f.value, 1) {
			return &estimators.ParamError{Type: "extend: RationalQuadratic", Field: f.name, Value: f.value, Want: "a finite value > 0, or 0 for the default"}
		}
	}
	return nil
}

// SpectralDensity implements kernels.Spectral: a frequency is a normal vector times the root of a
// gamma number, which takes the last uniform.
func (k RationalQuadratic) SpectralDensity() (kernels.SpectralDensity, error) {
	k = k.withDefaults()
	return kernels.SpectralDensity{
		Variance: 1, RotationInvariant: true, Uniforms: func(d int) int { return d + 1 },
		Frequency: func(w, u []float64) {
			scale := math.Sqrt(mathext.GammaIncRegInv(k.Alpha, u[len(w)])/k.Alpha) / k.Length
			for j := range w {
				w[j] = scale * mathext.NormalQuantile(u[j])
			}
		},
	}, nil
}
