package kernels

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// ARD is a kernel with a length for each column, automatic relevance determination:
//
//	k(x, z) = Kernel(x/l, z/l),    x/l = (x[0]/l[0], x[1]/l[1], …)
//
// A column with a large length has little effect. With Matern{Nu: 2.5} it is a Matérn kernel of r² = Σ (x[j]-z[j])²/l[j]², and with
// Linear it is Σ x[j] z[j]/l[j]² (R. M. Neal, Bayesian Learning for Neural Networks, 1996; Rasmussen and Williams, 2006, section
// 5.1). The lengths are in the units of the columns. ARD is positive definite if Kernel is. Its matrices are those of Kernel for
// the scaled rows, which are computed once.
//
// Categories are columns in which only equality matters: two rows with different codes are 1/l[j] apart in that column, regardless
// of the codes. Each such column therefore has one length, the cost does not depend on the number of levels, and an unknown level
// is equally far from all others. With [Laplacian], which is a product over columns, different codes contribute the factor
// exp(-1/l[j]). Kernel must then be a kernel of the distance: [Radial], a [Laplacian], or a [Sum], a [Product] or [Scaled] of
// these.
//
// Params are the lengths, "length[j]", and the parameters of Kernel. The first of these that is a length, a rate or a period of all
// columns is omitted, since it would be redundant.
//
// See also [RBF], [Columns].
type ARD struct {
	Kernel Kernel

	// Lengths holds the length l > 0 of each column, or of each group of columns.
	Lengths []float64

	// Groups holds the index of the length of each column, so that several columns can share a length. An example is the columns
	// for the levels of one category. If it is nil, each column has its own length.
	Groups []int

	// Categories holds the indices of the columns in which only equality of the values matters. Their lengths have no unit.
	Categories []int
}

var _ columnKernel = ARD{}

func (k ARD) lengths() blocks.Lengths {
	return blocks.Lengths{Of: k.Lengths, Groups: k.Groups, Categories: k.Categories}
}

// Eval returns Kernel(x/l, z/l). It panics if x and z differ in length or have a column without a length l.
func (k ARD) Eval(x, z []float64) float64 {
	checkLen(x, z)
	s := k.lengths().Scaler(x)
	defer s.Free()
	s.Scale(s.Z, z)
	k.lengths().SetApart(s.Z, x, z)
	return k.Kernel.Eval(s.X, s.Z)
}

// row implements Row for ARD.
func (k ARD) row(dst []float64, x []float64, z *mat.Dense) {
	s := k.lengths().Scaler(x)
	defer s.Free()
	blocks.CheckColumns(z.RawMatrix().Cols, len(s.Inverse))
	r, radial := embedding.As[Radial](k.Kernel)
	d, dot := embedding.As[DotProduct](k.Kernel)
	switch {
	case radial:
		for i := range dst {
			dst[i] = 0
			for j, v := range z.RawRowView(i) {
				d := (x[j] - v) * s.Inverse[j]
				dst[i] += d * d
			}
			for _, j := range k.Categories {
				if x[j] != z.At(i, j) {
					l := k.Lengths[k.lengths().Group(j)]
					dst[i] += 1 / (l * l)
				}
			}
		}
		r.OfSquaredDistances(dst, dst)
	case dot:
		for i := range dst {
			s.Scale(s.Z, z.RawRowView(i))
			dst[i] = vecmath.Dot(s.X, s.Z)
		}
		d.OfDotProducts(dst, dst)
	default:
		for i := range dst {
			s.Scale(s.Z, z.RawRowView(i))
			k.lengths().SetApart(s.Z, x, z.RawRowView(i))
			dst[i] = k.Kernel.Eval(s.X, s.Z)
		}
	}
}

// String returns, for example, "ARD(Linear, lengths=[1 0.5])". If there are more than eight lengths, it contains the first three
// and a digest of all.
func (k ARD) String() string {
	name := fmt.Sprintf("ARD(%v, lengths=%s", k.Kernel, numeral.List(k.Lengths))
	if k.Groups != nil {
		name += ", groups=" + numeral.List(k.Groups)
	}
	if len(k.Categories) > 0 {
		name += ", categories=" + numeral.List(k.Categories)
	}
	return name + ")"
}

// Validate returns an ErrParam error unless there is a length, each length and its reciprocal are positive and finite, Groups holds
// indices of lengths, and Categories holds distinct indices of columns. Otherwise it returns the error of Kernel.
func (k ARD) Validate() error {
	if err := validateLengths("ARD", "Lengths", k.Lengths); err != nil {
		return err
	}
	for j, g := range k.Groups {
		if g < 0 || g >= len(k.Lengths) {
			return fault.Param("kernels: ARD", fmt.Sprintf("Groups[%d]", j), g,
				fmt.Sprintf("0 to %d, the index of a length", len(k.Lengths)-1))
		}
	}
	for g := range k.Lengths {
		if k.Groups != nil && !slices.Contains(k.Groups, g) {
			return fault.Param("kernels: ARD", "Groups", numeral.List(k.Groups), fmt.Sprintf("a column in group %d, or nil", g))
		}
	}
	for i, j := range k.Categories {
		if j < 0 || j >= k.lengths().Columns() || slices.Contains(k.Categories[:i], j) {
			return fault.Param("kernels: ARD", fmt.Sprintf("Categories[%d]", i), j,
				fmt.Sprintf("0 to %d, the index of a column, each once", k.lengths().Columns()-1))
		}
	}
	if len(k.Categories) > 0 && k.Kernel != nil && !ofDistances(k.Kernel) {
		return fault.Param("kernels: ARD", "Kernel", k.Kernel, "a kernel that depends on the distance, for Categories")
	}
	return validate(k.Kernel, k.lengths().Columns())
}

