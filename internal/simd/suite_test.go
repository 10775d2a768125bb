package simd

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/testblas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"

	"github.com/kernelearn/kernelearn/internal/testkit/raced"
)

// oneGoroutine skips, under the race detector, a test that uses a single goroutine.
func oneGoroutine(t *testing.T) {
	if raced.Enabled {
		t.Skip("one goroutine")
	}
}

// gonum's own test suite for a BLAS passes.
func TestSuite(t *testing.T) {
	oneGoroutine(t)
	impl := Implementation{}
	everywhere(t, func(t *testing.T) {
		t.Run("Dgemm", func(t *testing.T) { testblas.TestDgemm(t, impl) })
		t.Run("Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, impl) })
		t.Run("Dsyr2k", func(t *testing.T) { testblas.Dsyr2kTest(t, impl) })
		t.Run("Dsymm", func(t *testing.T) { testblas.DsymmTest(t, impl) })
		t.Run("Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, impl) })
		t.Run("Dtrmm", func(t *testing.T) { testblas.DtrmmTest(t, impl) })
		t.Run("Dgemv", func(t *testing.T) { testblas.DgemvTest(t, impl) })
		t.Run("Dsymv", func(t *testing.T) { testblas.DsymvTest(t, impl) })
		t.Run("Dger", func(t *testing.T) { testblas.DgerTest(t, impl) })
		t.Run("Dsyr", func(t *testing.T) { testblas.DsyrTest(t, impl) })
		t.Run("Dsyr2", func(t *testing.T) { testblas.Dsyr2Test(t, impl) })
		t.Run("Dtrsv", func(t *testing.T) { testblas.DtrsvTest(t, impl) })
		t.Run("Dtxmv", func(t *testing.T) { testblas.DtxmvTest(t, impl) })
		t.Run("Ddot", func(t *testing.T) { testblas.DdotTest(t, impl) })
		t.Run("Daxpy", func(t *testing.T) { testblas.DaxpyTest(t, impl) })
		t.Run("Dscal", func(t *testing.T) { testblas.DscalTest(t, impl) })
		t.Run("Dnrm2", func(t *testing.T) { testblas.Dnrm2Test(t, impl) })
	})
}

// gonum's own LAPACK tests pass, for functions that use the replaced routines. They use the registered BLAS.
func TestLapack(t *testing.T) {
	oneGoroutine(t)
	was := blas64.Implementation()
	blas64.Use(Implementation{})
	defer blas64.Use(was)
	impl := lapack.Implementation{}
	replaced(t, func(t *testing.T) {
		t.Run("Dpotf2", func(t *testing.T) { testlapack.Dpotf2Test(t, impl) })
		t.Run("Dpotrf", func(t *testing.T) { testlapack.DpotrfTest(t, impl) })
		t.Run("Dpotri", func(t *testing.T) { testlapack.DpotriTest(t, impl) })
		t.Run("Dpotrs", func(t *testing.T) { testlapack.DpotrsTest(t, impl) })
		t.Run("Dpocon", func(t *testing.T) { testlapack.DpoconTest(t, impl) })
		t.Run("Dpstrf", func(t *testing.T) { testlapack.DpstrfTest(t, impl) })
		t.Run("Dtrtri", func(t *testing.T) { testlapack.DtrtriTest(t, impl) })
		t.Run("Dtrtrs", func(t *testing.T) { testlapack.DtrtrsTest(t, impl) })
		t.Run("Dgeqr2", func(t *testing.T) { testlapack.Dgeqr2Test(t, impl) })
		t.Run("Dgeqrf", func(t *testing.T) { testlapack.DgeqrfTest(t, impl) })
		t.Run("Dgelqf", func(t *testing.T) { testlapack.DgelqfTest(t, impl) })
		t.Run("Dorgqr", func(t *testing.T) { testlapack.DorgqrTest(t, impl) })
		t.Run("Dormqr", func(t *testing.T) { testlapack.DormqrTest(t, impl) })
		t.Run("Dlarfb", func(t *testing.T) { testlapack.DlarfbTest(t, impl) })
		t.Run("Dlatrd", func(t *testing.T) { testlapack.DlatrdTest(t, impl) })
		t.Run("Dsytd2", func(t *testing.T) { testlapack.Dsytd2Test(t, impl) })
		t.Run("Dsytrd", func(t *testing.T) { testlapack.DsytrdTest(t, impl) })
		t.Run("Dsteqr", func(t *testing.T) { testlapack.DsteqrTest(t, impl) })
		t.Run("Dsyev", func(t *testing.T) { testlapack.DsyevTest(t, impl) })
	})
}
