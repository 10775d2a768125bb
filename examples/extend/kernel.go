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

// defaultLength is the ℓ of a Matern72 whose Length is 0.
const defaultLength = 1.0

// Matern72 is the Matérn kernel with smoothness ν = 7/2, where s = √7 |x-z|/ℓ:
//
//	k(x, z) = (1 + s + 2s²/5 + s³/15) exp(-s)
//
// It is positive definite, and its functions have three derivatives (Rasmussen and Williams, Gaussian Processes for Machine
// Learning, 2006, eq. 4.16).
type Matern72 struct {
	Length float64 // ℓ > 0, in feature units; 0 means 1
}

var _ interface {
	kernels.Differentiable
	kernels.RadialSlopes
	kernels.Spectral
	kernels.Validator
} = Matern72{}

func (k Matern72) length() float64 { return cmp.Or(k.Length, defaultLength) }

// scaled returns s for a squared distance. It limits s so that s³ is finite.
func (k Matern72) scaled(squared float64) float64 {
	return min(math.Sqrt(7*squared)/k.length(), 1e100)
}

// Eval returns k(x, z).
func (k Matern72) Eval(x, z []float64) float64 {
	d := floats.Distance(x, z, 2) // Distance panics if x and z differ in length
	return k.value(k.scaled(d * d))
}

func (k Matern72) value(s float64) float64 { return (1 + s + 2*s*s/5 + s*s*s/15) * math.Exp(-s) }

// OfSquaredDistances implements kernels.Radial.
func (k Matern72) OfSquaredDistances(dst, squared []float64) {
	for i, d := range squared {
		dst[i] = k.value(k.scaled(d))
	}
}

// String returns, for example, "Matern72(length=2)".
func (k Matern72) String() string { return fmt.Sprintf("Matern72(length=%v)", k.length()) }

// Validate returns an ErrParam error unless Length is finite and at least 0.
func (k Matern72) Validate() error {
	if !(k.Length >= 0) || math.IsInf(k.Length, 1) {
		return &estimators.ParamError{Type: "extend: Matern72", Field: "Length", Value: k.Length,
			Want: "a finite value > 0, or 0 for the default"}
	}
	return nil
}

// Params implements kernels.Differentiable.
func (k Matern72) Params() []kernels.Param {
	return []kernels.Param{{Name: "length", Kind: kernels.KindLength, Value: k.length()}}
}

// WithParams returns the kernel with another length. For a length of 0, which would select the default, it returns an invalid
// kernel.
func (k Matern72) WithParams(values []float64) kernels.Kernel {
	if values[0] == 0 {
		return Matern72{Length: math.NaN()}
	}
	return Matern72{Length: values[0]}
}

// EvalGradient implements kernels.Differentiable. The derivative is -k'(r) r, where r is the distance.
func (k Matern72) EvalGradient(dst, x, z []float64) {
	d := floats.Distance(x, z, 2)
	s := k.scaled(d * d)
	dst[0] = s * s * k.slope(s)
}

// slope returns -k'(s)/s.
func (k Matern72) slope(s float64) float64 { return (1 + s + s*s/3) / 5 * math.Exp(-s) }

// SlopesOfSquaredDistances implements kernels.RadialSlopes, so that kernels.ARD can fit a length for each column.
func (k Matern72) SlopesOfSquaredDistances(dst, squared []float64) {
	l := k.length()
	for i, d := range squared {
		dst[i] = 7 / l / l * k.slope(k.scaled(d))
	}
}

// SpectralDensity implements kernels.Spectral. A frequency is a normal vector divided by the square root of a gamma variable. The
// latter is computed from the last uniform number.
func (k Matern72) SpectralDensity() (kernels.SpectralDensity, error) {
	return kernels.SpectralDensity{
		Variance: 1, RotationInvariant: true, Uniforms: func(d int) int { return d + 1 },
		Frequency: func(w, u []float64) {
			scale := math.Sqrt(3.5/mathext.GammaIncRegCompInv(3.5, u[len(w)])) / k.length()
			for j := range w {
				w[j] = scale * mathext.NormalQuantile(u[j])
			}
		},
	}, nil
}
