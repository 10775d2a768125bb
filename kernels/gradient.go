package kernels

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/embedding"
)

// learner is a part with derivatives. A part without stands in composites as it is.
type learner interface {
	blockKernel
	// params is how many parameters there are.
	params() int
	// gradient adds Σ w[i,j] ∂k(x[i], z[j])/∂ ln θ[p] to dst[p]. It writes to no operand
	// and not to w.
	gradient(dst []float64, w *mat.Dense, x, z *operand)
}

// stretcher is a part whose columns can have lengths around it.
type stretcher interface {
	blockKernel
	// stretchable reports whether it is one in fact: a composite asks its parts.
	stretchable() bool
	// stretch adds Σ w[i,j] ∂k(x[i]/l, z[j]/l)/∂ ln l[c], at l = 1, to dst[c].
	stretch(dst []float64, w *mat.Dense, x, z *operand)
}

func paramCount(p blockKernel) int {
	if l, ok := p.(learner); ok {
		return l.params()
	}
	return 0
}

func addGradient(p blockKernel, dst []float64, w *mat.Dense, x, z *operand) {
	if l, ok := p.(learner); ok && len(dst) > 0 {
		l.gradient(dst, w, x, z)
	}
}

func stretchable(p blockKernel) bool {
	s, ok := p.(stretcher)
	return ok && s.stretchable()
}

// blocks keeps the memory of blocks between calls.
var blocks = sync.Pool{New: func() any { return new([stripe * stripe]float64) }}

// scratch is a block of memory for the values of as many pairs.
type scratch struct {
	*mat.Dense
	memory *[stripe * stripe]float64
}

// borrow returns a block of the shape of like; its elements may be anything.
func borrow(like *mat.Dense) scratch {
	r, c := like.Dims()
	memory := blocks.Get().(*[stripe * stripe]float64)
	return scratch{mat.NewDense(r, c, memory[:r*c]), memory}
}

func (s scratch) free() { blocks.Put(s.memory) }

// differentiable is how radial, dotProduct and general have the parameters of a kernel that
// has no more than EvalGradient: pair by pair.
type differentiable struct {
	kernel Differentiable // nil: none
	count  int
}

func (l *layout) differentiable(k Kernel) differentiable {
	if d, ok := embedding.As[Differentiable](k); ok && l.derivatives {
		return differentiable{d, len(d.Params())}
	}
	return differentiable{}
}

func (d differentiable) params() int { return d.count }

func (d differentiable) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	pair := make([]float64, len(dst))
	for i := range x.len() {
		for j, v := range w.RawRowView(i) {
			d.kernel.EvalGradient(pair, x.rows.RawRowView(i), z.rows.RawRowView(j))
			floats.AddScaled(dst, v, pair)
		}
	}
}

// radialParams is a Radial kernel of this package with parameters.
type radialParams interface {
	Differentiable
	// gradientOfSquaredDistances sets dst[i] to the derivative in the logarithm of the p-th
	// parameter at squared[i], which is not dst.
	gradientOfSquaredDistances(p int, dst, squared []float64)
}

func (k radial) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	of, ok := k.differentiable.kernel.(radialParams)
	if !ok {
		k.differentiable.gradient(dst, w, x, z)
		return
	}
	memory, values := borrow(w), borrow(w)
	defer memory.free()
	defer values.free()
	squared := squaredDistances(memory.Dense, x, z)
	for i := range x.len() {
		row := values.RawRowView(i)
		for p := range dst {
			of.gradientOfSquaredDistances(p, row, squared.RawRowView(i))
			dst[p] += floats.Dot(row, w.RawRowView(i))
		}
	}
}

func (k radial) stretchable() bool { return k.slopes != nil }

