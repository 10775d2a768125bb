package kernels

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/internal/single"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// defaultGamma is the γ of an RBF or a Polynomial whose Gamma is 0.
const defaultGamma = 1.0

// RBF is the Gaussian kernel
//
//	k(x, z) = exp(-γ |x-z|²)
//
// with γ = 1/(2ℓ²) for a length scale ℓ. It is positive definite for γ > 0. Its matrix tends to the all-ones matrix as γ → 0 and to
// the identity as γ → ∞. The unit of γ is the reciprocal of the squared unit of the features, so scale the features first.
//
// See also [Matern], [RationalQuadratic].
type RBF struct {
	// Gamma is > 0. If it is 0, 1 is used.
	Gamma float64
}

// RBFOfLength returns the RBF with length scale ℓ, in the units of the features:
//
//	k(x, z) = exp(-|x-z|²/(2ℓ²))
//
// This form is used for Gaussian processes and in the direct-kernel papers. If ℓ is not positive, or γ = 1/(2ℓ²) is not a finite
// positive number, Validate rejects the kernel.
func RBFOfLength(length float64) RBF {
	g := 0.5 / length / length
	if !(length > 0 && g > 0) {
		g = math.NaN() // 0 would select the default
	}
	return RBF{Gamma: g}
}

var _ distanceKernel = RBF{}

func (k RBF) gamma() float64 { return cmp.Or(k.Gamma, defaultGamma) }

// Eval returns exp(-γ|x-z|²). The cost is O(d).
func (k RBF) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return math.Exp(-k.gamma() * vecmath.SquaredDistance(x, z))
}

// String returns, for example, "RBF(gamma=0.5)".
func (k RBF) String() string { return fmt.Sprintf("RBF(gamma=%v)", k.gamma()) }

// Validate returns an ErrParam error unless Gamma is finite and at least 0.
func (k RBF) Validate() error {
	return positive("RBF", "Gamma", k.Gamma)
}

// Params returns γ.
func (k RBF) Params() []Param { return []Param{{Name: "gamma", Kind: KindRate, Value: k.gamma()}} }

// WithParams returns the RBF with another γ.
func (k RBF) WithParams(values []float64) Kernel {
	checkParams(k, len(values), 1)
	return RBF{Gamma: param(values[0])}
}

// EvalGradient implements Differentiable: ∂k/∂ ln γ = -γ|x-z|² k.
func (k RBF) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

// SlopesOfSquaredDistances implements [RadialSlopes]: 2γ k.
func (k RBF) SlopesOfSquaredDistances(dst, squared []float64) {
	k.OfSquaredDistances(dst, squared)
	floats.Scale(2*k.gamma(), dst)
}

func (k RBF) gradientOfSquaredDistances(_ int, dst, squared []float64) {
	k.SlopesOfSquaredDistances(dst, squared)
	for i, s := range squared {
		dst[i] *= -s / 2
	}
}

// OfSquaredDistances implements Radial.
func (k RBF) OfSquaredDistances(dst, squared []float64) { vecmath.Exp(dst, -k.gamma(), squared) }

func (k RBF) singlesOfSquaredDistances() func(v []float32) {
	if !blocks.IsSingleFactor(k.gamma()) {
		return nil
	}
	return func(v []float32) { single.Exp(v, -float32(k.gamma())) }
}
