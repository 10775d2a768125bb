package kernels

import (
	"fmt"

	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// Normalized scales any kernel so that its diagonal is 1:
//
//	k̂(x, z) = k(x, z) / √(k(x,x) k(z,z))
//
// This is the cosine of the angle between the rows in feature space. A row with k(x,x) = 0 has no direction: k̂ of it and any row,
// including itself, is 0. For a [Polynomial] the power is computed after the division, so that nothing overflows for any degree.
// For rows of unit length it is then ((γ<x,z> + c)/(γ + c))^p.
//
// See also [Scaled].
type Normalized struct{ Kernel Kernel }

var _ interface {
	Kernel
	compiler
	Validator
} = Normalized{}

// split returns the kernel to normalise and the power of the result, because (k^p)/√(k^p k^p) is (k/√(k k))^p.
func (k Normalized) split() (Kernel, int) {
	if p, ok := k.Kernel.(Polynomial); ok {
		return Polynomial{Degree: 1, Gamma: p.Gamma, Coef0: p.Coef0}, p.degree()
	}
	return k.Kernel, 1
}

// Eval returns k(x,z)/√(k(x,x)k(z,z)), with three evaluations of the inner kernel.
func (k Normalized) Eval(x, z []float64) float64 {
	inner, p := k.split()
	return vecmath.Power(inner.Eval(x, z)*blocks.InverseRoot(inner.Eval(x, x))*blocks.InverseRoot(inner.Eval(z, z)), p)
}

// String returns, for example, "Normalized(Linear)".
func (k Normalized) String() string { return fmt.Sprintf("Normalized(%v)", k.Kernel) }

// Validate returns the error of the inner kernel.
func (k Normalized) Validate() error { return Validate(k.Kernel) }

// ValidateColumns returns the error of the inner kernel.
func (k Normalized) ValidateColumns(d int) error { return ValidateColumns(k.Kernel, d) }

func (k Normalized) compile(l *blocks.Layout) blocks.Part {
	inner, power := k.split()
	return blocks.Normalized(part(inner)(l), power)
}
