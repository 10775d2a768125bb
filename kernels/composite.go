package kernels

import (
	"cmp"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Sum is the sum of kernels. It is positive semi-definite if they are.
//
// See also [Product], [Additive].
type Sum []Kernel

// Product is the product of kernels. It is positive semi-definite if they are.
//
// See also [Sum], [Scaled].
type Product []Kernel

// Scaled is a kernel times a factor > 0.
//
// See also [Sum], [Product].
type Scaled struct {
	Kernel Kernel

	// Factor is > 0. If it is 0, it is 1.
	Factor float64
}

var (
	_ compiler = Sum{}
	_ compiler = Product{}
	_ compiler = Scaled{}
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

// Validate returns an error if there is no kernel, or the first error of a kernel.
func (s Sum) Validate() error { return validateAll("kernels: Sum", s) }

// Validate returns an error if there is no kernel, or the first error of a kernel.
func (p Product) Validate() error { return validateAll("kernels: Product", p) }

// Validate returns an ErrParam error unless Factor is finite and at least 0. Otherwise it returns the error of the
// kernel.
func (s Scaled) Validate() error {
	if err := positive("Scaled", "Factor", s.Factor); err != nil {
		return err
	}
	return Validate(s.Kernel)
}

// ValidateColumns returns the first error of a kernel.
func (s Sum) ValidateColumns(d int) error { return validateColumnsOfAll("kernels: Sum", s, d) }

// ValidateColumns returns the first error of a kernel.
func (p Product) ValidateColumns(d int) error { return validateColumnsOfAll("kernels: Product", p, d) }

// ValidateColumns returns the error of the kernel.
func (s Scaled) ValidateColumns(d int) error { return ValidateColumns(s.Kernel, d) }

func (s Sum) compile(l *layout) blockKernel { return fold{inner: compileAll(l, s), op: add, sum: true} }
func (p Product) compile(l *layout) blockKernel {
	return fold{inner: compileAll(l, p), neutral: 1, op: multiply}
}
func (s Scaled) compile(l *layout) blockKernel { return scaled{l.compile(s.Kernel), s.factor()} }

func compileAll(l *layout, ks []Kernel) []blockKernel {
	out := make([]blockKernel, len(ks))
	for i, k := range ks {
		out[i] = l.compile(k)
	}
	return out
}

// scaled is a part times a factor.
type scaled struct {
	inner  blockKernel
	factor float64
}

func (s scaled) diag(dst []float64, x *mat.Dense) {
	s.inner.diag(dst, x)
	floats.Scale(s.factor, dst)
}

func (s scaled) block(dst *mat.Dense, x, z *operand) {
	s.inner.block(dst, x, z)
	for i := range x.len() {
		floats.Scale(s.factor, dst.RawRowView(i))
	}
}

func (s Scaled) factor() float64 { return cmp.Or(s.Factor, 1) }

// fold is parts joined by an operation, from its neutral element on, 0 or 1: without a
// kernel, which Validate refuses, it is the value.
type fold struct {
	inner   []blockKernel
	neutral float64
	op      func(a, b float64) float64
	sum     bool
}

func foldEval(ks []Kernel, neutral float64, op func(a, b float64) float64, x, z []float64) float64 {
	checkLen(x, z)
	v := neutral
	for _, k := range ks {
		v = op(v, k.Eval(x, z))
	}
	return v
}

func (f fold) diag(dst []float64, x *mat.Dense) {
	f.fold(dst, func(p blockKernel, next []float64) { p.diag(next, x) })
}

// fold joins what of gives for the parts.
func (f fold) fold(dst []float64, of func(p blockKernel, next []float64)) {
	next := make([]float64, len(dst))
	for i := range dst {
		dst[i] = f.neutral
	}
	for _, p := range f.inner {
		of(p, next)
		for i, v := range next {
			dst[i] = f.op(dst[i], v)
		}
	}
}

func (f fold) block(dst *mat.Dense, x, z *operand) {
	r, c := dst.Dims()
	next := mat.NewDense(r, c, nil)
	for i := range r {
		for j, di := 0, dst.RawRowView(i); j < c; j++ {
			di[j] = f.neutral
		}
	}
	for _, p := range f.inner {
		p.block(next, x, z)
		for i := range r {
			di, ni := dst.RawRowView(i), next.RawRowView(i)
			for j, v := range ni {
				di[j] = f.op(di[j], v)
			}
		}
	}
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

func validateColumnsOfAll(typ string, ks []Kernel, d int) error {
	for i, k := range ks {
		if err := ValidateColumns(k, d); err != nil {
			return fmt.Errorf("%s: kernel %d: %w", typ, i, err)
		}
	}
	return nil
}
