package kernels

import (
	"cmp"
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Tanh is the sigmoid kernel
//
//	k(x, z) = tanh(γ <x,z> + c)
//
// It is not positive semi-definite: an estimator may reject its matrix with ErrNotPSD unless the ridge is large. It exists for
// comparisons with papers.
//
// See also [ELM].
type Tanh struct {
	// Gamma is γ > 0. If it is 0, 1 is used.
	Gamma float64

	// Coef0 is c.
	Coef0 float64
}

var _ productKernel = Tanh{}

func (k Tanh) gamma() float64 { return cmp.Or(k.Gamma, defaultGamma) }

// Eval returns tanh(γ<x,z> + c). The cost is O(d).
func (k Tanh) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return math.Tanh(k.gamma()*vecmath.Dot(x, z) + k.Coef0)
}

// String returns, for example, "Tanh(gamma=0.5, coef0=0)".
func (k Tanh) String() string { return fmt.Sprintf("Tanh(gamma=%v, coef0=%v)", k.gamma(), k.Coef0) }

// Validate returns an ErrParam error unless Gamma is at least 0, and Gamma and Coef0 are finite.
func (k Tanh) Validate() error {
	if k.Coef0-k.Coef0 != 0 {
		return fault.Param("kernels: Tanh", "Coef0", k.Coef0, "a finite value")
	}
	return positive("Tanh", "Gamma", k.Gamma)
}

// OfDotProducts implements [DotProduct].
func (k Tanh) OfDotProducts(dst, products []float64) {
	g, c := k.gamma(), k.Coef0
	for i, v := range products {
		dst[i] = math.Tanh(g*v + c)
	}
}

// SlopesOfDotProducts implements [DotProductSlopes]: γ(1 - k²).
func (k Tanh) SlopesOfDotProducts(dst, products []float64) {
	k.OfDotProducts(dst, products)
	g := k.gamma()
	for i, v := range dst {
		dst[i] = g * (1 - v*v)
	}
}
