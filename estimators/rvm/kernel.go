package rvm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/internal/varying"
	"github.com/kernelearn/kernelearn/internal/learning"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
)

// The kernel that is learnt where none is set: its smoothness, the rows that its lengths are climbed on, and
// beyond how many classes the evidence of targets ±1 stands in for Laplace's, which costs a mode for each class.
const (
	learntNu       = 2.5
	fewRows        = 300
	moreRows       = 1000
	modeRows       = 500
	laplaceClasses = 6
)

// columnsOfRows is how wide rows are before fewer are climbed on: a gradient takes n³ + 4n²d multiplications.
const columnsOfRows = 100

// learntKernel is a Matérn kernel with a length for each column that varies, by the evidence of the Gaussian process that has
// it for covariance.
func (p basisSettings) learntKernel(ctx context.Context, x *mat.Dense,
	wanted func() (learning.Targets, learning.Kind)) (kernels.Kernel, error) {
	t, kind := wanted()
	columns := varying.Find(x)
	x = columns.Rows(x)
	_, d := x.Dims()
	l := learning.Lengths{
		Base: kernels.Matern{Nu: learntNu, Length: 1}, Kind: kind, Rows: climbRows(d, t, kind), Seed: p.seed, Workers: p.workers,
		MaxBytes: p.bytes(),
	}
	k, err := l.Learn(ctx, x, t)
	if err != nil {
		return nil, err
	}
	return columns.Kernel(k), nil
}

// shareOfKernel is about what learning the kernel takes of the time that all else does.
func (p basisSettings) shareOfKernel() float64 {
	if len(p.configured()) > 0 {
		return 0
	}
	return 1
}

// climbRows are the rows that are climbed on, of d columns: fewer of wide rows and of several classes, so that a climb takes no longer.
func climbRows(d int, t learning.Targets, kind learning.Kind) []int {
	var out []int
	for _, rows := range []float64{fewRows, moreRows} {
		if kind == learning.Laplace {
			// A mode for each column of targets, of some eight factors.
			rows = min(rows, modeRows) / math.Cbrt(float64(t.Y.RawMatrix().Cols))
		}
		scale := math.Sqrt((rows + 4*columnsOfRows) / (rows + 4*max(float64(d), columnsOfRows)))
		out = append(out, max(3, int(rows*scale)))
	}
	return out
}

// numbers are the targets of a regression. No objective knows their constant or their unit.
func numbers(y, rows []float64) (learning.Targets, learning.Kind) {
	return learning.Targets{Y: mat.NewDense(len(y), 1, targets.Centred(y)), Weights: rows, Outputs: 1}, learning.Restricted
}

// signs are ±1 for two classes, and for each class against the rest of more, or their means over equal rows.
func (r *rowsOfClasses) signs() (learning.Targets, learning.Kind) {
	kind := learning.Laplace
	if len(r.labels) > laplaceClasses {
		kind = learning.Restricted
	}
	return learning.Targets{Y: r.targets, Weights: r.ofKernel, Outputs: len(r.labels) - 1}, kind
}
