package kernels

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Additive is a sum of kernels of single columns:
//
//	k(x, z) = Σ v[j] κ(|x[j]-z[j]|/l[j])
//
// where κ is a kernel of the distance. Its functions are sums of functions of one column each. These can be
// inspected one by one, and need fewer rows than functions of all columns at once (D. Duvenaud, H. Nickisch and C.
// E. Rasmussen, NIPS 2011). It is positive definite if κ is. For sums over sets of columns, use [Sum] and
// [Columns].
//
// Params are "length[j]" and "variance[j]", and the parameters of Kernel except the first that is a length, a rate
// or a period.
//
// See also [Sum], [Columns].
type Additive struct {
	// Kernel is κ, which must be a [Radial] kernel.
	Kernel Kernel

	// Lengths has a length l > 0 for each column, in the unit of the column.
	Lengths []float64

	// Variances has a variance v > 0 for each column. If it is nil, all are 1.
	Variances []float64
}

var _ interface {
	Differentiable
	compiler
	Validator
	ColumnValidator
	Spectral
} = Additive{}

func (k Additive) variance(j int) float64 {
	if k.Variances == nil {
		return 1
	}
	return k.Variances[j]
}

// Eval returns k(x, z). It panics unless both rows have a length for each column. The cost is O(d) evaluations of
// Kernel.
func (k Additive) Eval(x, z []float64) float64 {
	checkLen(x, z)
	s := rowsPool.Get().(*rowsScratch)
	defer rowsPool.Put(s)
	s.setInverse(ARD{Lengths: k.Lengths})
	s.scale(s.x, x)
	s.scale(s.z, z)
	sum := 0.0
	for j := range x {
		sum += k.variance(j) * k.Kernel.Eval(s.x[j:j+1], s.z[j:j+1])
	}
	return sum
}

// String returns, for example, "Additive(RBF(gamma=0.5), lengths=[1 2], variances=[1 1])".
func (k Additive) String() string {
	variances := make([]float64, len(k.Lengths))
	for j := range variances {
		variances[j] = k.variance(j)
	}
	return fmt.Sprintf("Additive(%v, lengths=%s, variances=%s)", k.Kernel, list(k.Lengths), list(variances))
}

// Validate returns an ErrParam error unless Kernel is [Radial], there is a length for each variance, and all are
// positive and finite. Otherwise it returns the error of Kernel.
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
		return fault.Param("kernels: Additive", "len(Variances)", got, fmt.Sprintf("%d as of Lengths, or nil", want))
	}
	return validateLengths("Additive", "Variances", k.Variances)
}

