package blocks

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Pairwise computes the derivatives of a kernel pair by pair.
type Pairwise struct {
	Count        int // number of parameters
	EvalGradient func(dst, x, z []float64)
}

func (k Pairwise) params() int                                    { return k.Count }
func (Pairwise) stretchable() bool                                { return false }
func (Pairwise) stretch(_ []float64, _ *mat.Dense, _, _ *operand) {}

func (k Pairwise) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	pair := make([]float64, len(dst))
	for i := range x.len() {
		for j, v := range w.RawRowView(i) {
			k.EvalGradient(pair, x.rows.RawRowView(i), z.rows.RawRowView(j))
			floats.AddScaled(dst, v, pair)
		}
	}
}

// Radial is a kernel of the squared distance, computed by a pass over the distances.
type Radial struct {
	// Values sets dst[i] to the value at squared[i]. The slices may be the same.
	Values func(dst, squared []float64)
	// Slopes sets dst[i] to -2 times the derivative at squared[i]. The slices may be the same. It is nil without derivatives.
	Slopes func(dst, squared []float64)
	// ParamSlopes sets dst[i] to the derivative with respect to the logarithm of the p-th parameter at squared[i]. The slices must
	// not be the same. If it is nil, derivatives are computed pair by pair.
	ParamSlopes func(p int, dst, squared []float64)
	// Singles overwrites squared distances in float32 with the kernel values. It is nil if there are no values in float32.
	Singles func(v []float32)
	Pairwise
}

// Radial compiles a kernel of the squared distance.
func (l *Layout) Radial(k Radial) Part {
	l.need |= needDistances
	return k
}

func (k Radial) block(dst *mat.Dense, x, z *operand) {
	squared := squaredDistances(dst, x, z)
	for i := range x.len() {
		k.Values(dst.RawRowView(i), squared.RawRowView(i))
	}
}

func (k Radial) diag(dst []float64, _ *operand) {
	clear(dst)
	k.Values(dst, dst)
}

func (k Radial) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	if k.ParamSlopes == nil {
		k.Pairwise.gradient(dst, w, x, z)
		return
	}
	memory, values := borrow(w), borrow(w)
	defer memory.free()
	defer values.free()
	squared := squaredDistances(memory.Dense, x, z)
	for i := range x.len() {
		row := values.RawRowView(i)
		for p := range dst {
			k.ParamSlopes(p, row, squared.RawRowView(i))
			dst[p] += floats.Dot(row, w.RawRowView(i))
		}
	}
}

func (k Radial) stretchable() bool { return k.Slopes != nil }

// stretch sums G[i,j] (x[i,c]-z[j,c])² with G = w∘g, where g are the slopes. For all columns at once, it adds the weighted squares
// of both sides and subtracts twice the products
//
//	Σ_ij G[i,j] x[i,c] z[j,c]
//
// which are one matrix product. If two rows are close, their squares cancel and their slope may be large. The terms of such pairs
// are computed from the differences.
func (k Radial) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	g := borrow(w)
	defer g.free()
	stretchSquares(dst, g, w, x, z, k.Slopes, func(i, j int, g float64) {
		addSquares(dst, g, x.moved.RawRowView(i), z.moved.RawRowView(j))
	})
}

// DotProduct is a kernel of the inner product, computed by a pass over the products.
type DotProduct struct {
	// Values sets dst[i] to the value at products[i]. The slices may be the same.
	Values func(dst, products []float64)
	// Slopes sets dst[i] to the derivative at products[i]. The slices may be the same. It is nil without derivatives.
	Slopes func(dst, products []float64)
	Pairwise
}

// DotProduct compiles a kernel of the inner product.
func (l *Layout) DotProduct(k DotProduct) Part {
	l.need |= needDots
	return k
}

func (k DotProduct) block(dst *mat.Dense, x, z *operand) {
	products := dots(dst, x, z)
	for i := range x.len() {
		k.Values(dst.RawRowView(i), products.RawRowView(i))
	}
}

func (k DotProduct) diag(dst []float64, x *operand) { k.Values(dst, x.sq) }

func (k DotProduct) stretchable() bool { return k.Slopes != nil }

// stretch is like Radial's, for -2 Σ w ∂k/∂<x,z> x[i,c] z[j,c].
func (k DotProduct) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	memory, g := borrow(w), borrow(w)
	defer memory.free()
	defer g.free()
	products := dots(memory.Dense, x, z)
	for i := range x.len() {
		gi := g.RawRowView(i)
		k.Slopes(gi, products.RawRowView(i))
		floats.Mul(gi, w.RawRowView(i))
	}
	stretchProducts(dst, -2, x.trans, g.Dense, z.trans)
}

// General is a kernel that is computed with its own methods.
type General struct {
	Eval func(x, z []float64) float64
	// Block and Diag compute many values faster than one by one. If they are nil, Eval is used.
	Block func(dst, x, z *mat.Dense)
	Diag  func(dst []float64, x *mat.Dense)
	Pairwise
}

// General compiles a general kernel.
func (l *Layout) General(k General) Part {
	l.dense = true
	return k
}

func (k General) block(dst *mat.Dense, x, z *operand) {
	if k.Block != nil {
		k.Block(dst, x.rows, z.rows)
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

func (k General) diag(dst []float64, x *operand) {
	if k.Diag != nil {
		k.Diag(dst, x.rows)
		return
	}
	for i := range dst {
		r := x.rows.RawRowView(i)
		dst[i] = k.Eval(r, r)
	}
}
