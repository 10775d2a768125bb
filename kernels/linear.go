package kernels

import (
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Linear is the inner product
//
//	k(x, z) = <x, z>
//
// It is positive semi-definite, of rank at most d.
type Linear struct{}

var _ interface {
	Kernel
	DotProduct
} = Linear{}

// Eval returns <x, z>. Cost O(d).
func (Linear) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return vecmath.Dot(x, z)
}

// String returns "Linear".
func (Linear) String() string { return "Linear" }

// OfDotProducts implements DotProduct.
func (Linear) OfDotProducts(dst, products []float64) { copy(dst, products) }
