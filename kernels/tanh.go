package kernels

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Tanh is the sigmoid kernel
//
//	k(x, z) = tanh(γ <x,z> + c)
//
// It is not positive semi-definite: an estimator may refuse its matrix with
// ErrNotPSD unless the ridge is large. It is here because papers compare with it.
type Tanh struct {
	Gamma float64 // γ > 0; 0 means DefaultGamma
	Coef0 float64 // c
}

var _ interface {
	blockKernel
	Blocker
	Diagonal
	Validator
} = Tanh{}

func (k Tanh) gamma() float64 { return cmp.Or(k.Gamma, DefaultGamma) }

// Eval returns tanh(γ<x,z> + c). Cost O(d).
func (k Tanh) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return math.Tanh(k.gamma()*vecmath.Dot(x, z) + k.Coef0)
}

// String returns, for example, "Tanh(gamma=0.5, coef0=0)".
func (k Tanh) String() string { return fmt.Sprintf("Tanh(gamma=%v, coef0=%v)", k.gamma(), k.Coef0) }

// Validate returns an ErrParam error unless Gamma is at least 0 and both are
// finite.
func (k Tanh) Validate() error {
	switch {
	case !(k.Gamma >= 0) || math.IsInf(k.Gamma, 1):
		return fault.Param("kernels: Tanh", "Gamma", k.Gamma, "a finite value > 0, or 0 for the default")
	case k.Coef0-k.Coef0 != 0:
		return fault.Param("kernels: Tanh", "Coef0", k.Coef0, "a finite value")
	}
	return nil
}

// Block implements Blocker.
func (k Tanh) Block(dst, x, z *mat.Dense) { blockOf(k, dst, x, z) }

// Diag implements Diagonal.
func (k Tanh) Diag(dst []float64, x *mat.Dense) {
	for i, s := range squaredNorms(x) {
		dst[i] = math.Tanh(k.gamma()*s + k.Coef0)
	}
}

func (k Tanh) need() need { return needDots }

func (k Tanh) block(dst *mat.Dense, x, z *operand) {
	products := dots(dst, x, z)
	g, c := k.gamma(), k.Coef0
	for i := range x.sq {
		di := dst.RawRowView(i)
		for j, v := range products.RawRowView(i) {
			di[j] = math.Tanh(g*v + c)
		}
	}
}
