package simdblas_test

import (
	"testing"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/kernelearn/kernelearn/adapters/simdblas"
	"github.com/kernelearn/kernelearn/internal/testkit/blasbench"
)

// BenchmarkRoutines compares the time of each routine with that of gonum in the same run.
func BenchmarkRoutines(b *testing.B) {
	blasbench.Routines(b, simdblas.Implementation{}, blasbench.Contender{Name: "gonum", BLAS: gonum.Implementation{}})
}