// stretch sums G[i,j] (x[i,c]-z[j,c])² with G = w∘g, where g are the slopes: for all columns at
// once, as the weights of squares on both sides, less twice the products in
//
//	Σ_ij G[i,j] x[i,c] z[j,c]
//
// which are one matrix product. Rows that are close, whose squares cancel in it and whose
// slopes may be large, are summed by their differences.
func (k radial) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	memory, g := borrow(w), borrow(w)
	defer memory.free()
	defer g.free()
	squared := squaredDistances(memory.Dense, x, z)
	ofX, ofZ := make([]float64, x.len()), make([]float64, z.len())
	for i, sx := range x.centredSq {
		gi, wi, si := g.RawRowView(i), w.RawRowView(i), squared.RawRowView(i)
		k.slopes.SlopesOfSquaredDistances(gi, si)
		for j, sz := range z.centredSq {
			v := gi[j] * wi[j]
			if !(si[j] > cancellation*(sx+sz)) {
				addSquares(dst, v, x.moved.RawRowView(i), z.moved.RawRowView(j))
				v = 0
			}
			gi[j] = v
			ofX[i] += v
			ofZ[j] += v
		}
	}
	stretchSquares(dst, ofX, x.centredTrans)
	stretchSquares(dst, ofZ, z.centredTrans)
	stretchProducts(dst, -2, x.centredTrans, g.Dense, z.centredTrans)
}

// addSquares adds g (x[c]-z[c])² to dst[c].
func addSquares(dst []float64, g float64, x, z []float64) {
	if g == 0 {
		return
	}
	for c, v := range x {
		d := v - z[c]
		dst[c] += g * d * d
	}
}

// stretchSquares adds Σ_i weights[i] trans[c,i]² to dst[c].
func stretchSquares(dst, weights []float64, trans *mat.Dense) {
	for c := range dst {
		s := 0.0
		for i, v := range trans.RawRowView(c) {
			s += weights[i] * v * v
		}
		dst[c] += s
	}
}

// stretchProducts adds a Σ_ij x[c,i] g[i,j] z[c,j] to dst[c].
func stretchProducts(dst []float64, a float64, x, g, z *mat.Dense) {
	_, columns := z.Dims()
	xg := mat.NewDense(len(dst), columns, nil)
	product(xg, a, x, g)
	for c := range dst {
		dst[c] += floats.Dot(xg.RawRowView(c), z.RawRowView(c))
	}
}

func (k dotProduct) stretchable() bool { return k.slopes != nil }

// stretch is radial's for -2 Σ w ∂k/∂<x,z> x[i,c] z[j,c].
func (k dotProduct) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	memory, g := borrow(w), borrow(w)
	defer memory.free()
	defer g.free()
	products := dots(memory.Dense, x, z)
	for i := range x.len() {
		gi := g.RawRowView(i)
		k.slopes.SlopesOfDotProducts(gi, products.RawRowView(i))
		floats.Mul(gi, w.RawRowView(i))
	}
	stretchProducts(dst, -2, x.trans, g.Dense, z.trans)
}

func (s scaled) params() int       { return 1 + paramCount(s.inner) }
func (s scaled) stretchable() bool { return stretchable(s.inner) }

// gradient is that of the factor, which is the kernel itself, and those of the inner part.
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
	s.inner.(stretcher).stretch(dst, fw.Dense, x, z)
}

func (s scaled) times(dst, w *mat.Dense) {
	r, _ := w.Dims()
	for i := range r {
		floats.ScaleTo(dst.RawRowView(i), s.factor, w.RawRowView(i))
	}
}

// weighted returns Σ w[i,j] values[i,j].
func weighted(w, values *mat.Dense) (s float64) {
	r, _ := w.Dims()
	for i := range r {
		s += floats.Dot(w.RawRowView(i), values.RawRowView(i))
	}
	return s
}

func (f fold) params() (n int) {
	for _, p := range f.inner {
		n += paramCount(p)
	}
	return n
}

func (f fold) stretchable() bool {
	for _, p := range f.inner {
		if !stretchable(p) {
			return false
		}
	}
	return true
}

func (f fold) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	f.eachPart(w, x, z, func(p blockKernel, w *mat.Dense) {
		n := paramCount(p)
		addGradient(p, dst[:n], w, x, z)
		dst = dst[n:]
	})
}

func (f fold) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	f.eachPart(w, x, z, func(p blockKernel, w *mat.Dense) { p.(stretcher).stretch(dst, w, x, z) })
}

// eachPart calls do for each part with the weights of its derivatives: w in a sum; in a product
// w times the values of the other parts, which are multiplied, not divided out, since they may
// be 0.
func (f fold) eachPart(w *mat.Dense, x, z *operand, do func(p blockKernel, w *mat.Dense)) {
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

// firstNotFinite returns the index of the first entry that is not finite, or -1.
func firstNotFinite(v []float64) int {
	for i, u := range v {
		if math.IsNaN(u) || math.IsInf(u, 0) {
			return i
		}
	}
	return -1
}
