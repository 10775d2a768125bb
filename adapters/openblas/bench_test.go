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

// BenchmarkRoutines compares the time of each routine of adapters/simdblas with gonum's and OpenBLAS's, in the same run.
// OPENBLAS_NUM_THREADS must equal -cpu.
func BenchmarkRoutines(b *testing.B) {
	// The function that limits OpenBLAS to one thread within our tasks takes longer than a small product of ours.
	parallel.OnParallel(nil, nil)
	defer surroundTasks()
	// OpenBLAS's threads wait actively for 2²⁸ cycles after a call, on processors that the other contenders need.
	var rest time.Duration
	if runtime.GOMAXPROCS(0) > 1 {
		rest = 200 * time.Millisecond
	}
	blasbench.Routines(b, simdblas.Implementation{},
		blasbench.Contender{Name: "gonum", BLAS: gonum.Implementation{}},
		blasbench.Contender{Name: "OpenBLAS", BLAS: blasnetlib.Implementation{}, Cholesky: lapacknetlib.Implementation{}.Dpotrf, Rest: rest})
}
