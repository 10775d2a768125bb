package simdblas

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/kernelearn/kernelearn/internal/simd"
)

// Implementation is gonum's BLAS with some routines replaced. The package documentation lists them. It has no state, and its zero
// value is ready for use.
type Implementation struct {
	simd.Implementation
}

func init() {
	if simd.Available() {
		blas64.Use(Implementation{})
	}
}
