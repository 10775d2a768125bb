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

// These constants define the kernel that is used if none is set: its smoothness, and the numbers of rows on which its lengths are
// chosen. With more than laplaceClasses classes, the evidence for targets ±1 replaces Laplace's approximation, which costs a mode
// for each class.
const (
	learntNu       = 2.5
	fewRows        = 300
	moreRows       = 1000
	modeRows       = 500
	laplaceClasses = 6
)

// columnsOfRows is the number of columns above which fewer rows are used to choose lengths, because a gradient takes n³ + 4n²d
// multiplications.
const columnsOfRows = 100

// learntKernel returns a Matérn kernel with a length for each column that varies. The lengths maximise the evidence of the Gaussian
// process with this kernel as its covariance.
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

// shareOfKernel returns the approximate time for the choice of the kernel, relative to the time for the rest of the fit.
func (p basisSettings) shareOfKernel() float64 {
	if len(p.configured()) > 0 {
		return 0
	}
	return 1
}

// climbRows returns the numbers of rows on which lengths are chosen one after the other, for d columns. They are smaller with many
// columns or several classes, so that the choice takes no longer.
func climbRows(d int, t learning.Targets, kind learning.Kind) []int {
	var out []int
	for _, rows := range []float64{fewRows, moreRows} {
		if kind == learning.Laplace {
			// Each column of targets needs a mode, which takes about eight factorisations.
			rows = min(rows, modeRows) / math.Cbrt(float64(t.Y.RawMatrix().Cols))
		}
		scale := math.Sqrt((rows + 4*columnsOfRows) / (rows + 4*max(float64(d), columnsOfRows)))
		out = append(out, max(3, int(rows*scale)))
	}
	return out
}

// numbers returns the targets of a regression. Adding a constant to the targets, or changing their unit, does not change the
// lengths.
func numbers(y, rows []float64) (learning.Targets, learning.Kind) {
	return learning.Targets{Y: mat.NewDense(len(y), 1, targets.Centred(y)), Weights: rows, Outputs: 1}, learning.Restricted
}

// signs returns targets of ±1 for two classes, or for each of several classes against the others. Equal rows have the mean of their
// targets.
func (r *rowsOfClasses) signs() (learning.Targets, learning.Kind) {
	kind := learning.Laplace
	if len(r.labels) > laplaceClasses {
		kind = learning.Restricted
	}
	return learning.Targets{Y: r.targets, Weights: r.ofKernel, Outputs: len(r.labels) - 1}, kind
}
