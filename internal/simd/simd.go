// Package simd has the routines of a BLAS in vector instructions: what adapters/simdblas
// registers for a program, and what this library computes with where nobody has registered
// another BLAS (package fast).
//
// A product is cut into tiles of the result, which goroutines share out among them. For
// a tile, blocks of both factors are copied so that the micro-kernel reads them in order:
// it keeps an 8×24 piece of the result (4×12 with AVX2 or NEON) in registers, and adds for
// each step of the inner dimension the outer product of 8 and 24 numbers. Small factors are read
// where they are, by kernels of the same shape, on amd64. (K. Goto and
// R. van de Geijn, Anatomy of high-performance matrix multiplication, ACM Transactions on
// Mathematical Software 34(3), 2008; F. Van Zee and R. van de Geijn, BLIS: a framework for
// rapidly instantiating BLAS functionality, the same 41(3), 2015.)
package simd

import "gonum.org/v1/gonum/blas/gonum"

// Implementation is gonum's BLAS with routines replaced. It has no state.
type Implementation struct {
	gonum.Implementation
}
