// Package families contains the families of kernels that a search can use. A family is a kernel with one free parameter ([Family])
// or with two ([Family2]).
//
//	RBF, Laplacian, Matern, RationalQuadratic
//	                       with γ or the reciprocal of a length
//	Periodic, ELM          with the reciprocal of the relative length; with s
//	Polynomial             normalised, with its degree
//	ShiftedPolynomial, Sum, Product
//	                       with two parameters
//	Fixed                  a family with two parameters, one of which is fixed
//
// Package kerneltest contains the checks that a new family should pass.
package families

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// Family is a kernel with one free parameter. A search chooses among its kernels.
type Family interface {
	// Kernel returns the kernel for a value of the parameter. If Integer is true, it rounds the value.
	Kernel(param float64) kernels.Kernel
	// Start returns the value at which a search on the rows of x begins.
	Start(ctx context.Context, x mat.Matrix) (float64, error)
	// Bounds returns the range of the search, with 0 < lo < hi.
	Bounds() (lo, hi float64)
	// Integer reports whether the parameter is an integer.
	Integer() bool
	// String returns the name of the family, which models store.
	String() string
}

// The range of the families' parameters.
const (
	minParam = 1e-12
	maxParam = 1e12
)

// positiveReals provides the bounds of most families.
type positiveReals struct{}

// Bounds returns 1e-12 and 1e12.
func (positiveReals) Bounds() (lo, hi float64) { return minParam, maxParam }

// Integer returns false.
func (positiveReals) Integer() bool { return false }

// rates provides the initial value for families whose parameter is the reciprocal of a length.
type rates struct{ positiveReals }

// Start returns the reciprocal of the square root of the median squared distance.
func (rates) Start(ctx context.Context, x mat.Matrix) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	k, err := kernels.MedianRBF(ctx, x, 0)
	return min(max(math.Sqrt(k.Gamma), minParam), maxParam), err
}

// unitless provides the initial value for families whose parameter has no unit.
type unitless struct{ positiveReals }

// Start returns 1.
func (unitless) Start(context.Context, mat.Matrix) (_ float64, err error) {
	defer fault.Recover(&err)
	return 1, nil
}

// RBF is the family of [kernels.RBF] kernels with the parameter γ. Start returns the γ of [kernels.MedianRBF] with seed 0.
type RBF struct{ positiveReals }

// Kernel returns RBF{Gamma: gamma}.
func (RBF) Kernel(gamma float64) kernels.Kernel { return kernels.RBF{Gamma: gamma} }

// Start returns the reciprocal of the median squared distance.
func (RBF) Start(ctx context.Context, x mat.Matrix) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	k, err := kernels.MedianRBF(ctx, x, 0)
	return min(max(k.Gamma, minParam), maxParam), err
}

// String returns "RBF".
func (RBF) String() string { return "RBF" }

// startDegree is the degree at which a search over Polynomial starts.
const startDegree = 12

// Polynomial is the family of normalised polynomials
//
//	k(x, z) = ((<x,z> + 1) / √((|x|²+1)(|z|²+1)))^p
//
// with integer degrees p ≥ 1. For rows of unit length (scalers.UnitRows) this is ((<x,z> + 1)/2)^p, the kernel of Belanche-Muñoz
// and Wiejacha (Entropy 25, 2023, 154).
type Polynomial struct{}

// Kernel returns Normalized{Polynomial{Degree: degree, Coef0: 1}}.
func (Polynomial) Kernel(degree float64) kernels.Kernel {
	return ShiftedPolynomial{}.Kernel(degree, 1)
}

// Start returns 12.
func (Polynomial) Start(context.Context, mat.Matrix) (_ float64, err error) {
	defer fault.Recover(&err)
	return startDegree, nil
}

// Bounds returns 1 and 1e12, or the largest int if that is smaller.
func (Polynomial) Bounds() (lo, hi float64) { return 1, min(maxParam, math.MaxInt) }

// Integer returns true.
func (Polynomial) Integer() bool { return true }

// String returns "NormalizedPolynomial".
func (Polynomial) String() string { return "NormalizedPolynomial" }

// Laplacian is the family of [kernels.Laplacian] with the parameter γ.
type Laplacian struct{ rates }

// Kernel returns Laplacian{Gamma: gamma}.
func (Laplacian) Kernel(gamma float64) kernels.Kernel { return kernels.Laplacian{Gamma: gamma} }

// String returns "Laplacian".
func (Laplacian) String() string { return "Laplacian" }

// Matern is the family of [kernels.Matern] kernels with a fixed ν and the parameter 1/ℓ, so that its entropy increases with the
// parameter, as in the other families.
type Matern struct {
	rates

	// Nu is 0.5, 1.5 or 2.5. If it is 0, 1.5 is used.
	Nu float64
}

// Kernel returns Matern{Nu: f.Nu, Length: 1 / rate}.
func (f Matern) Kernel(rate float64) kernels.Kernel {
	return kernels.Matern{Nu: f.Nu, Length: 1 / rate}
}

// String returns, for example, "Matern(nu=1.5)".
func (f Matern) String() string {
	return fmt.Sprintf("Matern(nu=%v)", cmp.Or(f.Nu, 1.5))
}

// RationalQuadratic is the family of [kernels.RationalQuadratic] kernels with a fixed α and the parameter 1/ℓ, so that its entropy
// increases with the parameter.
type RationalQuadratic struct {
	rates

	// Alpha is α > 0. If it is 0, 1 is used.
	Alpha float64
}

// Kernel returns [kernels.RationalQuadratic]{Alpha: f.Alpha, Length: 1 / rate}.
func (f RationalQuadratic) Kernel(rate float64) kernels.Kernel {
	return kernels.RationalQuadratic{Alpha: f.Alpha, Length: 1 / rate}
}

// String returns, for example, "RationalQuadratic(alpha=1)".
func (f RationalQuadratic) String() string {
	return fmt.Sprintf("RationalQuadratic(alpha=%v)", cmp.Or(f.Alpha, 1))
}

// Periodic is the family of [kernels.Periodic] kernels with the parameter 1/l and one known period for all columns, such as a year.
// Its entropy increases with the parameter. It would not increase with the period.
type Periodic struct {
	unitless

	// Period is p > 0, in the units of the features. If it is 0, 1 is used.
	Period float64
}

func (f Periodic) period() float64 { return cmp.Or(f.Period, 1) }

// Kernel returns Periodic{Periods: []float64{f.Period}, Lengths: []float64{1 / rate}}.
func (f Periodic) Kernel(rate float64) kernels.Kernel {
	return kernels.Periodic{Periods: []float64{f.period()}, Lengths: []float64{1 / rate}}
}

// String returns, for example, "Periodic(period=1)".
func (f Periodic) String() string { return fmt.Sprintf("Periodic(period=%v)", f.period()) }

// ELM is the family of [kernels.ELM] with the parameter s. Its entropy has an upper limit, which is below most targets. A search
// for a higher target ends with a status that reports this limit.
type ELM struct{ unitless }

// Kernel returns ELM{Sigma: sigma}.
func (ELM) Kernel(sigma float64) kernels.Kernel { return kernels.ELM{Sigma: sigma} }

// String returns "ELM".
func (ELM) String() string { return "ELM" }
