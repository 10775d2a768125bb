package kernels

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Normalized makes a unit diagonal of any kernel:
//
//	k̂(x, z) = k(x, z) / √(k(x,x) k(z,z))
//
// This is the cosine of the angle between the rows in feature space. A row with k(x,x) = 0 has no direction: k̂ is 0
// between it and every row, also itself. Around a [Polynomial] the degree is applied after the division, so that
// nothing overflows at any degree. On rows of unit length it is then ((γ<x,z> + c)/(γ + c))^p.
//
// See also [Scaled].
type Normalized struct{ Kernel Kernel }

var _ interface {
	Kernel
	compiler
	Validator
} = Normalized{}

// split returns the kernel to normalise and the power to raise the result to:
// (k^p)/√(k^p k^p) is (k/√(k k))^p.
func (k Normalized) split() (Kernel, int) {
	if p, ok := k.Kernel.(Polynomial); ok {
		return Polynomial{Degree: 1, Gamma: p.Gamma, Coef0: p.Coef0}, p.degree()
	}
	return k.Kernel, 1
}

// Eval returns k(x,z)/√(k(x,x)k(z,z)), three evaluations of the kernel inside.
func (k Normalized) Eval(x, z []float64) float64 {
	inner, p := k.split()
	return powi(inner.Eval(x, z)*inverseRoot(inner.Eval(x, x))*inverseRoot(inner.Eval(z, z)), p)
}

// String returns, for example, "Normalized(Linear)".
func (k Normalized) String() string { return fmt.Sprintf("Normalized(%v)", k.Kernel) }

// Validate returns the error of the kernel inside.
func (k Normalized) Validate() error { return Validate(k.Kernel) }

// ValidateColumns returns the error of the kernel inside.
func (k Normalized) ValidateColumns(d int) error { return ValidateColumns(k.Kernel, d) }

func (k Normalized) compile(l *layout) blockKernel {
	inner, p := k.split()
	return normalized{l.compile(inner), p}
}

// normalized is a part divided by the roots of its diagonal, raised to a power.
type normalized struct {
	inner blockKernel
	power int
}

// diag gives exactly 1, 0 where k(x,x) is 0, NaN where it overflows.
func (k normalized) diag(dst []float64, x *mat.Dense) {
	k.inner.diag(dst, x)
	unit(dst)
}

// unit takes what a kernel has on its diagonal to that of the normalised one.
func unit(dst []float64) {
	for i, v := range dst {
		switch {
		case v-v != 0: // overflow: no direction can be told, and Matrix says so
			dst[i] = math.NaN()
		case v > 0:
			dst[i] = 1
		default:
			dst[i] = 0
		}
	}
}

func (k normalized) block(dst *mat.Dense, x, z *operand) {
	k.inner.block(dst, x, z)
	r, c := dst.Dims()
	dx, dz := make([]float64, r), make([]float64, c)
	diagOf(k.inner, dx, x)
	diagOf(k.inner, dz, z)
	for j, v := range dz {
		dz[j] = inverseRoot(v)
	}
	for i, v := range dx {
		s, di := inverseRoot(v), dst.RawRowView(i)
		if k.power == 1 {
			for j, w := range dz {
				di[j] *= s * w
			}
			continue
		}
		for j, w := range dz {
			di[j] = powi(di[j]*s*w, k.power)
		}
	}
}

// inverseRoot returns 1/√v, and 0 for a row without direction.
func inverseRoot(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return 1 / math.Sqrt(v)
}
