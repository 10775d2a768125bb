package kernels

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Family is a kernel with one free parameter, the thing that a search runs over.
type Family interface {
	// At returns the kernel at a value of the parameter. Where Integer is true
	// the value is rounded.
	At(param float64) Kernel
	// Start returns where a search on the rows of x begins.
	Start(ctx context.Context, x mat.Matrix) (float64, error)
	// Bounds returns the ends of the range that a search may use; 0 < lo < hi.
	Bounds() (lo, hi float64)
	// Integer reports whether only whole numbers make a kernel.
	Integer() bool
	// String names the family. Models store it.
	String() string
}

// The range of the families' parameters.
const (
	MinParam = 1e-12
	MaxParam = 1e12
)

// RBFFamily is RBF over its γ. Start is that of MedianRBF with seed 0.
type RBFFamily struct{}

// At returns RBF{Gamma: gamma}.
func (RBFFamily) At(gamma float64) Kernel { return RBF{Gamma: gamma} }

// Start returns one over the median squared distance.
func (RBFFamily) Start(ctx context.Context, x mat.Matrix) (float64, error) {
	k, err := MedianRBF(ctx, x, 0)
	return min(max(k.Gamma, MinParam), MaxParam), err
}

// Bounds returns MinParam and MaxParam.
func (RBFFamily) Bounds() (lo, hi float64) { return MinParam, MaxParam }

// Integer returns false.
func (RBFFamily) Integer() bool { return false }

// String returns "RBF".
func (RBFFamily) String() string { return "RBF" }

// StartDegree is where a search over PolynomialFamily begins.
const StartDegree = 12

// PolynomialFamily is the normalised polynomial
//
//	k(x, z) = ((<x,z> + 1) / √((|x|²+1)(|z|²+1)))^p
//
// over its whole degree p ≥ 1. On rows of unit length (transformers.UnitRows) it
// is ((<x,z> + 1)/2)^p, the kernel of Belanche-Muñoz and Wiejacha (Entropy 25,
// 2023, 154).
type PolynomialFamily struct{}

// At returns Normalized{Polynomial{Degree: degree, Coef0: 1}}.
func (PolynomialFamily) At(degree float64) Kernel {
	lo, hi := PolynomialFamily{}.Bounds()
	return Normalized{Polynomial{Degree: int(math.Round(min(max(degree, lo), hi))), Coef0: 1}}
}

// Start returns StartDegree.
func (PolynomialFamily) Start(context.Context, mat.Matrix) (float64, error) { return StartDegree, nil }

// Bounds returns 1 and MaxParam.
func (PolynomialFamily) Bounds() (lo, hi float64) { return 1, MaxParam }

// Integer returns true.
func (PolynomialFamily) Integer() bool { return true }

// String returns "NormalizedPolynomial".
func (PolynomialFamily) String() string { return "NormalizedPolynomial" }
