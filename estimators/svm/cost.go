package svm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// CostRule says where C, and the Epsilon of a Regressor, come from.
type CostRule int

// The rules.
const (
	// Fixed is the fields C and Epsilon, or their defaults.
	Fixed CostRule = iota
	// LeastSquares takes both from the least-squares machine of the same kernel (package
	// documentation). Neither has to be chosen, nor the targets to be scaled. It adds a
	// cost of O(n³), above LeastSquaresRows rows of that number. Fit returns ErrParam for a
	// kernel so far from positive semi-definite that it has no such machine.
	LeastSquares
)

// String returns the rule's name.
func (r CostRule) String() string {
	switch r {
	case Fixed:
		return "Fixed"
	case LeastSquares:
		return "LeastSquares"
	}
	return fmt.Sprintf("CostRule(%d)", int(r))
}

// LeastSquaresRows is how many rows the machine of CostRule LeastSquares has: of more it
// sees a sample.
const LeastSquaresRows = 1000

const (
	costStream = 0x636f7374 // of the sample, in the name of the seed
	// leastRidge bounds the ridge from below, in units of the mean k(x, x): C is in
	// proportion to its inverse, and the solver's steps grow with C.
	leastRidge = 1e-4
	// classFactor times the root mean square of α is the C of a Classifier. Between 4 and
	// 16 the errors differ by less than two of a hundred.
	classFactor = 6
	// tubeFactor times the standard deviation of the noise is the tube.
	tubeFactor = 0.5

	normalMean   = 1.2533141373155003 // of a normal variable, its standard deviation over the mean of its size
	normalMedian = 1.4826022185056018 // and over the median of its size
)

// slopes is what the least-squares machine says of n rows.
type slopes struct {
	mean, rms float64 // of |α|, over the weights
	noise     float64 // the standard deviation of what it leaves when a row is left out
}

// leastSquares fits the machine of the exact leave-one-out ridge to targets (n×k), on a
// sample where there are many rows; own weights may be nil.
func (s settings) leastSquares(ctx context.Context, src source, targets *mat.Dense, own []float64) (slopes, error) {
	rows := countTo(src.size())
	if len(rows) > LeastSquaresRows {
		rows = rand.New(rand.NewPCG(s.seed, costStream)).Perm(len(rows))[:LeastSquaresRows]
		slices.Sort(rows)
	}
	n := len(rows)
	_, k := targets.Dims()
	columns, err := src.on(ctx, rows)
	if err != nil {
		return slopes{}, err
	}
	gram, t, w := mat.NewSymDense(n, nil), mat.NewDense(n, k, nil), make([]float64, n)
	row, diagonal, total := make([]float64, n), 0.0, 0.0
	for i, r := range rows {
		if err := columns.fill(ctx, row, r); err != nil {
			return slopes{}, err
		}
		for j := i; j < n; j++ {
			gram.SetSym(i, j, row[j])
		}
		t.SetRow(i, targets.RawRowView(r))
		w[i] = weights.At(own, r)
		diagonal += row[i]
		total += w[i]
	}
	problem := loo.New(gram, t, w, s.workers)
	best, err := problem.SearchFrom(ctx, leastRidge*diagonal/float64(n)*total/float64(n))
	if err != nil {
		return slopes{}, err
	}
	var solved *loo.Solution
	if best.Ridge > 0 {
		if solved, err = problem.Solve(ctx, best.Ridge); err != nil {
			return slopes{}, err
		}
	}
	if solved == nil {
		return slopes{}, fault.Param(s.typ, "CostRule", s.rule, "Fixed, with a C, for this kernel and these targets: no ridge makes their least-squares machine finite")
	}

	var out slopes
	residuals, counts := make([]float64, 0, n*k), make([]float64, 0, n*k)
	for i := range n {
		for j := range k {
			// A row counts w times, so its own slope is a share of α.
			a := math.Abs(solved.Alpha.At(i, j)) / w[i]
			out.mean += w[i] / total * a / float64(k)
			out.rms += w[i] / total * a * a / float64(k)
			residuals, counts = append(residuals, math.Abs(solved.Residuals.At(i, j))), append(counts, w[i])
		}
	}
	out.rms = math.Sqrt(out.rms)
	stat.SortWeighted(residuals, counts)
	out.noise = normalMedian * stat.Quantile(0.5, stat.Empirical, residuals, counts)
	if sum := out.mean + out.rms + out.noise; sum-sum != 0 {
		return slopes{}, fmt.Errorf("%s: the least-squares machine of the targets and the kernel overflows: %w", s.typ, fault.ErrNotFinite)
	}
	return out, nil
}
