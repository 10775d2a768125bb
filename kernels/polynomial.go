package kernels

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// DefaultDegree is the degree of a Polynomial whose Degree is 0.
const DefaultDegree = 3

// Polynomial is
//
//	k(x, z) = (γ <x,z> + c)^p
//
// positive semi-definite for a whole degree p ≥ 1, γ > 0 and c ≥ 0 (a fractional
// degree is not, whence the int). Its values grow like |x|^2p: wrap it in
// Normalized, which does not overflow, unless the degree is small and the rows
// are scaled.
type Polynomial struct {
	Degree int     // p ≥ 1; 0 means DefaultDegree
	Gamma  float64 // γ > 0; 0 means DefaultGamma
	Coef0  float64 // c ≥ 0; 0 is the homogeneous polynomial
}

var _ interface {
	blockKernel
	Blocker
	Diagonal
	Validator
} = Polynomial{}

func (k Polynomial) gamma() float64 { return cmp.Or(k.Gamma, DefaultGamma) }

func (k Polynomial) degree() int {
	if k.Degree == 0 {
		return DefaultDegree
	}
	return k.Degree
}

// Eval returns (γ<x,z> + c)^p. Cost O(d + log p).
func (k Polynomial) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return powi(k.gamma()*vecmath.Dot(x, z)+k.Coef0, k.degree())
}

// String returns, for example, "Polynomial(degree=3, gamma=1, coef0=1)".
func (k Polynomial) String() string {
	return fmt.Sprintf("Polynomial(degree=%d, gamma=%v, coef0=%v)", k.degree(), k.gamma(), k.Coef0)
}

// Validate returns an ErrParam error unless all parameters are in their ranges.
func (k Polynomial) Validate() error {
	const typ = "kernels: Polynomial"
	switch {
	case k.Degree < 0:
		return fault.Param(typ, "Degree", k.Degree, ">= 1, or 0 for the default")
	case !(k.Gamma >= 0) || math.IsInf(k.Gamma, 1):
		return fault.Param(typ, "Gamma", k.Gamma, "a finite value > 0, or 0 for the default")
	case !(k.Coef0 >= 0) || math.IsInf(k.Coef0, 1):
		return fault.Param(typ, "Coef0", k.Coef0, "a finite value >= 0")
	}
	return nil
}

// Block implements Blocker.
func (k Polynomial) Block(dst, x, z *mat.Dense) { blockOf(k, dst, x, z) }

// Diag implements Diagonal.
func (k Polynomial) Diag(dst []float64, x *mat.Dense) {
	for i, s := range squaredNorms(x) {
		dst[i] = powi(k.gamma()*s+k.Coef0, k.degree())
	}
}

func (k Polynomial) need() need { return needDots }

func (k Polynomial) block(dst *mat.Dense, x, z *operand) {
	products := dots(dst, x, z)
	g, c, p := k.gamma(), k.Coef0, k.degree()
	for i := range x.sq {
		di := dst.RawRowView(i)
		for j, v := range products.RawRowView(i) {
			di[j] = powi(g*v+c, p)
		}
	}
}

// powi returns v^p by repeated squaring: the same on every platform, and about
// five times as fast as math.Pow for the degrees in use.
func powi(v float64, p int) float64 {
	r := 1.0
	for ; p > 0; p >>= 1 {
		if p&1 != 0 {
			r *= v
		}
		v *= v
	}
	return r
}
