// Package simdblas makes gonum's matrix routines several times as fast on amd64
// processors with AVX2 and FMA, faster again with AVX-512, and on arm64, with NEON, by counts of
// instructions alone so far, without a C compiler.
// One blank import in the program registers it:
//
//	import _ "github.com/kernelearn/kernelearn/adapters/simdblas"
//
// Everything of gonum's that goes through blas64 profits, its lapack package among it. This
// library computes with these routines in any case, as long as gonum's own BLAS is the
// registered one: the import is for the program's own matrices.
//
// Implementation embeds gonum's own BLAS and replaces Dgemm, Dsyrk, Dsyr2k, Dsymm,
// Dtrmm and Dtrsm by products of packed blocks (of small factors as they are), and Dgemv, Dsymv, Dger, Dsyr, Dsyr2,
// Dtrsv, Ddot, Daxpy, Dscal and Dnrm2 by vector loops. On other processors, on other
// architectures and with the build tag purego it is gonum's BLAS and registers nothing.
//
// # Results
//
// They differ from gonum's by rounding: sums are taken in another order, and with fused
// multiply-adds. They do not depend on GOMAXPROCS, nor, but for Dtrsm and Dtrmm, whose
// blocks are then larger, on whether AVX-512 is there: the inner dimension is never split between
// goroutines, and the lengths of its blocks are a function of the arguments alone.
// Dtrsm multiplies by the reciprocals of the diagonal, as gonum's does on the left; where one
// would be infinite, of 0 and below about 5.6e-309, it is gonum's.
//
// Arguments are checked by the same rules and with the same panics: whatever is not
// plainly in order is handed to gonum's routine. NaN and Inf differ in one point: gonum's
// loops skip the zeros of one factor, so that 0·NaN and 0·Inf sometimes count as 0 there;
// here they are NaN always, as IEEE 754 has it, but for products with the triangle of a
// triangular or symmetric matrix that is not referenced. With beta = 0 the result is
// overwritten whatever it held, and with alpha = 0 the factors are not read, as in gonum.
// Dger takes negative increments, with which gonum's (v0.17.0, on amd64) reads beside x and y.
package simdblas
