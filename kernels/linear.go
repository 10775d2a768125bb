package kernels

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Linear is the inner product
//
//	k(x, z) = <x, z>
//
// It is positive semi-definite, of rank at most d.
type Linear struct{}

var _ interface {
	blockKernel
	Blocker
	Diagonal
} = Linear{}

// Eval returns <x, z>. Cost O(d).
func (Linear) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return vecmath.Dot(x, z)
}

// String returns "Linear".
func (Linear) String() string { return "Linear" }

// Block implements Blocker.
func (k Linear) Block(dst, x, z *mat.Dense) { blockOf(k, dst, x, z) }

// Diag implements Diagonal: the squared norms.
func (Linear) Diag(dst []float64, x *mat.Dense) { copy(dst, squaredNorms(x)) }

func (Linear) need() need { return needDots }

func (Linear) block(dst *mat.Dense, x, z *operand) {
	if products := dots(dst, x, z); products != dst {
		dst.Copy(products)
	}
}
