// Package simdblas makes gonum's matrix routines several times as fast on amd64 processors with AVX2 and FMA, without a C compiler.
// They are still faster with AVX-512. On arm64 it uses NEON; so far only instruction counts were measured there. One blank import
// in the program registers it:
//
//	import _ "github.com/kernelearn/kernelearn/adapters/simdblas"
//
// All parts of gonum that use blas64 benefit, including its lapack package. This library always computes with these routines while
// gonum's own BLAS is registered, so the import matters only for the program's own matrices.
//
// Implementation embeds gonum's own BLAS. It replaces Dgemm, Dsyrk, Dsyr2k, Dsymm, Dtrmm and Dtrsm with products of packed blocks,
// or of unpacked factors if they are small. It replaces Dgemv, Dsymv, Dger, Dsyr, Dsyr2, Dtrsv, Ddot, Daxpy, Dscal and Dnrm2 with
// vector loops. On other processors and architectures, and with the build tag purego, Implementation is gonum's BLAS and nothing is
// registered.
//
// # Results
//
// Results differ from gonum's by rounding, since terms are added in a different order and with fused multiply-adds. They do not
// depend on GOMAXPROCS: the inner dimension is never split between goroutines, and the lengths of its blocks depend only on the
// arguments. They do not depend on AVX-512 either, except for Dtrsm and Dtrmm, whose blocks are larger with AVX-512. Dtrsm
// multiplies by the reciprocals of the diagonal, as gonum's Dtrsm does for a triangular matrix on the left. If a reciprocal would
// be infinite, which is the case for 0 and below about 5.6e-309, gonum's Dtrsm is used.
//
// Arguments are checked with the same rules and the same panics: any arguments that are not clearly valid are passed to gonum's
// routine. NaN and Inf are treated differently in one respect. gonum's loops skip the zeros of one factor, so that 0·NaN and 0·Inf
// sometimes count as 0. Here they are always NaN, as in IEEE 754, except for products with the unreferenced triangle of a
// triangular or symmetric matrix. As in gonum, the result is overwritten if beta = 0, even where it is NaN, and the factors are not
// read if alpha = 0. Dger accepts negative increments, for which gonum's Dger (v0.17.0, on amd64) reads outside x and y.
package simdblas
