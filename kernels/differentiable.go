package kernels

import (
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// ParamKind is the kind of unit of a [Param].
type ParamKind int

// The kinds of parameters.
const (
	// KindShape has no unit: the α of a [RationalQuadratic], the lengths of a Periodic, which are relative to its
	// periods.
	KindShape ParamKind = iota
	// KindLength is in the unit of the columns: the kernel depends on their values divided by it.
	KindLength
	// KindRate is in one over the unit of the columns, or over its square, such as γ.
	KindRate
	// KindPeriod is in the unit of the columns.
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
	// Name is the name of the parameter's field, such as "gamma" or "length[3]". In a [Sum] or [Product] it begins
	// with the position of the kernel, such as "0.gamma".
	Name string
	Kind ParamKind

	// Columns are the columns whose length, period or variance it is, in ascending order. If it is nil, it belongs to
	// all columns.
	Columns []int

	// Value is the value, > 0.
	Value float64
}

// Differentiable is the capability of a kernel whose parameters are positive numbers that can be learnt from the
// derivatives of an objective in their logarithms. [Derivatives] computes those of a whole matrix. A [Sum] or a
// [Product] of kernels learns the parameters of the kernels in it that have this capability; a kernel without it
// stays as it is.
//
// The derivatives of RBF, Laplacian, Matern, RationalQuadratic, Linear, Periodic, ARD, Columns, Additive, Sum,
// Product and Scaled are computed for blocks of pairs. Those of any other kernel are computed pair by pair, by
// EvalGradient. If a kernel of the distance or of the inner product is a [RadialSlopes] or a [DotProductSlopes], the
// lengths of an ARD around it are as fast as those of the kernels above.
type Differentiable interface {
	Kernel
	// Params returns the parameters in an order that does not change; the caller owns it.
	Params() []Param
	// WithParams returns the kernel of the same type with other values of Params: that of
	// the values that Params gives has the same String. A value that is not positive makes a
	// kernel that Validate refuses. It panics unless there are as many values as Params, and
	// does not keep them.
	WithParams(values []float64) Kernel
	// EvalGradient sets dst[p] = ∂k(x, z)/∂ ln θ, where θ is the p-th of Params. dst has an
	// entry for each. Where k has no derivative, as some have none of equal rows, it is the
	// mean of the derivatives from both sides.
	EvalGradient(dst, x, z []float64)
}

// RadialSlopes is the capability of a Radial kernel to have its lengths learnt by an ARD or an
// Additive around it.
type RadialSlopes interface {
	Radial
	// SlopesOfSquaredDistances sets dst[i] = -2 ∂k/∂s at the squared distance s = squared[i], which is -k'(r)/r at the
	// distance r. If that is infinite at a squared distance of 0, it sets 0 there. dst is as long as squared, and may
	// be squared itself.
	SlopesOfSquaredDistances(dst, squared []float64)
}

// DotProductSlopes is the same capability for a [DotProduct] kernel.
type DotProductSlopes interface {
	DotProduct
	// SlopesOfDotProducts sets dst[i] = ∂k/∂v at the inner product v = products[i]. dst is
	// as long as products, and may be products itself.
	SlopesOfDotProducts(dst, products []float64)
}

// AsDifferentiable returns k as a [Differentiable] that has a derivative in each of its parameters. The error,
// ErrParam, is that of Validate, or says that k is not differentiable, or which ARD or Additive in it holds a
// kernel that has no slopes.
func AsDifferentiable(k Kernel) (Differentiable, error) {
	if err := Validate(k); err != nil {
		return nil, err
	}
	d, ok := embedding.As[Differentiable](k)
	if !ok {
		return nil, fault.Param("kernels: AsDifferentiable", "Kernel", k, "a kernel that is Differentiable by methods of its own")
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

// WithLogParams returns k with parameters of other logarithms: k.WithParams of their
// exponentials. One that is NaN, or beyond about ±700, makes a kernel that Validate refuses.
func WithLogParams(k Differentiable, theta []float64) Kernel {
	values := make([]float64, len(theta))
	for i, t := range theta {
		values[i] = math.Exp(t)
	}
	return k.WithParams(values)
}

// checkParams panics unless there are want values.
func checkParams(k Kernel, got, want int) {
	if got != want {
		panic(fmt.Sprintf("kernels: WithParams: %d values for %v, which has %d parameters", got, k, want))
	}
}

// param returns the value of a field that is v: of 0, which would mean the default there, NaN.
func param(v float64) float64 {
	if !(v > 0) {
		return math.NaN()
	}
	return v
}

// paramsOf returns those of k, none if it is not Differentiable.
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

// evalGradient is the EvalGradient of the kernels of this package.
func evalGradient(k Kernel, dst, x, z []float64) {
	checkLen(x, z)
	compileDerivatives(k).Gradient(dst, x, z)
}
