package openblas

import (
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/gonum"
	blasnetlib "gonum.org/v1/netlib/blas/netlib"
	lapacknetlib "gonum.org/v1/netlib/lapack/netlib"

	"github.com/kernelearn/kernelearn/adapters/simdblas"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/testkit/blasbench"
)

// BenchmarkRoutines compares the time of each routine of adapters/simdblas with the times of gonum and OpenBLAS in the same run.
// OPENBLAS_NUM_THREADS must equal -cpu.
func BenchmarkRoutines(b *testing.B) {
	// The function that limits OpenBLAS to one thread within the library's tasks takes longer than a small product of the library.
	parallel.OnParallel(nil, nil)
	defer surroundTasks()
	// After a call, OpenBLAS's threads keep waiting actively for 2²⁸ cycles, on processors that the other contenders need.
	var rest time.Duration
	if runtime.GOMAXPROCS(0) > 1 {
		rest = 200 * time.Millisecond
	}
	blasbench.Routines(b, simdblas.Implementation{},
		blasbench.Contender{Name: "gonum", BLAS: gonum.Implementation{}},
		blasbench.Contender{Name: "OpenBLAS", BLAS: blasnetlib.Implementation{}, Cholesky: lapacknetlib.Implementation{}.Dpotrf, Rest: rest})
}
