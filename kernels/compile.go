package kernels

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
	"github.com/kernelearn/kernelearn/sparse"
)

// Block, Diag and Row compute parts of a kernel matrix. They check nothing: the kernel must be valid, and values that overflow are
// not finite in dst.

// Block sets dst[i,j] = k(x[i], z[j]) for the rows of x (r×d) and z (c×d), in O(rcd). The matrix dst is r×c and must not overlap x
// or z. Both x and z are *mat.Dense, or both are *sparse.Rows if the kernel supports them ([TakesSparseRows]). For many blocks of
// the same rows, use a [Prepared].
func Block(dst *mat.Dense, k Kernel, x, z mat.Matrix) {
	if rows, ok := x.(*sparse.Rows); ok {
		compile(k).SparseBlock(dst, rows, z.(*sparse.Rows))
		return
	}
	compile(k).Block(dst, x.(*mat.Dense), z.(*mat.Dense))
}

// Diag sets dst[i] = k(x[i], x[i]) for the rows of x, which has a type that [Block] accepts.
func Diag(dst []float64, k Kernel, x mat.Matrix) {
	if rows, ok := x.(*sparse.Rows); ok {
		compile(k).SparseDiag(dst, rows)
		return
	}
	compile(k).Diag(dst, x.(*mat.Dense))
}

// TakesSparseRows reports whether [Matrix] and [Cross] of a kernel read sparse rows without a dense copy.
func TakesSparseRows(k Kernel) bool { return Validate(k) == nil && compile(k).IsSparse() }

// Row sets dst[i] = k(x, z[i]) for the rows of z (m×d), without allocating memory. It is meant for the prediction of a single row,
// for which [Cross] would first prepare both sides. The values agree with those of Cross up to rounding. It costs O(md). It panics
// unless x has d entries and dst has m.
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

// rowOf sets dst[i] to the value of the function at x and z[i].
func rowOf(dst []float64, of func(x, z []float64) float64, x []float64, z *mat.Dense) {
	for i := range dst {
		row := z.RawRowView(i)
		checkLen(x, row)
		dst[i] = of(x, row)
	}
}

// compiler is a kernel of this package that is neither Radial nor DotProduct.
type compiler interface {
	// compile returns the kernel's part, which uses the views that compile adds to the layout.
	compile(l *blocks.Layout) blocks.Part
}

func compile(k Kernel) *blocks.Compiled { return blocks.Compile(k, false, part(k)) }

// compileDerivatives is like compile, but the part has derivatives.
func compileDerivatives(k Kernel) *blocks.Compiled { return blocks.Compile(k, true, part(k)) }

// part returns the function that compiles k with its fastest method.
func part(k Kernel) func(l *blocks.Layout) blocks.Part {
	return func(l *blocks.Layout) blocks.Part {
		if c, ok := embedding.As[compiler](k); ok {
			return c.compile(l)
		}
		if r, ok := embedding.As[Radial](k); ok {
			return l.Radial(radial(l, k, r))
		}
		if d, ok := embedding.As[DotProduct](k); ok {
			p := blocks.DotProduct{Values: d.OfDotProducts, Pairwise: pairwise(l, k)}
			if s, ok := embedding.As[DotProductSlopes](k); ok && l.Derivatives() {
				p.Slopes = s.SlopesOfDotProducts
			}
			return l.DotProduct(p)
		}
		p := blocks.General{Eval: k.Eval, Pairwise: pairwise(l, k)}
		if b, ok := embedding.As[Blocker](k); ok {
			p.Block, p.Diag = b.Block, b.Diag
		}
		return l.General(p)
	}
}

// radial returns the form in which a matrix uses a kernel of the distance.
func radial(l *blocks.Layout, k Kernel, r Radial) blocks.Radial {
	p := blocks.Radial{Values: r.OfSquaredDistances, Pairwise: pairwise(l, k)}
	if s, ok := embedding.As[RadialSlopes](k); ok && l.Derivatives() {
		p.Slopes = s.SlopesOfSquaredDistances
	}
	if s, ok := embedding.As[radialParams](k); ok && l.Derivatives() {
		p.ParamSlopes = s.gradientOfSquaredDistances
	}
	if s, ok := embedding.As[singleRadial](k); ok {
		p.Singles = s.singlesOfSquaredDistances()
	}
	return p
}

// pairwise returns the functions that compute the derivatives of one pair.
func pairwise(l *blocks.Layout, k Kernel) blocks.Pairwise {
	if d, ok := embedding.As[Differentiable](k); ok && l.Derivatives() {
		return blocks.Pairwise{Count: len(d.Params()), EvalGradient: d.EvalGradient}
	}
	return blocks.Pairwise{}
}

// radialParams is a Radial kernel of this package with parameters.
type radialParams interface {
	Differentiable
	// gradientOfSquaredDistances sets dst[i] to the derivative with respect to the logarithm of the p-th parameter at squared[i].
	// The slices must not be the same.
	gradientOfSquaredDistances(p int, dst, squared []float64)
}

// singleRadial is a Radial kernel of this package with values in float32.
type singleRadial interface {
	// singlesOfSquaredDistances returns a function that overwrites squared distances with the kernel values, or nil if the
	// parameters do not fit into float32.
	singlesOfSquaredDistances() func(v []float32)
}

// The forms of the kernels of this package: functions of the distance, of the inner product, or of kernels of columns.
type (
	distanceKernel interface {
		radialParams
		RadialSlopes
		Spectral
		Validator
	}
	productKernel interface {
		Kernel
		DotProductSlopes
		Validator
	}
	columnKernel interface {
		Differentiable
		compiler
		Validator
		ColumnValidator
		Spectral
	}
)
