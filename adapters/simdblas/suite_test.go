package simdblas

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
)

// gonum's own tests of a BLAS.
func TestSuite(t *testing.T) {
	impl := Implementation{}
	everywhere(t, func(t *testing.T) {
		t.Run("Dgemm", func(t *testing.T) { testblas.TestDgemm(t, impl) })
	})
}
