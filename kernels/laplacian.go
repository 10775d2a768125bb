package kernels

import (
	"cmp"
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// Laplacian is the exponential kernel of the Manhattan distance
//
//	k(x, z) = exp(-γ Σ |x[j]-z[j]|)
//
// It is positive definite for γ > 0. It is the product of exponential kernels of the columns. Its functions are rougher than those
// of the [RBF], and outliers in single columns affect it less. The unit of γ is the reciprocal of the unit of the features, so
// scale the features first.
//
// See also [Matern], [RBF].
type Laplacian struct {
	// Gamma is > 0. If it is 0, 1 is used.
	Gamma float64
}

var _ interface {
	Differentiable
	compiler
	Validator
} = Laplacian{}

func (k Laplacian) gamma() float64 { return cmp.Or(k.Gamma, defaultGamma) }

// Eval returns exp(-γ|x-z|₁). The cost is O(d).
func (k Laplacian) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return math.Exp(-k.gamma() * manhattan(x, z))
}

// String returns, for example, "Laplacian(gamma=0.5)".
func (k Laplacian) String() string { return fmt.Sprintf("Laplacian(gamma=%v)", k.gamma()) }

// Validate returns an ErrParam error unless Gamma is finite and at least 0.
func (k Laplacian) Validate() error {
	return positive("Laplacian", "Gamma", k.Gamma)
}

// Params returns γ.
func (k Laplacian) Params() []Param {
	return []Param{{Name: "gamma", Kind: KindRate, Value: k.gamma()}}
}

// WithParams returns the Laplacian with another γ.
func (k Laplacian) WithParams(values []float64) Kernel {
	checkParams(k, len(values), 1)
	return Laplacian{Gamma: param(values[0])}
}

// EvalGradient implements Differentiable: ∂k/∂ ln γ = -γ|x-z|₁ k.
func (k Laplacian) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

func (k Laplacian) compile(l *blocks.Layout) blocks.Part { return l.Exponential(k.gamma()) }

func manhattan(x, z []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += math.Abs(v - z[i])
	}
	return s
}
