package kernels

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// ARD is a kernel with a length for each column, automatic relevance determination:
//
//	k(x, z) = Kernel(x/l, z/l),    x/l = (x[0]/l[0], x[1]/l[1], …)
//
// A column with a large length has little effect. Around Matern{Nu: 2.5} it is a Matérn kernel of r² = Σ
// (x[j]-z[j])²/l[j]², around Linear it is Σ x[j] z[j]/l[j]² (R. M. Neal, Bayesian Learning for Neural Networks,
// 1996; Rasmussen and Williams, 2006, section 5.1). The lengths are in the units of the columns. ARD is positive
// definite if Kernel is. Its matrices are those of Kernel on rows that are scaled once.
//
// Params are the lengths, "length[j]", and the parameters of Kernel except the first that is a length, a rate or a
// period of all columns, which would be redundant.
//
// See also [RBF], [Columns].
type ARD struct {
	Kernel Kernel

	// Lengths has the length l of each column, or of each group of columns. All are positive.
	Lengths []float64

	// Groups has for each column the index of its length, so that several columns can share a length, such as the
	// columns of the levels of one category. If it is nil, each column has its own length.
	Groups []int
}

var _ interface {
	Differentiable
	compiler
	Validator
	ColumnValidator
	Spectral
} = ARD{}

// columns returns how many columns the rows have.
func (k ARD) columns() int {
	if k.Groups != nil {
		return len(k.Groups)
	}
	return len(k.Lengths)
}

// group returns the index of the length of a column.
func (k ARD) group(column int) int {
	if k.Groups != nil {
		return k.Groups[column]
	}
	return column
}

// Eval returns Kernel(x/l, z/l). It panics unless both rows have a length for each column.
func (k ARD) Eval(x, z []float64) float64 {
	checkLen(x, z)
	s := rowsPool.Get().(*rowsScratch)
	defer rowsPool.Put(s)
	s.setInverse(k)
	s.scale(s.x, x)
	s.scale(s.z, z)
	return k.Kernel.Eval(s.x, s.z)
}

// rowsScratch is memory for two rows over their lengths.
type rowsScratch struct{ inverse, x, z []float64 }

var rowsPool = sync.Pool{New: func() any { return new(rowsScratch) }}

// setInverse sets inverse to one over the length of each column.
func (s *rowsScratch) setInverse(k ARD) {
	d := k.columns()
	s.inverse = slices.Grow(s.inverse[:0], d)[:d]
	s.x, s.z = slices.Grow(s.x[:0], d)[:d], slices.Grow(s.z[:0], d)[:d]
	for j := range s.inverse {
		s.inverse[j] = 1 / k.Lengths[k.group(j)]
	}
}

// scale sets dst to a row over the lengths.
func (s *rowsScratch) scale(dst, row []float64) {
	checkColumns(len(row), len(s.inverse))
	for j, v := range row {
		dst[j] = v * s.inverse[j]
	}
}

func checkColumns(got, want int) {
	if got != want {
		panic(fmt.Sprintf("kernels: ARD of %d columns: a row of %d", want, got))
	}
}

// row is Row for ARD.
func (k ARD) row(dst []float64, x []float64, z *mat.Dense) {
	s := rowsPool.Get().(*rowsScratch)
	defer rowsPool.Put(s)
	s.setInverse(k)
	s.scale(s.x, x)
	checkColumns(z.RawMatrix().Cols, k.columns())
	r, radial := embedding.As[Radial](k.Kernel)
	d, dot := embedding.As[DotProduct](k.Kernel)
	switch {
	case radial:
		for i := range dst {
			dst[i] = 0
			for j, v := range z.RawRowView(i) {
				d := (x[j] - v) * s.inverse[j]
				dst[i] += d * d
			}
		}
		r.OfSquaredDistances(dst, dst)
	case dot:
		for i := range dst {
			s.scale(s.z, z.RawRowView(i))
			dst[i] = vecmath.Dot(s.x, s.z)
		}
		d.OfDotProducts(dst, dst)
	default:
		for i := range dst {
			s.scale(s.z, z.RawRowView(i))
			dst[i] = k.Kernel.Eval(s.x, s.z)
		}
	}
}

// String returns, for example, "ARD(Linear, lengths=[1 0.5])". Of more than eight lengths it has
// the first three and a digest of all.
func (k ARD) String() string {
	name := fmt.Sprintf("ARD(%v, lengths=%s", k.Kernel, list(k.Lengths))
	if k.Groups != nil {
		name += ", groups=" + list(k.Groups)
	}
	return name + ")"
}

// list renders numbers exactly, but no more of them than a line holds: of more than eight the
// first three, and the first 16 bytes of the SHA-256 digest of all.
func list[T int | float64](values []T) string {
	if len(values) <= 8 {
		return fmt.Sprint(values)
	}
	digest := sha256.New()
	for _, v := range values {
		// An int is exact as a float64: it is the index of a column.
		_ = binary.Write(digest, binary.LittleEndian, math.Float64bits(float64(v))) // a digest never fails
	}
	first := strings.TrimSuffix(fmt.Sprint(values[:3]), "]")
	return fmt.Sprintf("%s ... %d in all, sha256 %x]", first, len(values), digest.Sum(nil)[:16])
}

// Validate returns an ErrParam error unless there is a length, each is positive and finite and
// so is one over it, and Groups holds indices of lengths; or the error of Kernel.
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
			return fault.Param("kernels: ARD", "Groups", list(k.Groups), fmt.Sprintf("a column of the length %d, or nil", g))
		}
	}
	if err := Validate(k.Kernel); err != nil {
		return err
	}
	return ValidateColumns(k.Kernel, k.columns())
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

