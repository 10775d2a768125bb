package kernels

import (
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Linear is the inner product
//
//	k(x, z) = <x, z>
//
// It is positive semi-definite, with rank at most d.
//
// See also [Polynomial].
type Linear struct{}

var _ interface {
	Differentiable
	DotProductSlopes
} = Linear{}

// Eval returns <x, z>. The cost is O(d).
func (Linear) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return vecmath.Dot(x, z)
}

// String returns "Linear".
func (Linear) String() string { return "Linear" }

// Params returns no parameters.
func (Linear) Params() []Param { return nil }

// WithParams returns the kernel.
func (k Linear) WithParams(values []float64) Kernel {
	checkParams(k, len(values), 0)
	return k
}

// EvalGradient implements Differentiable. There are no parameters.
func (k Linear) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

// SlopesOfDotProducts implements [DotProductSlopes]: 1.
func (Linear) SlopesOfDotProducts(dst, _ []float64) {
	for i := range dst {
		dst[i] = 1
	}
}

// OfDotProducts implements [DotProduct].
func (Linear) OfDotProducts(dst, products []float64) { copy(dst, products) }
