// Package openblas makes gonum run on the BLAS and LAPACK of the system, through cgo. One
// blank import in the program registers both:
//
//	import _ "github.com/kernelearn/kernelearn/adapters/openblas"
//
// While the library runs tasks of its own beside each other, OpenBLAS is kept to the thread that
// calls it, in the whole process; at all other times it has the threads that OPENBLAS_NUM_THREADS
// says. The README says which packages and which linker flags it takes, and more of threads.
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
