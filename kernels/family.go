package kernels

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Family is a kernel with one free parameter. A search runs over its kernels.
type Family interface {
	// At returns the kernel at a value of the parameter. Where Integer is true
	// the value is rounded.
	Kernel(param float64) Kernel
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
	minParam = 1e-12
	maxParam = 1e12
)

// positiveReals are the parameters of most families.
type positiveReals struct{}

// Bounds returns 1e-12 and 1e12.
func (positiveReals) Bounds() (lo, hi float64) { return minParam, maxParam }

// Integer returns false.
func (positiveReals) Integer() bool { return false }

// RBFFamily is the family of [RBF] kernels with the parameter γ. Start is that of [MedianRBF] with seed 0.
type RBFFamily struct{ positiveReals }

// Kernel returns RBF{Gamma: gamma}.
func (RBFFamily) Kernel(gamma float64) Kernel { return RBF{Gamma: gamma} }

// Start returns one over the median squared distance.
func (RBFFamily) Start(ctx context.Context, x mat.Matrix) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	k, err := MedianRBF(ctx, x, 0)
	return min(max(k.Gamma, minParam), maxParam), err
}

// String returns "RBF".
func (RBFFamily) String() string { return "RBF" }

// startDegree is where a search over PolynomialFamily begins.
const startDegree = 12

// PolynomialFamily is the normalised polynomial
//
//	k(x, z) = ((<x,z> + 1) / √((|x|²+1)(|z|²+1)))^p
//
// over its whole degree p ≥ 1. On rows of unit length (scalers.UnitRows) it
// is ((<x,z> + 1)/2)^p, the kernel of Belanche-Muñoz and Wiejacha (Entropy 25,
// 2023, 154).
type PolynomialFamily struct{}

// Kernel returns Normalized{Polynomial{Degree: degree, Coef0: 1}}.
func (PolynomialFamily) Kernel(degree float64) Kernel {
	return ShiftedPolynomialFamily{}.Kernel(degree, 1)
}

// Start returns 12.
func (PolynomialFamily) Start(context.Context, mat.Matrix) (_ float64, err error) {
	defer fault.Recover(&err)
	return startDegree, nil
}

// Bounds returns 1 and 1e12, or the largest int where that is less.
func (PolynomialFamily) Bounds() (lo, hi float64) { return 1, min(maxParam, math.MaxInt) }

// Integer returns true.
func (PolynomialFamily) Integer() bool { return true }

// String returns "NormalizedPolynomial".
func (PolynomialFamily) String() string { return "NormalizedPolynomial" }

// LaplacianFamily is Laplacian over its γ. Start is one over the root of the
// median squared distance.
type LaplacianFamily struct{ positiveReals }

// Kernel returns Laplacian{Gamma: gamma}.
func (LaplacianFamily) Kernel(gamma float64) Kernel { return Laplacian{Gamma: gamma} }

// Start returns the inverse of a typical distance.
func (LaplacianFamily) Start(ctx context.Context, x mat.Matrix) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	return inverseDistance(ctx, x)
}

// String returns "Laplacian".
func (LaplacianFamily) String() string { return "Laplacian" }

// MaternFamily is Matern over 1/ℓ, so that its entropy rises with the parameter
// as that of the other families does.
type MaternFamily struct {
	positiveReals

	// Nu is 0.5, 1.5 or 2.5. If it is 0, it is 1.5.
	Nu float64
}

// Kernel returns Matern{Nu: f.Nu, Length: 1 / rate}.
func (f MaternFamily) Kernel(rate float64) Kernel { return Matern{Nu: f.Nu, Length: 1 / rate} }

// Start returns the inverse of a typical distance.
func (MaternFamily) Start(ctx context.Context, x mat.Matrix) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	return inverseDistance(ctx, x)
}

// String returns, for example, "Matern(nu=1.5)".
func (f MaternFamily) String() string {
	return fmt.Sprintf("Matern(nu=%v)", Matern{Nu: f.Nu}.withDefaults().Nu)
}

// RationalQuadraticFamily is [RationalQuadratic] of one α over 1/ℓ, so that its entropy rises with the parameter.
type RationalQuadraticFamily struct {
	positiveReals

	// Alpha is α > 0. If it is 0, it is 1.
	Alpha float64
}

// Kernel returns [RationalQuadratic]{Alpha: f.Alpha, Length: 1 / rate}.
func (f RationalQuadraticFamily) Kernel(rate float64) Kernel {
	return RationalQuadratic{Alpha: f.Alpha, Length: 1 / rate}
}

// Start returns the inverse of a typical distance.
func (RationalQuadraticFamily) Start(ctx context.Context, x mat.Matrix) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	return inverseDistance(ctx, x)
}

// String returns, for example, "RationalQuadratic(alpha=1)".
func (f RationalQuadraticFamily) String() string {
	return fmt.Sprintf("RationalQuadratic(alpha=%v)", RationalQuadratic{Alpha: f.Alpha}.withDefaults().Alpha)
}

// startPeriodicRate is where a search over PeriodicFamily begins.
const startPeriodicRate = 1.0

// PeriodicFamily is Periodic of one period for all columns, which is known as the length of a
// year is, over 1/l, so that its entropy rises with the parameter. (It does not with the period.)
type PeriodicFamily struct {
	positiveReals

	// Period is p > 0, in the units of the features. If it is 0, it is 1.
	Period float64
}

func (f PeriodicFamily) period() float64 { return cmp.Or(f.Period, 1) }

// Kernel returns Periodic{Periods: []float64{f.Period}, Lengths: []float64{1 / rate}}.
func (f PeriodicFamily) Kernel(rate float64) Kernel {
	return Periodic{Periods: []float64{f.period()}, Lengths: []float64{1 / rate}}
}

// Start returns 1: the length has no unit.
func (PeriodicFamily) Start(context.Context, mat.Matrix) (_ float64, err error) {
	defer fault.Recover(&err)
	return startPeriodicRate, nil
}

// String returns, for example, "Periodic(period=1)".
func (f PeriodicFamily) String() string { return fmt.Sprintf("Periodic(period=%v)", f.period()) }

// startSigma is where a search over ELMFamily begins.
const startSigma = 1.0

// ELMFamily is ELM over its s. Its entropy has a ceiling that most targets lie
// above; a search then ends with the status of a ceiling.
type ELMFamily struct{ positiveReals }

// Kernel returns ELM{Sigma: sigma}.
func (ELMFamily) Kernel(sigma float64) Kernel { return ELM{Sigma: sigma} }

// Start returns 1.
func (ELMFamily) Start(context.Context, mat.Matrix) (_ float64, err error) {
	defer fault.Recover(&err)
	return startSigma, nil
}

// String returns "ELM".
func (ELMFamily) String() string { return "ELM" }

// inverseDistance returns one over the root of the median squared distance.
func inverseDistance(ctx context.Context, x mat.Matrix) (float64, error) {
	k, err := MedianRBF(ctx, x, 0)
	return min(max(math.Sqrt(k.Gamma), minParam), maxParam), err
}
