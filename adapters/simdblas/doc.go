// Package simdblas makes gonum's matrix routines several times as fast on amd64
// processors with AVX2 and FMA, and faster again with AVX-512, without a C compiler.
// One blank import in the program registers it:
//
//	import _ "github.com/kernelearn/kernelearn/adapters/simdblas"
//
// Everything of gonum's that goes through blas64 profits, its lapack package among it.
// Implementation embeds gonum's own BLAS and replaces Dgemm, Dsyrk, Dsyr2k, Dsymm,
// Dtrmm and Dtrsm by products of packed blocks, and Dgemv, Dsymv, Dger, Dsyr, Dsyr2,
// Dtrsv, Ddot, Daxpy, Dscal and Dnrm2 by vector loops. On other processors, on other
// architectures and with the build tag purego it is gonum's BLAS and registers nothing.
//
// # Results
//
// They differ from gonum's by rounding: sums are taken in another order, and with fused
// multiply-adds. They do not depend on GOMAXPROCS, nor on whether AVX-512 is there: the
// inner dimension is never split between goroutines, and the lengths of its blocks are a
// function of the arguments alone.
//
// Arguments are checked by the same rules and with the same panics: whatever is not
// plainly in order is handed to gonum's routine. NaN and Inf differ in one point: gonum's
// loops skip the zeros of one factor, so that 0·NaN and 0·Inf sometimes count as 0 there;
// here they are NaN always, as IEEE 754 has it, but for products with the triangle of a
// triangular or symmetric matrix that is not referenced. With beta = 0 the result is
// overwritten whatever it held, and with alpha = 0 the factors are not read, as in gonum.
// Dger takes negative increments, with which gonum's (v0.17.0, on amd64) reads beside x and y.
//
// # How it works
//
// A product is cut into tiles of the result, which goroutines share out among them. For
// a tile, blocks of both factors are copied so that the micro-kernel reads them in order:
// it keeps an 8×24 piece of the result (4×12 without AVX-512) in registers, and adds for
// each step of the inner dimension the outer product of 8 and 24 numbers. (K. Goto and
// R. van de Geijn, Anatomy of high-performance matrix multiplication, ACM Transactions on
// Mathematical Software 34(3), 2008; F. Van Zee and R. van de Geijn, BLIS: a framework for
// rapidly instantiating BLAS functionality, the same 41(3), 2015.)
package simdblas
