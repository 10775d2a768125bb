// Package blocks computes kernel matrices block by block.
//
// A kernel is compiled to a [Part] ([Compile]): how a block of its values is made of two operands, which are some rows with
// what the part reads of them, such as their squared norms ([Layout]). Operands are prepared once for all the blocks they
// take part in. Parts of other parts (sums, columns, lengths) compile what is inside into the same layout.
//
// Matrices are of rows in memory ([Matrix], [Rows]), of sparse rows, of rows whose distances are kept for other kernels
// ([Shared]), and with derivatives ([Derivatives]). Package kernels checks what comes in.
package blocks

import (
	"fmt"
	"math/bits"

	"gonum.org/v1/gonum/mat"
)

// Part is how a kernel's matrices are made: a block from operands that were prepared once
// for all the blocks they take part in.
type Part interface {
	// block sets dst[i,j] = k(x[i], z[j]).
	block(dst *mat.Dense, x, z *operand)
	// diag sets dst[i] = k(x[i], x[i]).
	diag(dst []float64, x *operand)
	// params is how many parameters there are to be learnt.
	params() int
	// gradient adds Σ w[i,j] ∂k(x[i], z[j])/∂ ln θ[p] to dst[p], of at least one parameter. It writes to no operand
	// and not to w.
	gradient(dst []float64, w *mat.Dense, x, z *operand)
	// stretchable reports whether the columns can have lengths around the part.
	stretchable() bool
	// stretch adds Σ w[i,j] ∂k(x[i]/l, z[j]/l)/∂ ln l[c], at l = 1, to dst[c].
	stretch(dst []float64, w *mat.Dense, x, z *operand)
}

func addGradient(p Part, dst []float64, w *mat.Dense, x, z *operand) {
	if len(dst) > 0 {
		p.gradient(dst, w, x, z)
	}
}

// Compiled is the part of a whole kernel, with what its operands have to hold.
type Compiled struct {
	part   Part
	layout Layout
	name   fmt.Stringer
}

// Compile compiles a kernel, named in errors, with its derivatives or without. It is asked once for a matrix: its answer
// serves all the blocks.
func Compile(name fmt.Stringer, derivatives bool, compile func(l *Layout) Part) *Compiled {
	c := &Compiled{name: name, layout: Layout{derivatives: derivatives}}
	c.part = compile(&c.layout)
	return c
}

// Err returns the first error of a part that has no derivatives.
func (c *Compiled) Err() error { return c.layout.fault() }

// IsSparse reports whether the kernel takes sparse rows.
func (c *Compiled) IsSparse() bool { return !c.layout.dense && len(c.layout.views) == 0 }

// Params is how many parameters the kernel has derivatives in.
func (c *Compiled) Params() int { return c.part.params() }

// Keeps is the number of things that pairs of operands keep of what they have, such as their squared distances.
func (c *Compiled) Keeps() int { return c.layout.keeps() }

// Block sets dst[i,j] = k(x[i], z[j]).
func (c *Compiled) Block(dst, x, z *mat.Dense) {
	shift := MeanRow(z)
	c.part.block(dst, newOperand(x, &c.layout, shift), newOperand(z, &c.layout, shift))
}

// Diag sets dst[i] = k(x[i], x[i]).
func (c *Compiled) Diag(dst []float64, x *mat.Dense) { c.part.diag(dst, diagonal(x, &c.layout)) }

// Gradient sets dst to the derivatives of k(x, z) in the logarithms of its parameters: a block of one pair.
func (c *Compiled) Gradient(dst, x, z []float64) {
	clear(dst)
	// Less z, both rows are as small as their difference.
	xo := newOperand(mat.NewDense(1, len(x), x), &c.layout, z)
	zo := newOperand(mat.NewDense(1, len(z), z), &c.layout, z)
	addGradient(c.part, dst, mat.NewDense(1, 1, []float64{1}), xo, zo)
}

// Layout is what an operand has to hold for a kernel.
type Layout struct {
	need  need
	views []*view
	// dense says that a part takes more of rows than their inner products, squared distances and squared norms.
	dense bool
	// derivatives asks parts for theirs; an error in one says that it has none.
	derivatives bool
	err         error
}

// view is the rows that a part takes in the place of those given to it: scaled, or some
// columns of them.
type view struct {
	Layout
	of func(rows *mat.Dense) *mat.Dense // a new matrix of as many rows
	// categories are columns of the rows given of which two are as far apart as rates says where they differ.
	categories []int
	rates      []float64
}

// Derivatives reports whether parts are asked for their derivatives.
func (l *Layout) Derivatives() bool { return l.derivatives }

// Fail says that a part has no derivatives.
func (l *Layout) Fail(err error) { l.err = err }

// view enters one, for which the kernel inside is compiled. index is its place among the
// views of an operand.
func (l *Layout) view(compile func(l *Layout) Part, of func(rows *mat.Dense) *mat.Dense) (p Part, index int) {
	v := &view{of: of, Layout: Layout{derivatives: l.derivatives}}
	l.views = append(l.views, v)
	return compile(&v.Layout), len(l.views) - 1
}

// rowsView enters a view for a part that reads it itself.
func (l *Layout) rowsView(n need, of func(rows *mat.Dense) *mat.Dense) (index int) {
	l.views = append(l.views, &view{of: of, Layout: Layout{need: n}})
	return len(l.views) - 1
}

// viewCount is the number of views, and of views in views.
func (l *Layout) viewCount() (n int) {
	for _, v := range l.views {
		n += 1 + v.viewCount()
	}
	return n
}

// keeps is the number of things that pairs of operands keep of what they have.
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

// need says which parts of an operand a kernel reads.
type need int

const (
	needDots      need = 1 << iota // inner products of the rows as given
	needDistances                  // squared Euclidean distances
	needManhattan                  // Manhattan distances
	needColumns                    // the moved rows in columns
)