// ValidateColumns returns an ErrShape error unless rows have a length for each column.
func (k ARD) ValidateColumns(d int) error {
	if want := k.columns(); d != want {
		return fault.Shape("rows have", d, "columns", "ARD has lengths of %d", want)
	}
	return nil
}

// Params returns the lengths, and the parameters of Kernel except its own length.
func (k ARD) Params() []Param {
	out := make([]Param, len(k.Lengths))
	for g, l := range k.Lengths {
		out[g] = Param{Name: fmt.Sprintf("length[%d]", g), Kind: KindLength, Value: l}
	}
	for j := range k.columns() {
		g := &out[k.group(j)]
		g.Columns = append(g.Columns, j)
	}
	inner := paramsOf(k.Kernel)
	if c := commonScale(inner); c >= 0 {
		inner = slices.Delete(inner, c, c+1)
	}
	return append(out, inner...)
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
	inner, skip := learnt(k.Kernel)
	checkParams(k, len(values), n+inner)
	return ARD{Kernel: withLearnt(k.Kernel, skip, values[n:]), Lengths: slices.Clone(values[:n]), Groups: k.Groups}
}

// learnt returns how many parameters of a kernel are learnt beside lengths of its columns, and
// the index of the one that is not, or -1.
func learnt(k Kernel) (count, skip int) {
	params := paramsOf(k)
	skip = commonScale(params)
	if skip >= 0 {
		return len(params) - 1, skip
	}
	return len(params), skip
}

// withLearnt returns k with other values of what learnt counts.
func withLearnt(k Kernel, skip int, values []float64) Kernel {
	if len(values) == 0 {
		return k
	}
	if skip >= 0 {
		values = slices.Insert(slices.Clone(values), skip, paramsOf(k)[skip].Value)
	}
	return withParamsOf(k, values)
}

// EvalGradient implements Differentiable.
func (k ARD) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

// SpectralDensity implements Spectral: frequencies of Kernel over the lengths.
func (k ARD) SpectralDensity() (SpectralDensity, error) {
	out, err := SpectralDensityOf(k.Kernel)
	if err != nil {
		return SpectralDensity{}, fmt.Errorf("kernels: ARD: %w", err)
	}
	for j := range k.columns() {
		out.RotationInvariant = out.RotationInvariant && k.Lengths[k.group(j)] == k.Lengths[k.group(0)]
	}
	inner := out.Frequency
	out.Frequency = func(w, u []float64) {
		checkColumns(len(w), k.columns())
		inner(w, u)
		for j := range w {
			w[j] /= k.Lengths[k.group(j)]
		}
	}
	return out, nil
}

func (k ARD) compile(l *layout) blockKernel {
	p := stretched{of: k, rows: stretchedRows(k)}
	p.inner, p.view = l.view(k.Kernel, p.rows)
	if l.derivatives {
		if p.count, p.skip = learnt(k.Kernel); !stretchable(p.inner) {
			l.err = fault.Param("kernels: ARD", "Kernel", k.Kernel,
				"a kernel whose derivatives in the columns are known: RadialSlopes, DotProductSlopes, or one of this package that is "+
					"Differentiable")
		}
	}
	return p
}

// stretchedRows is the view that an ARD has of rows: over its lengths.
func stretchedRows(k ARD) func(rows *mat.Dense) *mat.Dense {
	return func(rows *mat.Dense) *mat.Dense {
		var s rowsScratch
		s.setInverse(k)
		r, c := rows.Dims()
		out := mat.NewDense(r, c, nil)
		for i := range r {
			s.scale(out.RawRowView(i), rows.RawRowView(i))
		}
		return out
	}
}

// stretched is the part of an ARD.
type stretched struct {
	of          ARD
	rows        func(rows *mat.Dense) *mat.Dense
	inner       blockKernel
	view        int // of operands
	count, skip int // of the inner parameters, as learnt
}

func (p stretched) diag(dst []float64, x *mat.Dense) { p.inner.diag(dst, p.rows(x)) }

func (p stretched) block(dst *mat.Dense, x, z *operand) {
	p.inner.block(dst, x.views[p.view], z.views[p.view])
}

func (p stretched) params() int       { return len(p.of.Lengths) + p.count }
func (p stretched) stretchable() bool { return stretchable(p.inner) }

func (p stretched) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	columns := make([]float64, p.of.columns())
	p.stretch(columns, w, x, z)
	for j, v := range columns {
		dst[p.of.group(j)] += v
	}
	addLearnt(p.inner, p.skip, dst[len(p.of.Lengths):], w, x.views[p.view], z.views[p.view])
}

// addLearnt is addGradient for what learnt counts.
func addLearnt(p blockKernel, skip int, dst []float64, w *mat.Dense, x, z *operand) {
	if len(dst) == 0 {
		return
	}
	inner := make([]float64, paramCount(p))
	addGradient(p, inner, w, x, z)
	floats.Add(dst, skipping(inner, skip))
}

// skipping returns the values without that of index skip, if that is not -1.
func skipping(values []float64, skip int) []float64 {
	if skip < 0 {
		return values
	}
	return append(slices.Clone(values[:skip]), values[skip+1:]...)
}

// stretch has lengths around the lengths: both are of the same columns.
func (p stretched) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	p.inner.(stretcher).stretch(dst, w, x.views[p.view], z.views[p.view])
}
