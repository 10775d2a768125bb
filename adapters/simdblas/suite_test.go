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
		t.Run("Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, impl) })
		t.Run("Dsyr2k", func(t *testing.T) { testblas.Dsyr2kTest(t, impl) })
		t.Run("Dsymm", func(t *testing.T) { testblas.DsymmTest(t, impl) })
		t.Run("Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, impl) })
		t.Run("Dtrmm", func(t *testing.T) { testblas.DtrmmTest(t, impl) })
	})
}
