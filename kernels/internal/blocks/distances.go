package blocks

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// dots returns <x[i], z[j]>, in dst or in the memory of keep.
func dots(dst *mat.Dense, x, z *operand) *mat.Dense {
	if x.sparse != nil {
		sparseProducts(dst, x, z)
		return dst
	}
	return keep(pairDots, dst, x, z, func(dst *mat.Dense) { product(dst, 1, x.rows, z.trans) })
}

// product sets dst = alpha·a·b. It calls BLAS directly, because mat.Dense.Mul would first compare the memory of its arguments, and
// dst is a window into a matrix.
func product(dst *mat.Dense, alpha float64, a, b *mat.Dense) {
	fast.Gemm(blas.NoTrans, blas.NoTrans, alpha, a.RawMatrix(), b.RawMatrix(), 0, dst.RawMatrix())
}

// cancellation is the ratio of squared distance to squared norms below which the distance is recomputed from the differences. Above
// this ratio at most ten bits are lost.
const cancellation = 1e-3

// squaredDistances returns |x[i]-z[j]|², in dst or in the memory of keep.
func squaredDistances(dst *mat.Dense, x, z *operand) *mat.Dense {
	if x.sparse != nil {
		sparseSquaredDistances(dst, x, z)
		return dst
	}
	return keep(pairDistances, dst, x, z, func(dst *mat.Dense) {
		computeSquaredDistances(dst, x, z)
		x.addLevels(dst, z, 2)
	})
}

// computeSquaredDistances sets dst[i,j] = |x[i]-z[j]|², with a relative error of at most about 1e-13, and exactly 0 for equal rows.
func computeSquaredDistances(dst *mat.Dense, x, z *operand) {
	product(dst, -2, x.centred, z.centredTrans)
	addNorms(dst, x.centredSq, z.centredSq, func(i, j int) float64 {
		return vecmath.SquaredDistance(x.moved.RawRowView(i), z.moved.RawRowView(j))
	})
}

// addNorms adds squared norms to -2 times the products of rows. If these cancel, it calls near, which returns the distance of two
// rows.
func addNorms(dst *mat.Dense, ofX, ofZ []float64, near func(i, j int) float64) {
	for i, sx := range ofX {
		di := dst.RawRowView(i)
		if vecmath.AddNorms(di, sx, ofZ, cancellation) {
			continue
		}
		for j, sz := range ofZ {
			// The negated comparison is also true if norms overflowed and the distance is NaN.
			if !(di[j] > cancellation*(sx+sz)) {
				di[j] = near(i, j)
			}
		}
	}
}

// sparseProducts sets dst[i,j] = <x[i], z[j]>. It adds the products of entries by ascending columns, so that the result does not
// depend on the order of x and z or on the other rows.
func sparseProducts(dst *mat.Dense, x, z *operand) {
	for i := range x.len() {
		columns, values := x.sparse.rows.Row(i)
		z.sparse.columns.Products(dst.RawRowView(i), columns, values)
	}
}

// sparseSquaredDistances sets dst[i,j] = |x[i]-z[j]|², as computeSquaredDistances does. The rows are not shifted, because rows
// minus their mean would not be sparse. If the norms are much larger than a distance, it is computed from the differences.
func sparseSquaredDistances(dst *mat.Dense, x, z *operand) {
	sparseProducts(dst, x, z)
	for i := range x.len() {
		floats.Scale(-2, dst.RawRowView(i))
	}
	addNorms(dst, x.sq, z.sq, func(i, j int) float64 { return x.sparse.rows.SquaredDistance(i, z.sparse.rows, j) })
}

// computeManhattan sets dst[i,j] = |x[i]-z[j]|₁, column by column along the rows of dst, because the Manhattan distance is not a
// matrix product.
func computeManhattan(dst *mat.Dense, x, z *operand) {
	r, _ := dst.Dims()
	for i := range r {
		di := dst.RawRowView(i)
		clear(di)
		for c, v := range x.moved.RawRowView(i) {
			vecmath.AddManhattan(di, v, z.movedTrans.RawRowView(c))
		}
	}
}

// manhattan returns |x[i]-z[j]|₁, in dst or in the memory of keep.
func manhattan(dst *mat.Dense, x, z *operand) *mat.Dense {
	return keep(pairManhattan, dst, x, z, func(dst *mat.Dense) {
		computeManhattan(dst, x, z)
		x.addLevels(dst, z, 1)
	})
}
