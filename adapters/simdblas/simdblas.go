package simdblas

import "gonum.org/v1/gonum/blas/gonum"

// Implementation is a BLAS: gonum's with the routines replaced that the package's
// documentation names. It has no state, and its zero value is ready for use.
type Implementation struct {
	gonum.Implementation
}
