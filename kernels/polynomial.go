package kernels

import (
	"cmp"
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// defaultDegree is the degree of a Polynomial whose Degree is 0.
const defaultDegree = 3

// Polynomial is the kernel
//
//	k(x, z) = (γ <x,z> + c)^p
//
// It is positive semi-definite for an integer degree p ≥ 1, γ > 0 and c ≥ 0, but not in general for a fractional degree. Its values
// grow like |x|^2p. Unless the degree is small and the rows are scaled, use it within [Normalized], which does not overflow.
//
// See also [Linear], [RBF].
type Polynomial struct {
	// Degree is p ≥ 1. If it is 0, 3 is used.
	Degree int

	// Gamma is γ > 0. If it is 0, 1 is used.
	Gamma float64

	// Coef0 is c ≥ 0. If it is 0, the polynomial is homogeneous.
	Coef0 float64
}

var _ productKernel = Polynomial{}

func (k Polynomial) gamma() float64 { return cmp.Or(k.Gamma, defaultGamma) }
func (k Polynomial) degree() int    { return cmp.Or(k.Degree, defaultDegree) }

// Eval returns (γ<x,z> + c)^p. The cost is O(d + log p).
func (k Polynomial) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return vecmath.Power(k.gamma()*vecmath.Dot(x, z)+k.Coef0, k.degree())
}

// String returns, for example, "Polynomial(degree=3, gamma=1, coef0=1)".
func (k Polynomial) String() string {
	return fmt.Sprintf("Polynomial(degree=%d, gamma=%v, coef0=%v)", k.degree(), k.gamma(), k.Coef0)
}

// Validate returns an ErrParam error unless all parameters are in their ranges.
func (k Polynomial) Validate() error {
	switch {
	case k.Degree < 0:
		return fault.Param("kernels: Polynomial", "Degree", k.Degree, ">= 1, or 0 for the default")
	case !(k.Coef0 >= 0) || math.IsInf(k.Coef0, 1):
		return fault.Param("kernels: Polynomial", "Coef0", k.Coef0, "a finite value >= 0")
	}
	return positive("Polynomial", "Gamma", k.Gamma)
}

// OfDotProducts implements [DotProduct].
func (k Polynomial) OfDotProducts(dst, products []float64) {
	g, c, p := k.gamma(), k.Coef0, k.degree()
	for i, v := range products {
		dst[i] = vecmath.Power(g*v+c, p)
	}
}

// SlopesOfDotProducts implements [DotProductSlopes]: pγ(γ<x,z> + c)^(p-1).
func (k Polynomial) SlopesOfDotProducts(dst, products []float64) {
	g, c, p := k.gamma(), k.Coef0, k.degree()
	for i, v := range products {
		dst[i] = float64(p) * g * vecmath.Power(g*v+c, p-1)
	}
}
