package kernels

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// Sum is the sum of kernels. It is positive semi-definite if all of them are.
//
// See also [Product], [Additive].
type Sum []Kernel

// Product is the product of kernels. It is positive semi-definite if all of them are.
//
// See also [Sum], [Scaled].
type Product []Kernel

// Scaled is a kernel times a factor > 0.
//
// See also [Sum], [Product].
type Scaled struct {
	Kernel Kernel

	// Factor is > 0. If it is 0, 1 is used.
	Factor float64
}

type composite interface {
	Differentiable
	compiler
}

var _, _, _ composite = Sum{}, Product{}, Scaled{}

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

// Validate returns an error if the sum is empty. Otherwise it returns the first error of its kernels.
func (s Sum) Validate() error { return validateAll("kernels: Sum", s) }

// Validate returns an error if the product is empty. Otherwise it returns the first error of its kernels.
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

// Params returns the parameters of the kernels. Each name is preceded by the position of its kernel, as in "1.gamma". A kernel that
// is not [Differentiable] has no parameters.
func (s Sum) Params() []Param { return paramsOfAll(s) }

// Params returns the parameters of the kernels, named as in [Sum.Params].
func (p Product) Params() []Param { return paramsOfAll(p) }

// Params returns the factor, and the parameters of the kernel inside.
func (s Scaled) Params() []Param {
	return append([]Param{{Name: "factor", Kind: KindVariance, Value: s.factor()}}, paramsOf(s.Kernel)...)
}

// WithParams implements Differentiable.
func (s Sum) WithParams(values []float64) Kernel { return Sum(withParamsOfAll(s, s, values)) }

// WithParams implements Differentiable.
func (p Product) WithParams(values []float64) Kernel { return Product(withParamsOfAll(p, p, values)) }

// WithParams implements Differentiable.
func (s Scaled) WithParams(values []float64) Kernel {
	checkParams(s, len(values), 1+len(paramsOf(s.Kernel)))
	return Scaled{Kernel: withParamsOf(s.Kernel, values[1:]), Factor: param(values[0])}
}

// EvalGradient implements Differentiable.
func (s Sum) EvalGradient(dst, x, z []float64) { evalGradient(s, dst, x, z) }

// EvalGradient implements Differentiable.
func (p Product) EvalGradient(dst, x, z []float64) { evalGradient(p, dst, x, z) }

// EvalGradient implements Differentiable.
func (s Scaled) EvalGradient(dst, x, z []float64) { evalGradient(s, dst, x, z) }

func paramsOfAll(ks []Kernel) (out []Param) {
	for i, k := range ks {
		for _, p := range paramsOf(k) {
			p.Name = strconv.Itoa(i) + "." + p.Name
			out = append(out, p)
		}
	}
	return out
}

func withParamsOfAll(of Kernel, ks []Kernel, values []float64) []Kernel {
	checkParams(of, len(values), len(paramsOfAll(ks)))
	out := make([]Kernel, len(ks))
	for i, k := range ks {
		n := len(paramsOf(k))
		out[i] = withParamsOf(k, values[:n])
		values = values[n:]
	}
	return out
}

func (s Sum) compile(l *blocks.Layout) blocks.Part     { return blocks.Sum(compileAll(l, s)) }
func (p Product) compile(l *blocks.Layout) blocks.Part { return blocks.Product(compileAll(l, p)) }
func (s Scaled) compile(l *blocks.Layout) blocks.Part {
	return blocks.Scaled(part(s.Kernel)(l), s.factor())
}

func compileAll(l *blocks.Layout, ks []Kernel) []blocks.Part {
	out := make([]blocks.Part, len(ks))
	for i, k := range ks {
		out[i] = part(k)(l)
	}
	return out
}

func (s Scaled) factor() float64 { return cmp.Or(s.Factor, 1) }

func foldEval(ks []Kernel, neutral float64, op func(a, b float64) float64, x, z []float64) float64 {
	checkLen(x, z)
	v := neutral
	for _, k := range ks {
		v = op(v, k.Eval(x, z))
	}
	return v
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
