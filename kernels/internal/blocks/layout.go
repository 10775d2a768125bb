// Package blocks computes kernel matrices block by block.
//
// [Compile] compiles a kernel to a [Part], which computes a block of its values from two operands. An operand holds some rows and
// the numbers that the part needs, such as their squared norms ([Layout]). Operands are prepared once for all their blocks. Parts
// that contain other parts (sums, columns, lengths) compile these into the same layout.
//
// Matrices can be computed for rows in memory ([Matrix], [Rows]), for sparse rows, for rows whose distances are kept for other
// kernels ([Shared]), and with derivatives ([Derivatives]). Package kernels checks the input.
package blocks

import (
	"fmt"
	"math/bits"

	"gonum.org/v1/gonum/mat"
)

// Part computes a kernel's matrices: a block from operands that were prepared once for all their blocks.
type Part interface {
	// block sets dst[i,j] = k(x[i], z[j]).
	block(dst *mat.Dense, x, z *operand)
	// diag sets dst[i] = k(x[i], x[i]).
	diag(dst []float64, x *operand)
	// params returns the number of parameters that can be learnt.
	params() int
	// gradient adds Σ w[i,j] ∂k(x[i], z[j])/∂ ln θ[p] to dst[p], for at least one parameter. It changes neither the operands nor w.
	gradient(dst []float64, w *mat.Dense, x, z *operand)
	// stretchable reports whether the part supports lengths for its columns.
	stretchable() bool
	// stretch adds Σ w[i,j] ∂k(x[i]/l, z[j]/l)/∂ ln l[c], at l = 1, to dst[c].
	stretch(dst []float64, w *mat.Dense, x, z *operand)
}

func addGradient(p Part, dst []float64, w *mat.Dense, x, z *operand) {
	if len(dst) > 0 {
		p.gradient(dst, w, x, z)
	}
}

// Compiled holds the part of a complete kernel, and the layout of its operands.
type Compiled struct {
	part   Part
	layout Layout
	name   fmt.Stringer
}

// Compile compiles a kernel, whose name appears in errors, with or without its derivatives. It is called once for a matrix, and the
// result is used for all blocks.
func Compile(name fmt.Stringer, derivatives bool, compile func(l *Layout) Part) *Compiled {
	c := &Compiled{name: name, layout: Layout{derivatives: derivatives}}
	c.part = compile(&c.layout)
	return c
}

// Err returns the first error of a part that lacks derivatives.
func (c *Compiled) Err() error { return c.layout.fault() }

// IsSparse reports whether the kernel supports sparse rows.
func (c *Compiled) IsSparse() bool { return !c.layout.dense && len(c.layout.views) == 0 }

// Params returns the number of parameters for which the kernel has derivatives.
func (c *Compiled) Params() int { return c.part.params() }

// Keeps returns the number of matrices that are kept for pairs of operands, such as their squared distances.
func (c *Compiled) Keeps() int { return c.layout.keeps() }

// Block sets dst[i,j] = k(x[i], z[j]).
func (c *Compiled) Block(dst, x, z *mat.Dense) {
	shift := MeanRow(z)
	c.part.block(dst, newOperand(x, &c.layout, shift), newOperand(z, &c.layout, shift))
}

// Diag sets dst[i] = k(x[i], x[i]).
func (c *Compiled) Diag(dst []float64, x *mat.Dense) { c.part.diag(dst, diagonal(x, &c.layout)) }

// Gradient sets dst to the derivatives of k(x, z) with respect to the logarithms of its parameters, from a block of one pair.
func (c *Compiled) Gradient(dst, x, z []float64) {
	clear(dst)
	// After subtracting z, both rows are as small as their difference.
	xo := newOperand(mat.NewDense(1, len(x), x), &c.layout, z)
	zo := newOperand(mat.NewDense(1, len(z), z), &c.layout, z)
	addGradient(c.part, dst, mat.NewDense(1, 1, []float64{1}), xo, zo)
}

// Layout describes the contents that a kernel needs in an operand.
type Layout struct {
	need  need
	views []*view
	// dense is set if a part needs more than inner products, squared distances and squared norms of rows.
	dense bool
	// derivatives is true if parts need derivatives. err is the error of a part without derivatives.
	derivatives bool
	err         error
}

// view describes rows that a part uses instead of the original ones: scaled rows, or some of their columns.
type view struct {
	Layout
	of func(rows *mat.Dense) *mat.Dense // returns a new matrix with as many rows
	// categories holds columns of the original rows. Two rows that differ in column categories[i] are rates[i] apart in it.
	categories []int
	rates      []float64
}

// Derivatives reports whether parts need derivatives.
func (l *Layout) Derivatives() bool { return l.derivatives }

// Fail records that a part has no derivatives.
func (l *Layout) Fail(err error) { l.err = err }

// view adds a view and compiles the inner kernel for it. index is the view's position among the views of an operand.
func (l *Layout) view(compile func(l *Layout) Part, of func(rows *mat.Dense) *mat.Dense) (p Part, index int) {
	v := &view{of: of, Layout: Layout{derivatives: l.derivatives}}
	l.views = append(l.views, v)
	return compile(&v.Layout), len(l.views) - 1
}

// rowsView adds a view for a part that reads it itself.
func (l *Layout) rowsView(n need, of func(rows *mat.Dense) *mat.Dense) (index int) {
	l.views = append(l.views, &view{of: of, Layout: Layout{need: n}})
	return len(l.views) - 1
}

// viewCount returns the number of views, including views of views.
func (l *Layout) viewCount() (n int) {
	for _, v := range l.views {
		n += 1 + v.viewCount()
	}
	return n
}

// keeps returns the number of matrices that are kept for pairs of operands.
func (l *Layout) keeps() int {
	n := bits.OnesCount(uint(l.need & (needDots | needDistances | needManhattan)))
	for _, v := range l.views {
		n += v.keeps()
	}
	return n
}

// fault returns the first error of the layout and its views.
func (l *Layout) fault() error {
	if l.err != nil {
		return l.err
	}
	for _, v := range l.views {
		if err := v.fault(); err != nil {
			return err
		}
	}
	return nil
}

// need is the set of contents of an operand that a kernel uses.
type need int

const (
	needDots      need = 1 << iota // inner products of the unshifted rows
	needDistances                  // squared Euclidean distances
	needManhattan                  // Manhattan distances
	needColumns                    // the moved rows, stored by column
)
