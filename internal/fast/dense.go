package fast

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Mul computes dst.Mul(a, b). If a and b are dense matrices or their transposes, and dst shares no memory with them, it uses this
// package's BLAS.
func Mul(dst *mat.Dense, a, b mat.Matrix) {
	ra, ta, ok := dense(a)
	rb, tb, also := dense(b)
	if !ok || !also {
		dst.Mul(a, b)
		return
	}
	rows, inner := a.Dims()
	same, columns := b.Dims()
	if inner != same {
		panic(mat.ErrShape)
	}
	Gemm(ta, tb, 1, ra, rb, 0, shaped(dst, rows, columns))
}

// shaped returns the data of dst. If dst is empty, it first gives it this shape.
func shaped(dst *mat.Dense, rows, columns int) blas64.General {
	if dst.IsEmpty() {
		dst.ReuseAs(rows, columns)
	}
	if r, c := dst.Dims(); r != rows || c != columns {
		panic(mat.ErrShape)
	}
	return dst.RawMatrix()
}

// dense returns the matrix behind m if m is dense or the transpose of a dense matrix, and whether it is transposed.
func dense(m mat.Matrix) (blas64.General, blas.Transpose, bool) {
	switch m := m.(type) {
	case *mat.Dense:
		return m.RawMatrix(), blas.NoTrans, true
	case mat.Transpose:
		if inner, ok := m.Matrix.(*mat.Dense); ok {
			return inner.RawMatrix(), blas.Trans, true
		}
	case *mat.VecDense:
		v := m.RawVector()
		return blas64.General{Rows: v.N, Cols: 1, Stride: v.Inc, Data: v.Data}, blas.NoTrans, true
	}
	return blas64.General{}, blas.NoTrans, false
}

// MulVec computes dst.MulVec(a, x). dst and x must not share memory. a must be dense, the transpose of a dense matrix, or
// symmetric.
func MulVec(dst *mat.VecDense, a mat.Matrix, x *mat.VecDense) {
	rows, _ := a.Dims()
	if dst.IsEmpty() {
		dst.ReuseAsVec(rows)
	}
	if s, ok := a.(*mat.SymDense); ok && x.Len() == rows && dst.Len() == rows {
		Symv(1, s.RawSymmetric(), x.RawVector(), 0, dst.RawVector())
		return
	}
	r, t, ok := dense(a)
	if _, columns := a.Dims(); !ok || x.Len() != columns || dst.Len() != rows {
		dst.MulVec(a, x)
		return
	}
	Gemv(t, 1, r, x.RawVector(), 0, dst.RawVector())
}

// SymOuterK computes dst.SymOuterK(alpha, x), which is alpha XX'.
func SymOuterK(dst *mat.SymDense, alpha float64, x mat.Matrix) {
	n, _ := x.Dims()
	r, t, ok := dense(x)
	if !ok {
		dst.SymOuterK(alpha, x)
		return
	}
	if dst.IsEmpty() {
		dst.ReuseAsSym(n)
	}
	if dst.SymmetricDim() != n {
		panic(mat.ErrShape)
	}
	Syrk(t, alpha, r, 0, dst.RawSymmetric())
}

// AddOuterK computes dst.SymRankK(dst, alpha, x), which adds alpha XX'.
func AddOuterK(dst *mat.SymDense, alpha float64, x mat.Matrix) {
	r, t, ok := dense(x)
	if n, _ := x.Dims(); !ok || dst.SymmetricDim() != n {
		dst.SymRankK(dst, alpha, x)
		return
	}
	Syrk(t, alpha, r, 1, dst.RawSymmetric())
}
