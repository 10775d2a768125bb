package svm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// leastSquaresRows is the largest number of rows of the least-squares machine from which C and Epsilon are derived. If there are
// more rows, a sample is used.
const leastSquaresRows = 1000

const (
	costStream = 0x636f7374 // random stream of the sample
	// leastRidge is the smallest ridge, in units of the mean of k(x, x). C is proportional to the inverse of the ridge, and the
	// solver needs more steps for a larger C.
	leastRidge = 1e-4
	// The C of a Classifier is classFactor times the root mean square of α. For factors between 4 and 16 the errors differ by less
	// than 2%.
	classFactor = 6
	// The half width of the tube is tubeFactor times the standard deviation of the noise.
	tubeFactor = 0.5
	// If there is no least-squares machine, the half width of the tube is fallbackTube times the standard deviation of the targets.
	fallbackTube = 0.1

	normalMean   = 1.2533141373155003 // standard deviation of a normal variable, divided by the mean of its magnitude
	normalMedian = 1.4826022185056018 // standard deviation, divided by the median of the magnitude
)

// ofClasses sets C. It uses the targets ±1 for each class against the others.
func (s *machineSettings) ofClasses(ctx context.Context, src smo.Source, rows *fitRows, targets *mat.Dense, own []float64) error {
	l, err := s.leastSquares(ctx, src, rows, targets, own)
	switch {
	case err != nil:
		return err
	case l == nil:
		s.c = 1
		s.warnings = append(s.warnings, "the kernel matrix is so indefinite that it has no least-squares machine for C: 1 is used")
	default:
		s.c = cmp.Or(classFactor*l.rms, 1)
	}
	return nil
}

// tolerateIn multiplies the default tolerance by the standard deviation of the targets, if it is finite and not 0.
func (s *machineSettings) tolerateIn(y, own []float64) {
	if spread := stat.PopStdDev(y, own); s.tolerated && spread > 0 && !math.IsInf(spread, 1) {
		s.tolerance *= spread
	}
}

// ofTargets sets C if it is 0, and the half width of the tube if it is 0.
func (s *machineSettings) ofTargets(ctx context.Context, src smo.Source, rows *fitRows, y []float64) error {
	own := rows.own
	spread := stat.PopStdDev(y, own)
	// Constant targets need no bound on β, and have no noise.
	c, epsilon := cmp.Or(spread, 1), fallbackTube*spread
	if len(y) > 1 {
		l, err := s.leastSquares(ctx, src, rows, mat.NewDense(len(y), 1, y), own)
		switch {
		case err != nil:
			return err
		case l != nil:
			c, epsilon = cmp.Or(normalMean*l.mean, 1), tubeFactor*l.noise
		case math.IsInf(spread, 1) || math.IsNaN(spread):
			return errOverflow(s.typ)
		default:
			s.warnings = append(s.warnings, fmt.Sprintf(
				"the kernel matrix is so indefinite that it has no least-squares machine for C and Epsilon: those not given "+
					"are the "+
					"targets' standard deviation, %.3g, and a tenth of it", spread))
		}
	}
	s.c, s.epsilon = cmp.Or(s.c, c), cmp.Or(s.epsilon, epsilon)
	return nil
}

func errOverflow(typ string) error {
	return fmt.Errorf("%s: the least-squares machine of the targets and the kernel overflows: %w", typ, fault.ErrNotFinite)
}

// shareOfChoice returns the approximate time for the choice of C and the tube for n rows, relative to the time for the rest of the
// fit. The choice uses a sample.
func (s *machineSettings) shareOfChoice(n int) float64 {
	if s.c != 0 && s.epsilon != 0 {
		return 0
	}
	return .5 * min(1, leastSquaresRows/float64(n))
}

// slopes holds the results of the least-squares machine.
type slopes struct {
	mean, rms float64 // mean and root mean square of |α|, per unit of weight
	noise     float64 // the standard deviation of the leave-one-out residuals
}

// leastSquares fits the least-squares machine, with the ridge chosen by leave-one-out, to the means of targets (n×k) over equal
// rows. If there are many rows, it uses a sample. own holds the weights and may be nil. It returns nil if no ridge has a finite
// machine.
func (s *machineSettings) leastSquares(
	ctx context.Context, src smo.Source, rows *fitRows, targets *mat.Dense, own []float64,
) (*slopes, error) {
	merged := rows.equal.Weighed(own)
	mean := merged.Mean(targets)
	sample := smo.CountTo(merged.Len())
	if len(sample) > leastSquaresRows {
		sample = rand.New(rand.NewPCG(s.seed, costStream)).Perm(len(sample))[:leastSquaresRows]
		slices.Sort(sample)
	}
	numbers := sample
	if merged.First != nil {
		numbers = linalg.Pick(merged.First, sample)
	}
	gram, err := sampled(progress.Detach(ctx), src, numbers)
	if err != nil {
		return nil, err
	}
	t, w := linalg.Rows(mean, sample), make([]float64, len(sample))
	for i, at := range sample {
		w[i] = weights.Weight(merged.Weights, at)
	}
	n := float64(len(sample))
	unit := floats.Sum(w) / n
	floats.Scale(1/unit, w) // so that rounding does not depend on the unit of the weights
	least := leastRidge * mat.Trace(gram) / n
	first, rest := progress.Two(ctx, 3, 1)
	problem, err := loo.New(first, gram, t, w, s.workers) // which owns gram
	if err != nil {
		return nil, err
	}
	problem.LeaveGroupsOut(rows.unitsOf(numbers))
	best, err := problem.SearchFrom(rest, least)
	if err != nil || best.Ridge == 0 {
		return nil, err
	}
	solved, err := problem.Solve(ctx, best.Ridge)
	if err != nil || solved == nil {
		return nil, err
	}
	out := slopesOf(solved, w)
	out.mean /= unit
	out.rms /= unit
	out.noise = math.Sqrt(out.noise*out.noise + floats.Sum(merged.MeanSquareWithin(targets, mean)))
	if sum := out.mean + out.rms + out.noise; sum-sum != 0 {
		return nil, errOverflow(s.typ)
	}
	return out, nil
}

// sampled returns the kernel matrix of some of the rows.
func sampled(ctx context.Context, src smo.Source, rows []int) (*mat.SymDense, error) {
	columns, err := src.Columns(ctx, rows)
	if err != nil {
		return nil, err
	}
	n := len(rows)
	gram, row := mat.NewSymDense(n, nil), make([]float64, n)
	for i, r := range rows {
		if err := columns.Fill(ctx, row, r); err != nil {
			return nil, err
		}
		for j := i; j < n; j++ {
			gram.SetSym(i, j, row[j])
		}
	}
	return gram, nil
}

func slopesOf(solved *loo.Solution, w []float64) *slopes {
	out, total := &slopes{}, floats.Sum(w)
	n, k := solved.Alpha.Dims()
	residuals, counts := make([]float64, 0, n*k), make([]float64, 0, n*k)
	for i := range n {
		for j := range k {
			// A row counts w times, so the slope for a single row is α/w.
			a := math.Abs(solved.Alpha.At(i, j)) / w[i]
			out.mean += w[i] / total * a / float64(k)
			out.rms += w[i] / total * a * a / float64(k)
			residuals, counts = append(residuals, math.Abs(solved.Residuals.At(i, j))), append(counts, w[i])
		}
	}
	out.rms = math.Sqrt(out.rms)
	stat.SortWeighted(residuals, counts)
	out.noise = normalMedian * stat.Quantile(0.5, stat.Empirical, residuals, counts)
	return out
}