// ofDistances reports whether a kernel depends only on the distances of two rows in each column.
func ofDistances(k Kernel) bool {
	switch k := k.(type) {
	case Laplacian:
		return true
	case Scaled:
		return ofDistances(k.Kernel)
	case Sum:
		return !slices.ContainsFunc(k, func(k Kernel) bool { return !ofDistances(k) })
	case Product:
		return !slices.ContainsFunc(k, func(k Kernel) bool { return !ofDistances(k) })
	}
	_, ok := embedding.As[Radial](k)
	return ok
}

func validateLengths(typ, field string, lengths []float64) error {
	if len(lengths) == 0 {
		return fault.Param("kernels: "+typ, field, "none", "one for each column")
	}
	for j, l := range lengths {
		if !(l > 0) || math.IsInf(l, 1) || math.IsInf(1/l, 1) {
			return fault.Param("kernels: "+typ, fmt.Sprintf("%s[%d]", field, j), l, "a finite value > 0")
		}
	}
	return nil
}

// ValidateColumns returns an ErrShape error unless there is a length for each of d columns and for no others.
func (k ARD) ValidateColumns(d int) error {
	if want := k.lengths().Columns(); d != want {
		return fault.Shape("rows have", d, "columns", "ARD has lengths for %d", want)
	}
	return nil
}

// Params returns the lengths, and the parameters of Kernel except its own length.
func (k ARD) Params() []Param {
	out := make([]Param, len(k.Lengths))
	for g, l := range k.Lengths {
		out[g] = Param{Name: fmt.Sprintf("length[%d]", g), Kind: KindLength, Value: l}
	}
	for j := range k.lengths().Columns() {
		g := &out[k.lengths().Group(j)]
		g.Columns = append(g.Columns, j)
	}
	for g, p := range out {
		if !slices.ContainsFunc(p.Columns, func(j int) bool { return !slices.Contains(k.Categories, j) }) {
			out[g].Kind = KindShape
		}
	}
	return append(out, learntParams(k.Kernel)...)
}

// learntParams returns the parameters of a kernel that are learnt together with lengths of its columns.
func learntParams(k Kernel) []Param {
	params := paramsOf(k)
	if c := commonScale(params); c >= 0 {
		return slices.Delete(params, c, c+1)
	}
	return params
}

// commonScale returns the index of the first parameter that scales all columns, or -1.
func commonScale(params []Param) int {
	return slices.IndexFunc(params, func(p Param) bool {
		return p.Columns == nil && (p.Kind == KindLength || p.Kind == KindRate || p.Kind == KindPeriod)
	})
}

// WithParams implements Differentiable.
func (k ARD) WithParams(values []float64) Kernel {
	n := len(k.Lengths)
	checkParams(k, len(values), n+len(learntParams(k.Kernel)))
	return ARD{Kernel: withLearnt(k.Kernel, values[n:]), Lengths: slices.Clone(values[:n]), Groups: k.Groups, Categories: k.Categories}
}

// withLearnt returns k with other values of learntParams.
func withLearnt(k Kernel, values []float64) Kernel {
	if len(values) == 0 {
		return k
	}
	params := paramsOf(k)
	if c := commonScale(params); c >= 0 {
		values = slices.Insert(slices.Clone(values), c, params[c].Value)
	}
	return withParamsOf(k, values)
}

// EvalGradient implements Differentiable.
func (k ARD) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

// SpectralDensity implements Spectral with the frequencies of Kernel divided by the lengths. With Categories there is no spectral
// density.
func (k ARD) SpectralDensity() (SpectralDensity, error) {
	if len(k.Categories) > 0 {
		return SpectralDensity{}, fault.Param("kernels: ARD", "Categories", numeral.List(k.Categories),
			"none: they have no spectral density")
	}
	out, err := SpectralDensityOf(k.Kernel)
	if err != nil {
		return SpectralDensity{}, fmt.Errorf("kernels: ARD: %w", err)
	}
	for j := range k.lengths().Columns() {
		out.RotationInvariant = out.RotationInvariant && k.Lengths[k.lengths().Group(j)] == k.Lengths[k.lengths().Group(0)]
	}
	inner := out.Frequency
	out.Frequency = func(w, u []float64) {
		blocks.CheckColumns(len(w), k.lengths().Columns())
		inner(w, u)
		for j := range w {
			w[j] /= k.Lengths[k.lengths().Group(j)]
		}
	}
	return out, nil
}

func (k ARD) compile(l *blocks.Layout) blocks.Part {
	p, ok := l.Lengths(k.lengths(), commonScale(paramsOf(k.Kernel)), part(k.Kernel))
	if !ok {
		l.Fail(fault.Param("kernels: ARD", "Kernel", k.Kernel,
			"a kernel whose derivatives in the columns are known: RadialSlopes, DotProductSlopes, or one of this package that is "+
				"Differentiable"))
	}
	return p
}