// ValidateColumns returns an ErrShape error unless rows have a length for each column.
func (k Additive) ValidateColumns(d int) error {
	if want := len(k.Lengths); d != want {
		return fault.Shape("rows have", d, "columns", "Additive has lengths of %d", want)
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
	inner := paramsOf(k.Kernel)
	if c := commonScale(inner); c >= 0 {
		inner = slices.Delete(inner, c, c+1)
	}
	return append(out, inner...)
}

// WithParams implements Differentiable.
func (k Additive) WithParams(values []float64) Kernel {
	n := len(k.Lengths)
	inner, skip := learnt(k.Kernel)
	checkParams(k, len(values), 2*n+inner)
	return Additive{
		Kernel: withLearnt(k.Kernel, skip, values[2*n:]), Lengths: slices.Clone(values[:n]), Variances: slices.Clone(values[n : 2*n]),
	}
}

// EvalGradient implements Differentiable.
func (k Additive) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

// SpectralDensity implements Spectral: the frequency of a column alone, which the last uniform
// chooses in proportion to the variances.
func (k Additive) SpectralDensity() (SpectralDensity, error) {
	inner, err := SpectralDensityOf(k.Kernel)
	if err != nil {
		return SpectralDensity{}, fmt.Errorf("kernels: Additive: %w", err)
	}
	total := 0.0
	for j := range k.Lengths {
		total += k.variance(j)
	}
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

func (k Additive) compile(l *layout) blockKernel {
	p := additive{Additive: k}
	p.radial, _ = embedding.As[Radial](k.Kernel)
	p.view = l.rowsView(needColumns, stretchedRows(ARD{Lengths: k.Lengths}))
	if !l.derivatives {
		return p
	}
	p.inner = l.radial(k.Kernel, p.radial)
	p.count, p.skip = learnt(k.Kernel)
	if !p.inner.stretchable() {
		l.err = fault.Param("kernels: Additive", "Kernel", k.Kernel, "a kernel that is RadialSlopes")
	}
	return p
}

// additive is the part of an Additive, a pass over the pairs for each column.
type additive struct {
	Additive
	radial      Radial
	view        int // of the rows over their lengths
	inner       radial
	count, skip int // of the parameters of inner, as learnt
}

func (p additive) diag(dst []float64, _ *mat.Dense) {
	total, zero := 0.0, []float64{0}
	p.radial.OfSquaredDistances(zero, zero)
	for j := range p.Lengths {
		total += p.variance(j) * zero[0]
	}
	for i := range dst {
		dst[i] = total
	}
}

// eachColumn calls do with the squared distances of the row i of x and all of z in each column.
func (p additive) eachColumn(x, z *operand, do func(i, column int, squared []float64)) {
	squared := make([]float64, z.len())
	rows, columns := x.views[p.view].moved, z.views[p.view].movedTrans
	for i := range x.len() {
		for c, v := range rows.RawRowView(i) {
			for j, u := range columns.RawRowView(c) {
				squared[j] = (v - u) * (v - u)
			}
			do(i, c, squared)
		}
	}
}

func (p additive) block(dst *mat.Dense, x, z *operand) {
	for i := range x.len() {
		clear(dst.RawRowView(i))
	}
	p.eachColumn(x, z, func(i, c int, squared []float64) {
		p.radial.OfSquaredDistances(squared, squared)
		floats.AddScaled(dst.RawRowView(i), p.variance(c), squared)
	})
}

func (p additive) params() int       { return 2*len(p.Lengths) + p.count }
func (p additive) stretchable() bool { return p.inner.stretchable() }

func (p additive) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	d := len(p.Lengths)
	values, inner := make([]float64, z.len()), make([]float64, p.inner.params())
	p.eachColumn(x, z, func(i, c int, squared []float64) {
		wi, v := w.RawRowView(i), p.variance(c)
		p.radial.OfSquaredDistances(values, squared)
		dst[d+c] += v * floats.Dot(wi, values)
		if p.count > 0 {
			clear(inner)
			p.shapes(inner, wi, squared)
			for q, g := range skipping(inner, p.skip) {
				dst[2*d+q] += v * g
			}
		}
		p.inner.slopes.SlopesOfSquaredDistances(values, squared)
		floats.Mul(values, squared)
		dst[c] += v * floats.Dot(wi, values)
	})
}

// shapes adds the derivatives in the parameters of κ, of squared distances of weights w.
func (p additive) shapes(dst, w, squared []float64) {
	row := make([]float64, len(squared))
	if of, ok := p.inner.kernel.(radialParams); ok {
		for q := range dst {
			of.gradientOfSquaredDistances(q, row, squared)
			dst[q] += floats.Dot(w, row)
		}
		return
	}
	pair := make([]float64, len(dst))
	for j, s := range squared {
		p.inner.kernel.EvalGradient(pair, []float64{math.Sqrt(s)}, []float64{0})
		floats.AddScaled(dst, w[j], pair)
	}
}

func (p additive) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	values := make([]float64, z.len())
	p.eachColumn(x, z, func(i, c int, squared []float64) {
		p.inner.slopes.SlopesOfSquaredDistances(values, squared)
		floats.Mul(values, squared)
		dst[c] += p.variance(c) * floats.Dot(w.RawRowView(i), values)
	})
}
