package kernels

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Sum is the sum of kernels, positive semi-definite if they are.
type Sum []Kernel

// Product is the product of kernels, positive semi-definite if they are.
type Product []Kernel

// Scaled is a kernel times a factor > 0.
type Scaled struct {
	Kernel Kernel
	Factor float64 // > 0; 0 means 1
}

var (
	_ blockKernel = Sum{}
	_ Validator   = Sum{}
	_ Diagonal    = Sum{}
	_ Blocker     = Sum{}
	_ blockKernel = Product{}
	_ Validator   = Product{}
	_ Diagonal    = Product{}
	_ Blocker     = Product{}
	_ blockKernel = Scaled{}
	_ Validator   = Scaled{}
	_ Diagonal    = Scaled{}
	_ Blocker     = Scaled{}
)

func add(a, b float64) float64      { return a + b }
func multiply(a, b float64) float64 { return a * b }

// Eval returns Σ k(x, z).
func (s Sum) Eval(x, z []float64) float64 { return foldEval(s, 0, add, x, z) }

// Eval returns Π k(x, z).
func (p Product) Eval(x, z []float64) float64 { return foldEval(p, 1, multiply, x, z) }

// Eval returns Factor·k(x, z).
func (s Scaled) Eval(x, z []float64) float64 { return s.factor() * s.Kernel.Eval(x, z) }

// String returns, for example, "Sum(RBF(gamma=1), Linear)".
func (s Sum) String() string { return name("Sum", s) }

// String returns, for example, "Product(RBF(gamma=1), Linear)".
func (p Product) String() string { return name("Product", p) }

// String returns, for example, "Scaled(2, Linear)".
func (s Scaled) String() string { return fmt.Sprintf("Scaled(%v, %v)", s.factor(), s.Kernel) }

// Validate returns an error for no kernel, and that of the first that has one.
func (s Sum) Validate() error { return validateAll("kernels: Sum", s) }

// Validate returns an error for no kernel, and that of the first that has one.
func (p Product) Validate() error { return validateAll("kernels: Product", p) }

// Validate returns an ErrParam error unless Factor is finite and at least 0, or
// the kernel's.
func (s Scaled) Validate() error {
	if !(s.Factor >= 0) || math.IsInf(s.Factor, 1) {
		return fault.Param("kernels: Scaled", "Factor", s.Factor, "a finite value > 0, or 0 for 1")
	}
	return Validate(s.Kernel)
}

// Block implements Blocker.
func (s Sum) Block(dst, x, z *mat.Dense) { blockOf(s, dst, x, z) }

// Block implements Blocker.
func (p Product) Block(dst, x, z *mat.Dense) { blockOf(p, dst, x, z) }

// Block implements Blocker.
func (s Scaled) Block(dst, x, z *mat.Dense) { blockOf(s, dst, x, z) }

// Diag implements Diagonal.
func (s Sum) Diag(dst []float64, x *mat.Dense) { foldDiag(dst, s, 0, add, x) }

// Diag implements Diagonal.
func (p Product) Diag(dst []float64, x *mat.Dense) { foldDiag(dst, p, 1, multiply, x) }

// Diag implements Diagonal.
func (s Scaled) Diag(dst []float64, x *mat.Dense) {
	Diag(dst, s.Kernel, x)
	for i := range dst {
		dst[i] *= s.factor()
	}
}

func (s Sum) need() need     { return needOfAll(s) }
func (p Product) need() need { return needOfAll(p) }
func (s Scaled) need() need  { return needOf(s.Kernel) }

func (s Sum) block(dst *mat.Dense, x, z *operand)     { foldBlock(dst, s, 0, add, x, z) }
func (p Product) block(dst *mat.Dense, x, z *operand) { foldBlock(dst, p, 1, multiply, x, z) }

func (s Scaled) block(dst *mat.Dense, x, z *operand) {
	block(s.Kernel, dst, x, z)
	r, _ := dst.Dims()
	f := s.factor()
	for i := range r {
		di := dst.RawRowView(i)
		for j := range di {
			di[j] *= f
		}
	}
}

func (s Scaled) factor() float64 { return cmp.Or(s.Factor, 1) }

// The folds begin with the neutral element of op, 0 or 1: without a kernel, which
// Validate refuses, it is the value.

func foldEval(ks []Kernel, neutral float64, op func(a, b float64) float64, x, z []float64) float64 {
	checkLen(x, z)
	v := neutral
	for _, k := range ks {
		v = op(v, k.Eval(x, z))
	}
	return v
}

func foldDiag(dst []float64, ks []Kernel, neutral float64, op func(a, b float64) float64, x *mat.Dense) {
	next := make([]float64, len(dst))
	for i := range dst {
		dst[i] = neutral
	}
	for _, k := range ks {
		Diag(next, k, x)
		for i, v := range next {
			dst[i] = op(dst[i], v)
		}
	}
}

func foldBlock(dst *mat.Dense, ks []Kernel, neutral float64, op func(a, b float64) float64, x, z *operand) {
	r, c := dst.Dims()
	next := mat.NewDense(r, c, nil)
	for i := range r {
		for j, di := 0, dst.RawRowView(i); j < c; j++ {
			di[j] = neutral
		}
	}
	for _, k := range ks {
		block(k, next, x, z)
		for i := range r {
			di, ni := dst.RawRowView(i), next.RawRowView(i)
			for j, v := range ni {
				di[j] = op(di[j], v)
			}
		}
	}
}

func needOfAll(ks []Kernel) (n need) {
	for _, k := range ks {
		n |= needOf(k)
	}
	return n
}

func name(typ string, ks []Kernel) string {
	parts := make([]string, len(ks))
	for i, k := range ks {
		parts[i] = fmt.Sprint(k)
	}
	return typ + "(" + strings.Join(parts, ", ") + ")"
}

func validateAll(typ string, ks []Kernel) error {
	if len(ks) == 0 {
		return fault.Param(typ, "kernels", 0, "at least 1")
	}
	for i, k := range ks {
		if err := Validate(k); err != nil {
			return fmt.Errorf("%s: kernel %d: %w", typ, i, err)
		}
	}
	return nil
}
