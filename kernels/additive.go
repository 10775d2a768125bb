package kernels

import (
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// Additive is a sum of kernels of single columns:
//
//	k(x, z) = Σ v[j] κ(|x[j]-z[j]|/l[j])
//
// where κ is a kernel of the distance. Functions learnt with it are sums of functions of one column each, which can be inspected
// one by one. They need fewer training rows than functions of all columns together (D. Duvenaud, H. Nickisch and C. E. Rasmussen,
// NIPS 2011). The kernel is positive definite if κ is. For sums over sets of columns, use [Sum] and [Columns].
//
// Params are "length[j]" and "variance[j]", and the parameters of Kernel without the first one that is a length, a rate or a
// period.
//
// See also [Sum], [Columns].
type Additive struct {
	// Kernel is κ, which must be a [Radial] kernel.
	Kernel Kernel

	// Lengths holds a length l > 0 for each column, in the units of the column.
	Lengths []float64

	// Variances holds a variance v > 0 for each column. If it is nil, all are 1.
	Variances []float64
}

var _ columnKernel = Additive{}

func (k Additive) variance(j int) float64 {
	if k.Variances == nil {
		return 1
	}
	return k.Variances[j]
}

// variances returns the variance of each column.
func (k Additive) variances() []float64 {
	out := make([]float64, len(k.Lengths))
	for j := range out {
		out[j] = k.variance(j)
	}
	return out
}

// Eval returns k(x, z). It panics if x and z differ in length, or have a column without a length l. The cost is O(d) evaluations of
// Kernel.
func (k Additive) Eval(x, z []float64) float64 {
	checkLen(x, z)
	s := blocks.Lengths{Of: k.Lengths}.Scaler(x)
	defer s.Free()
	s.Scale(s.Z, z)
	sum := 0.0
	for j := range x {
		sum += k.variance(j) * k.Kernel.Eval(s.X[j:j+1], s.Z[j:j+1])
	}
	return sum
}

// String returns, for example, "Additive(RBF(gamma=0.5), lengths=[1 2], variances=[1 1])".
func (k Additive) String() string {
	return fmt.Sprintf("Additive(%v, lengths=%s, variances=%s)", k.Kernel, numeral.List(k.Lengths), numeral.List(k.variances()))
}

// Validate returns an ErrParam error unless Kernel is [Radial], there is a length for each variance, and all lengths and variances
// are positive and finite. Otherwise it returns the error of Kernel.
func (k Additive) Validate() error {
	if err := Validate(k.Kernel); err != nil {
		return err
	}
	if _, ok := embedding.As[Radial](k.Kernel); !ok {
		return fault.Param("kernels: Additive", "Kernel", k.Kernel, "a Radial kernel")
	}
	if err := validateLengths("Additive", "Lengths", k.Lengths); err != nil {
		return err
	}
	if k.Variances == nil {
		return nil
	}
	if got, want := len(k.Variances), len(k.Lengths); got != want {
		return fault.Param("kernels: Additive", "len(Variances)", got, fmt.Sprintf("%d, as many as Lengths, or nil", want))
	}
	return validateLengths("Additive", "Variances", k.Variances)
}

// ValidateColumns returns an ErrShape error unless d is the number of lengths.
func (k Additive) ValidateColumns(d int) error {
	if want := len(k.Lengths); d != want {
		return fault.Shape("rows have", d, "columns", "Additive has lengths for %d", want)
	}
	return nil
}

// Params implements Differentiable.
func (k Additive) Params() []Param {
	var out []Param
	for j, l := range k.Lengths {
		out = append(out, Param{Name: fmt.Sprintf("length[%d]", j), Kind: KindLength, Columns: []int{j}, Value: l})
	}
	for j := range k.Lengths {
		out = append(out, Param{Name: fmt.Sprintf("variance[%d]", j), Kind: KindVariance, Columns: []int{j}, Value: k.variance(j)})
	}
	return append(out, learntParams(k.Kernel)...)
}

// WithParams implements Differentiable.
func (k Additive) WithParams(values []float64) Kernel {
	n := len(k.Lengths)
	checkParams(k, len(values), 2*n+len(learntParams(k.Kernel)))
	return Additive{
		Kernel: withLearnt(k.Kernel, values[2*n:]), Lengths: slices.Clone(values[:n]), Variances: slices.Clone(values[n : 2*n]),
	}
}

// EvalGradient implements Differentiable.
func (k Additive) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

// SpectralDensity implements Spectral. Each frequency belongs to one column. The last uniform number selects it, with probabilities
// proportional to the variances.
func (k Additive) SpectralDensity() (SpectralDensity, error) {
	inner, err := SpectralDensityOf(k.Kernel)
	if err != nil {
		return SpectralDensity{}, fmt.Errorf("kernels: Additive: %w", err)
	}
	total := vecmath.Sum(k.variances())
	return SpectralDensity{
		Variance:          total * inner.Variance,
		RotationInvariant: inner.RotationInvariant && len(k.Lengths) == 1,
		Uniforms:          func(int) int { return inner.Uniforms(1) + 1 },
		Frequency: func(w, u []float64) {
			clear(w)
			last := len(u) - 1
			j, left := 0, u[last]*total
			for j < len(w)-1 && left >= k.variance(j) {
				left -= k.variance(j)
				j++
			}
			inner.Frequency(w[j:j+1], u[:last])
			w[j] /= k.Lengths[j]
		},
	}, nil
}

func (k Additive) compile(l *blocks.Layout) blocks.Part {
	r, _ := embedding.As[Radial](k.Kernel)
	p, ok := l.Additive(k.Lengths, k.variances(), radial(l, k.Kernel, r), commonScale(paramsOf(k.Kernel)))
	if !ok {
		l.Fail(fault.Param("kernels: Additive", "Kernel", k.Kernel, "a kernel that is RadialSlopes"))
	}
	return p
}
