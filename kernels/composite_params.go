package kernels

import "strconv"

var (
	_ Differentiable = Sum{}
	_ Differentiable = Product{}
	_ Differentiable = Scaled{}
)

// Params returns the parameters of the kernels, with the position of the kernel before the name, such as "1.gamma".
// A kernel that is not [Differentiable] has none.
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
