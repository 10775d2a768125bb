// Package openblas makes gonum use the system's BLAS and LAPACK, through cgo. One blank import in the program registers both:
//
//	import _ "github.com/kernelearn/kernelearn/adapters/openblas"
//
// While the library runs its own concurrent tasks, OpenBLAS uses only the calling thread, in the entire process. At all other times
// its number of threads is OPENBLAS_NUM_THREADS. The README lists the required packages and linker flags, and describes the use of
// threads in detail.
package openblas

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	blasnetlib "gonum.org/v1/netlib/blas/netlib"
	lapacknetlib "gonum.org/v1/netlib/lapack/netlib"
)

func init() {
	blas64.Use(blasnetlib.Implementation{})
	lapack64.Use(lapacknetlib.Implementation{})
	surroundTasks()
}
