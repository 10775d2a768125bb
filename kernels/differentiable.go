package kernels

import (
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// ParamKind classifies a [Param] by its role and its unit.
type ParamKind int

// The kinds of parameters.
const (
	// KindShape has no unit. Examples are the α of a [RationalQuadratic], and the lengths of a [Periodic], which are relative to
	// its periods.
	KindShape ParamKind = iota
	// KindLength is in the units of the columns: the kernel depends on their values divided by it.
	KindLength
	// KindRate is in the reciprocal of the units of the columns or of their squares. γ is an example.
	KindRate
	// KindPeriod is in the units of the columns.
	KindPeriod
	// KindVariance is a factor of the kernel or of a part of it.
	KindVariance
)

// String returns "shape", "length", "rate", "period" or "variance".
func (k ParamKind) String() string {
	return enum.Name("ParamKind", int(k), "shape", "length", "rate", "period", "variance")
}

// Param is a positive parameter of a kernel.
type Param struct {
	// Name is the name of the parameter's field, such as "gamma" or "length[3]". In a [Sum] or [Product] it begins with the
	// position of the kernel, such as "0.gamma".
	Name string
	Kind ParamKind

	// Columns are the columns to which the length, period or variance applies, in ascending order. If it is nil, it applies to all
	// columns.
	Columns []int

	// Value is the value of the parameter, which is positive.
	Value float64
}

// Differentiable is the capability of a kernel whose parameters are positive numbers that can be learnt from the derivatives of an
// objective with respect to their logarithms. [Derivatives] computes them for a matrix. In a [Sum] or a [Product], only the
// parameters of kernels that have this capability are learnt. All others stay unchanged.
//
// The derivatives of RBF, Laplacian, Matern, RationalQuadratic, Linear, Periodic, ARD, Columns, Additive, Sum, Product and Scaled
// are computed for blocks of pairs. Those of any other kernel are computed pair by pair, with EvalGradient. If a kernel of the
// distance or of the inner product implements [RadialSlopes] or [DotProductSlopes], the derivatives for the lengths of an ARD
// around it are as fast as for the kernels above.
type Differentiable interface {
	Kernel
	// Params returns the parameters in a fixed order. The caller owns the slice.
	Params() []Param
	// WithParams returns the kernel of the same type with other values of Params. With the values that Params returns, its String
	// is the same. A value that is not positive yields a kernel that Validate rejects. WithParams panics unless there is a value
	// for each of Params, and does not keep the slice.
	WithParams(values []float64) Kernel
	// EvalGradient sets dst[p] = ∂k(x, z)/∂ ln θ, where θ is the p-th of Params. dst has an entry for each parameter. Where k has
	// no derivative, as with some kernels for equal rows, it uses the mean of the derivatives from both sides.
	EvalGradient(dst, x, z []float64)
}

// RadialSlopes is the capability of a [Radial] kernel to return derivatives with respect to the distance. With it, the lengths of
// an ARD or an Additive of the kernel can be learnt.
type RadialSlopes interface {
	Radial
	// SlopesOfSquaredDistances sets dst[i] = -2 ∂k/∂s at the squared distance s = squared[i], which is -k'(r)/r at the distance r.
	// If that is infinite at a squared distance of 0, it sets dst[i] to 0. The slices have the same length and may be the same.
	SlopesOfSquaredDistances(dst, squared []float64)
}

// DotProductSlopes is the corresponding capability of a [DotProduct] kernel.
type DotProductSlopes interface {
	DotProduct
	// SlopesOfDotProducts sets dst[i] = ∂k/∂v at the inner product v = products[i]. The slices have the same length and may be the
	// same.
	SlopesOfDotProducts(dst, products []float64)
}

// AsDifferentiable returns k as a [Differentiable] that has a derivative with respect to each of its parameters. It returns an
// ErrParam error if Validate does, if k is not differentiable, or if the kernel of an ARD or Additive in it has no slopes.
func AsDifferentiable(k Kernel) (Differentiable, error) {
	if err := Validate(k); err != nil {
		return nil, err
	}
	d, ok := embedding.As[Differentiable](k)
	if !ok {
		return nil, fault.Param("kernels: AsDifferentiable", "Kernel", k, "a kernel with its own methods of Differentiable")
	}
	return d, compileDerivatives(k).Err()
}

// LogParams returns the logarithms of the parameters of k.
func LogParams(k Differentiable) []float64 {
	params := k.Params()
	out := make([]float64, len(params))
	for i, p := range params {
		out[i] = math.Log(p.Value)
	}
	return out
}

// WithLogParams returns k.WithParams of the exponentials of theta. A logarithm that is NaN, or beyond about ±700, yields a kernel
// that Validate rejects.
func WithLogParams(k Differentiable, theta []float64) Kernel {
	values := make([]float64, len(theta))
	for i, t := range theta {
		values[i] = math.Exp(t)
	}
	return k.WithParams(values)
}

// checkParams panics unless got equals want, the number of parameters.
func checkParams(k Kernel, got, want int) {
	if got != want {
		panic(fmt.Sprintf("kernels: WithParams: %d values for %v, which has %d parameters", got, k, want))
	}
}

// param returns the value of a field for the parameter v. For 0, which would select the default, it returns NaN.
func param(v float64) float64 {
	if !(v > 0) {
		return math.NaN()
	}
	return v
}

// paramsOf returns the parameters of k, or none if it is not Differentiable.
func paramsOf(k Kernel) []Param {
	if d, ok := embedding.As[Differentiable](k); ok {
		return d.Params()
	}
	return nil
}

// withParamsOf returns k with other values of paramsOf(k).
func withParamsOf(k Kernel, values []float64) Kernel {
	if d, ok := embedding.As[Differentiable](k); ok {
		return d.WithParams(values)
	}
	return k
}

// evalGradient implements EvalGradient for the kernels of this package.
func evalGradient(k Kernel, dst, x, z []float64) {
	checkLen(x, z)
	compileDerivatives(k).Gradient(dst, x, z)
}
