package blocks

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Scaled returns a part times a factor, which is its first parameter.
func Scaled(inner Part, factor float64) Part { return scaled{inner, factor} }

// scaled is a part times a factor.
type scaled struct {
	inner  Part
	factor float64
}

func (s scaled) diag(dst []float64, x *operand) {
	s.inner.diag(dst, x)
	floats.Scale(s.factor, dst)
}

func (s scaled) block(dst *mat.Dense, x, z *operand) {
	s.inner.block(dst, x, z)
	for i := range x.len() {
		floats.Scale(s.factor, dst.RawRowView(i))
	}
}

func (s scaled) params() int       { return 1 + s.inner.params() }
func (s scaled) stretchable() bool { return s.inner.stretchable() }

// gradient adds the derivative with respect to the factor, which is the kernel itself, and those of the inner part.
func (s scaled) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	values := borrow(w)
	defer values.free()
	s.block(values.Dense, x, z)
	dst[0] += weighted(w, values.Dense)
	s.times(values.Dense, w)
	addGradient(s.inner, dst[1:], values.Dense, x, z)
}

func (s scaled) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	fw := borrow(w)
	defer fw.free()
	s.times(fw.Dense, w)
	s.inner.stretch(dst, fw.Dense, x, z)
}

func (s scaled) times(dst, w *mat.Dense) {
	r, _ := w.Dims()
	for i := range r {
		floats.ScaleTo(dst.RawRowView(i), s.factor, w.RawRowView(i))
	}
}

// Sum returns the sum of parts.
func Sum(inner []Part) Part {
	return fold{inner: inner, op: func(a, b float64) float64 { return a + b }, sum: true}
}

// Product returns the product of parts.
func Product(inner []Part) Part {
	return fold{inner: inner, op: func(a, b float64) float64 { return a * b }, neutral: 1}
}

// fold joins parts by an operation, starting from its neutral element 0 or 1. It returns the neutral element if there is no part,
// which Validate rejects.
type fold struct {
	inner   []Part
	neutral float64
	op      func(a, b float64) float64
	sum     bool
}

func (f fold) diag(dst []float64, x *operand) {
	next := make([]float64, len(dst))
	setAll(dst, f.neutral)
	for _, p := range f.inner {
		p.diag(next, x)
		f.join(dst, next)
	}
}

func (f fold) join(dst, next []float64) {
	for i, v := range next {
		dst[i] = f.op(dst[i], v)
	}
}

func setAll(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

func (f fold) block(dst *mat.Dense, x, z *operand) {
	r, c := dst.Dims()
	next := mat.NewDense(r, c, nil)
	for i := range r {
		setAll(dst.RawRowView(i), f.neutral)
	}
	for _, p := range f.inner {
		p.block(next, x, z)
		for i := range r {
			f.join(dst.RawRowView(i), next.RawRowView(i))
		}
	}
}

func (f fold) params() (n int) {
	for _, p := range f.inner {
		n += p.params()
	}
	return n
}

func (f fold) stretchable() bool {
	return !slices.ContainsFunc(f.inner, func(p Part) bool { return !p.stretchable() })
}

func (f fold) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	f.eachPart(w, x, z, func(p Part, w *mat.Dense) {
		n := p.params()
		addGradient(p, dst[:n], w, x, z)
		dst = dst[n:]
	})
}

func (f fold) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	f.eachPart(w, x, z, func(p Part, w *mat.Dense) { p.stretch(dst, w, x, z) })
}

// eachPart calls do for each part with the weights of its derivatives. For a sum these are w. For a product they are w times the
// values of the other parts. That product is not computed by division, because a value may be 0.
func (f fold) eachPart(w *mat.Dense, x, z *operand, do func(p Part, w *mat.Dense)) {
	if f.sum || len(f.inner) == 1 {
		for _, p := range f.inner {
			do(p, w)
		}
		return
	}
	values := make([]scratch, len(f.inner))
	for i, p := range f.inner {
		values[i] = borrow(w)
		defer values[i].free()
		p.block(values[i].Dense, x, z)
	}
	others := borrow(w)
	defer others.free()
	r, _ := w.Dims()
	for i, p := range f.inner {
		others.Copy(w)
		for j, v := range values {
			for row := 0; j != i && row < r; row++ {
				floats.Mul(others.RawRowView(row), v.RawRowView(row))
			}
		}
		do(p, others.Dense)
	}
}

// Normalized returns a part divided by the roots of its diagonal, raised to a power.
func Normalized(inner Part, power int) Part { return normalized{inner: inner, power: power} }

// normalized is a part divided by the roots of its diagonal, raised to a power.
type normalized struct {
	inner    Part
	power    int
	Pairwise // it has no parameters to learn
}

// diag sets the diagonal to exactly 1, or to 0 if k(x,x) is 0, or to NaN if it overflows.
func (k normalized) diag(dst []float64, x *operand) {
	k.inner.diag(dst, x)
	for i, v := range dst {
		switch {
		case v-v != 0: // overflow: the direction is unknown, and Matrix returns an error
			dst[i] = math.NaN()
		case v > 0:
			dst[i] = 1
		default:
			dst[i] = 0
		}
	}
}

func (k normalized) block(dst *mat.Dense, x, z *operand) {
	k.inner.block(dst, x, z)
	r, c := dst.Dims()
	dx, dz := make([]float64, r), make([]float64, c)
	k.inner.diag(dx, x)
	k.inner.diag(dz, z)
	for j, v := range dz {
		dz[j] = InverseRoot(v)
	}
	for i, v := range dx {
		s, di := InverseRoot(v), dst.RawRowView(i)
		if k.power == 1 {
			for j, w := range dz {
				di[j] *= s * w
			}
			continue
		}
		for j, w := range dz {
			di[j] = vecmath.Power(di[j]*s*w, k.power)
		}
	}
}

// InverseRoot returns 1/√v, or 0 for a row without direction.
func InverseRoot(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return 1 / math.Sqrt(v)
}
