// Package fast provides the linear algebra of this library's hot paths: the functions of gonum's package blas64, with a choice of
// BLAS. If the program has registered an implementation with blas64.Use, that implementation is used. If the registered
// implementation is gonum's own, package simd replaces it on processors that support it. Other uses of gonum in the program are not
// affected.
//
// If the environment variable KERNELEARN_SIMD is "off" when the program starts, gonum's implementation is used, which helps to find
// the cause of a difference.
package fast

import (
	"os"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/kernelearn/kernelearn/internal/simd"
)

// Variable is the environment variable that switches package simd off.
const Variable = "KERNELEARN_SIMD"

// preferred replaces gonum's BLAS.
var preferred = choose(os.Getenv(Variable))

func choose(setting string) blas.Float64 {
	if setting == "off" || !simd.Available() {
		return gonum.Implementation{}
	}
	return simd.Implementation{}
}

// Implementation returns the BLAS in use.
func Implementation() blas.Float64 {
	registered := blas64.Implementation()
	if _, plain := registered.(gonum.Implementation); plain {
		return preferred
	}
	return registered
}

// Gemm is blas64.Gemm.
func Gemm(tA, tB blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	m, n, k := a.Rows, b.Cols, a.Cols
	if tA != blas.NoTrans {
		m, k = a.Cols, a.Rows
	}
	if tB != blas.NoTrans {
		n = b.Rows
	}
	Implementation().Dgemm(tA, tB, m, n, k, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, c.Data, c.Stride)
}

// Symm is blas64.Symm.
func Symm(s blas.Side, alpha float64, a blas64.Symmetric, b blas64.General, beta float64, c blas64.General) {
	m, n := b.Rows, b.Cols
	Implementation().Dsymm(s, a.Uplo, m, n, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, c.Data, c.Stride)
}

// Syrk is blas64.Syrk.
func Syrk(t blas.Transpose, alpha float64, a blas64.General, beta float64, c blas64.Symmetric) {
	n, k := a.Rows, a.Cols
	if t != blas.NoTrans {
		n, k = a.Cols, a.Rows
	}
	Implementation().Dsyrk(c.Uplo, t, n, k, alpha, a.Data, a.Stride, beta, c.Data, c.Stride)
}

// Trmm is blas64.Trmm.
func Trmm(s blas.Side, tA blas.Transpose, alpha float64, a blas64.Triangular, b blas64.General) {
	Implementation().Dtrmm(s, a.Uplo, tA, a.Diag, b.Rows, b.Cols, alpha, a.Data, a.Stride, b.Data, b.Stride)
}

// Trsm is blas64.Trsm.
func Trsm(s blas.Side, tA blas.Transpose, alpha float64, a blas64.Triangular, b blas64.General) {
	Implementation().Dtrsm(s, a.Uplo, tA, a.Diag, b.Rows, b.Cols, alpha, a.Data, a.Stride, b.Data, b.Stride)
}

// Gemv is blas64.Gemv.
func Gemv(t blas.Transpose, alpha float64, a blas64.General, x blas64.Vector, beta float64, y blas64.Vector) {
	Implementation().Dgemv(t, a.Rows, a.Cols, alpha, a.Data, a.Stride, x.Data, x.Inc, beta, y.Data, y.Inc)
}

// Symv is blas64.Symv.
func Symv(alpha float64, a blas64.Symmetric, x blas64.Vector, beta float64, y blas64.Vector) {
	Implementation().Dsymv(a.Uplo, a.N, alpha, a.Data, a.Stride, x.Data, x.Inc, beta, y.Data, y.Inc)
}

// Trsv is blas64.Trsv.
func Trsv(t blas.Transpose, a blas64.Triangular, x blas64.Vector) {
	Implementation().Dtrsv(a.Uplo, t, a.Diag, a.N, a.Data, a.Stride, x.Data, x.Inc)
}

// Trmv is blas64.Trmv.
func Trmv(t blas.Transpose, a blas64.Triangular, x blas64.Vector) {
	Implementation().Dtrmv(a.Uplo, t, a.Diag, a.N, a.Data, a.Stride, x.Data, x.Inc)
}

// Syr2 is blas64.Syr2.
func Syr2(alpha float64, x, y blas64.Vector, a blas64.Symmetric) {
	Implementation().Dsyr2(a.Uplo, a.N, alpha, x.Data, x.Inc, y.Data, y.Inc, a.Data, a.Stride)
}

// Dot is blas64.Dot.
func Dot(x, y blas64.Vector) float64 {
	if x.N != y.N {
		panic("fast: vectors of different lengths")
	}
	return Implementation().Ddot(x.N, x.Data, x.Inc, y.Data, y.Inc)
}

// Axpy is blas64.Axpy.
func Axpy(alpha float64, x, y blas64.Vector) {
	if x.N != y.N {
		panic("fast: vectors of different lengths")
	}
	Implementation().Daxpy(x.N, alpha, x.Data, x.Inc, y.Data, y.Inc)
}

// Nrm2 is blas64.Nrm2.
func Nrm2(x blas64.Vector) float64 { return Implementation().Dnrm2(x.N, x.Data, x.Inc) }

// Scal is blas64.Scal.
func Scal(alpha float64, x blas64.Vector) { Implementation().Dscal(x.N, alpha, x.Data, x.Inc) }
