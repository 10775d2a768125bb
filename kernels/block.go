package kernels

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Block, Diag and Row are parts of a kernel matrix, to make one piece by piece. They
// check nothing: the kernel is valid, and what overflows is not finite in dst.

// Block sets dst[i,j] = k(x[i], z[j]) for the rows of x (r×d) and z (c×d), dst r×c, which do not overlap. For many
// blocks of the same rows, use a [Prepared]. The cost is O(rcd).
func Block(dst *mat.Dense, k Kernel, x, z *mat.Dense) {
	p, shift := compile(k), meanRow(z)
	p.block(dst, newOperand(x, &p.layout, shift), newOperand(z, &p.layout, shift))
}

// Diag sets dst[i] = k(x[i], x[i]) for the rows of x.
func Diag(dst []float64, k Kernel, x *mat.Dense) { compile(k).diag(dst, x) }

// Row sets dst[i] = k(x, z[i]) for the rows of z (m×d), without allocating memory. It is meant for the prediction
// of a single row, where [Cross] would first prepare both sides. The values agree with those of Cross up to
// rounding. The cost is O(md). It panics unless x has d entries and dst m.
func Row(dst []float64, k Kernel, x []float64, z *mat.Dense) {
	if m, _ := z.Dims(); m != len(dst) {
		panic("kernels: Row: dst has not as many entries as z has rows")
	}
	if a, ok := k.(ARD); ok {
		a.row(dst, x, z)
	} else if r, ok := embedding.As[Radial](k); ok {
		rowOf(dst, vecmath.SquaredDistance, x, z)
		r.OfSquaredDistances(dst, dst)
	} else if d, ok := embedding.As[DotProduct](k); ok {
		rowOf(dst, vecmath.Dot, x, z)
		d.OfDotProducts(dst, dst)
	} else {
		for i := range dst {
			dst[i] = k.Eval(x, z.RawRowView(i))
		}
	}
}

// rowOf sets dst[i] to the function of x and z[i].
func rowOf(dst []float64, of func(x, z []float64) float64, x []float64, z *mat.Dense) {
	for i := range dst {
		row := z.RawRowView(i)
		checkLen(x, row)
		dst[i] = of(x, row)
	}
}

// blockKernel is how a kernel's matrices are made: a block from operands that were prepared once
// for all the blocks they take part in.
type blockKernel interface {
	block(dst *mat.Dense, x, z *operand)
	diag(dst []float64, x *mat.Dense)
}

// compiler is a kernel of this package that is neither Radial nor DotProduct.
type compiler interface {
	// compile returns the kernel's part, which reads what it enters into the layout.
	compile(l *layout) blockKernel
}

// compiled is the part of a whole kernel, with what its operands have to hold.
type compiled struct {
	blockKernel
	layout layout
}

// compile is asked once for a matrix: its answer serves all the blocks.
func compile(k Kernel) *compiled {
	c := &compiled{}
	c.blockKernel = c.layout.compile(k)
	return c
}

// compileDerivatives is compile for a part that has its derivatives too.
func compileDerivatives(k Kernel) *compiled {
	c := &compiled{layout: layout{derivatives: true}}
	c.blockKernel = c.layout.compile(k)
	return c
}

// compile returns the fastest way that k has of its own.
func (l *layout) compile(k Kernel) blockKernel {
	if c, ok := embedding.As[compiler](k); ok {
		return c.compile(l)
	}
	if r, ok := embedding.As[Radial](k); ok {
		l.need |= needDistances
		return l.radial(k, r)
	}
	if d, ok := embedding.As[DotProduct](k); ok {
		l.need |= needDots
		return l.dotProduct(k, d)
	}
	return general{k, l.differentiable(k)}
}

// radial is a pass over the squared distances.
type radial struct {
	Radial
	slopes RadialSlopes // nil: none
	differentiable
}

func (l *layout) radial(k Kernel, r Radial) radial {
	p := radial{Radial: r, differentiable: l.differentiable(k)}
	if l.derivatives {
		p.slopes, _ = embedding.As[RadialSlopes](k)
	}
	return p
}

func (k radial) block(dst *mat.Dense, x, z *operand) {
	squared := squaredDistances(dst, x, z)
	for i := range x.len() {
		k.OfSquaredDistances(dst.RawRowView(i), squared.RawRowView(i))
	}
}

func (k radial) diag(dst []float64, _ *mat.Dense) {
	clear(dst)
	k.OfSquaredDistances(dst, dst)
}

// dotProduct is a pass over the inner products.
type dotProduct struct {
	DotProduct
	slopes DotProductSlopes // nil: none
	differentiable
}

func (l *layout) dotProduct(k Kernel, d DotProduct) dotProduct {
	p := dotProduct{DotProduct: d, differentiable: l.differentiable(k)}
	if l.derivatives {
		p.slopes, _ = embedding.As[DotProductSlopes](k)
	}
	return p
}

func (k dotProduct) block(dst *mat.Dense, x, z *operand) {
	products := dots(dst, x, z)
	for i := range x.len() {
		k.OfDotProducts(dst.RawRowView(i), products.RawRowView(i))
	}
}

func (k dotProduct) diag(dst []float64, x *mat.Dense) { k.OfDotProducts(dst, squaredNorms(x)) }

// general is a kernel of which no more is known than what it does itself.
type general struct {
	Kernel
	differentiable
}

func (k general) block(dst *mat.Dense, x, z *operand) {
	if b, ok := embedding.As[Blocker](k.Kernel); ok {
		b.Block(dst, x.rows, z.rows)
		return
	}
	r, c := dst.Dims()
	for i := range r {
		xi, di := x.rows.RawRowView(i), dst.RawRowView(i)
		for j := range c {
			di[j] = k.Eval(xi, z.rows.RawRowView(j))
		}
	}
}

func (k general) diag(dst []float64, x *mat.Dense) {
	if b, ok := embedding.As[Blocker](k.Kernel); ok {
		b.Diag(dst, x)
		return
	}
	for i := range dst {
		r := x.RawRowView(i)
		dst[i] = k.Eval(r, r)
	}
}
