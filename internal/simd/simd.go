// Package simd provides BLAS routines in vector instructions. adapters/simdblas registers them for a program, and this library uses
// them through package fast unless the program has registered another BLAS.
//
// A product is divided into tiles of the result, which run in parallel. For each tile, blocks of both factors are copied so that
// the micro-kernel reads them in order. It keeps an 8×24 part of the result (4×12 with AVX2 or NEON) in registers, and adds the
// outer product of 8 and 24 numbers for each step of the inner dimension. On amd64, small factors are read in place by kernels of
// the same shape. (K. Goto and R. van de Geijn, Anatomy of high-performance matrix multiplication, ACM Transactions on Mathematical
// Software 34(3), 2008; F. Van Zee and R. van de Geijn, BLIS: a framework for rapidly instantiating BLAS functionality, the same
// 41(3), 2015.)
package simd

import "gonum.org/v1/gonum/blas/gonum"

// Implementation is gonum's BLAS with some routines replaced. It has no state.
type Implementation struct {
	gonum.Implementation
}
