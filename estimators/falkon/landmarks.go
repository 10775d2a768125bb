package falkon

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/solver"
	"github.com/kernelearn/kernelearn/estimators/internal/varying"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

const (
	// outsidePerLandmark rows, and no fewer than leastOutside unless the preconditioner has fewer,
	// are drawn besides those of the preconditioner.
	outsidePerLandmark = 2
	leastOutside       = 4000
	// candidatesPerLandmark rows are looked at by the rules that look at some.
	candidatesPerLandmark = 8
	// leastDrawn is what the median distance looks at.
	leastDrawn = 1000
)

// drawStream is the stream "landmark".
const drawStream = 0x6c616e646d61726b

// drawn is what of the rows is kept in memory: in the order drawn.
type drawn struct {
	rows.Batch
	rng             *rand.Rand
	sample, outside int // how many are for the preconditioner and how many outside it, or in these shares
}

// outsideFor is how many rows outside the preconditioner's sample are for comparing ridges and for what
// leaving out rows says.
func outsideFor(m int) int {
	return max(outsidePerLandmark*m, min(solver.LeastSample*m, leastOutside))
}

// draw takes the rows that landmarks and preconditioner of at most m landmarks are made of.
func (s machineSettings) draw(ctx context.Context, src *rows.Source, m int) (*drawn, error) {
	sample, outside := s.sampleRows(src.N, m, src.Numbers), outsideFor(m)
	count := min(src.N, max(leastDrawn, sample+outside))
	if err := s.CheckBytes(fmt.Sprintf("a sample of %d rows", count), 8*float64(count)*float64(src.Numbers+src.K+1)); err != nil {
		return nil, err
	}
	out := &drawn{rng: rand.New(rand.NewPCG(s.Seed, drawStream)), sample: sample, outside: outside}
	var err error
	var numbers []int
	if src.Groups != nil {
		numbers = rows.DrawnGroups(src.Whole.G, count, out.rng)
	} else {
		numbers = rows.DrawnRows(src.N, count, out.rng)
	}
	out.Batch, err = src.Gather(ctx, numbers)
	return out, err
}

// chosenKernel is the setting, or that of the width that is best for m landmarks, of the columns that vary.
func (s machineSettings) chosenKernel(ctx context.Context, d *drawn, m int, columns varying.Columns) (kernels.Kernel, error) {
	if s.configured == nil {
		k, err := s.chooseWidth(ctx, d, m)
		if err != nil {
			return nil, err
		}
		return columns.Kernel(k), nil
	}
	return kernels.OrMedianRBF(ctx, s.configured, anyrows.Slice(d.X, 0, 1), s.Seed)
}

// choose returns m landmarks, or as many as there are distinct rows among those drawn.
func (s machineSettings) choose(ctx context.Context, kernel kernels.Kernel, d *drawn, m int) (mat.Matrix, error) {
	if s.given != nil {
		_, columns := d.X.Dims()
		given, err := check.Wide("Landmarks", s.given, columns)
		if err != nil {
			return nil, err
		}
		if _, ok := d.X.(*sparse.Rows); ok {
			return sparse.From("Landmarks", given)
		}
		return mat.DenseCopyOf(given), nil
	}
	if s.rule == UniformLandmarks || m >= d.Rows() {
		return firstDistinct(d.X, m), nil
	}
	candidates := firstDistinct(anyrows.Slice(d.X, 0, min(d.Rows(), candidatesPerLandmark*m)), d.Rows())
	if n, _ := candidates.Dims(); n <= m {
		return candidates, nil
	}
	if _, ok := d.X.(*sparse.Rows); ok && s.rule == PivotedCholesky {
		return nil, fault.Param(s.Type, "Rule", s.rule, "UniformLandmarks or LeverageScores with sparse rows")
	}
	if s.rule == PivotedCholesky {
		map_ := &featuremap.Nystroem{Kernel: kernel, Components: m, Seed: s.Seed, Workers: s.Workers, MaxKernelBytes: s.MaxBytes}
		if err := map_.Fit(ctx, candidates); err != nil {
			return nil, err
		}
		return map_.LandmarkRows(), nil
	}
	scores, err := s.LeverageScores(ctx, kernel, candidates)
	if err != nil {
		return nil, err
	}
	return anyrows.Pick(candidates, rows.WeightedDraw(scores, m, d.rng)), nil
}

// firstDistinct returns the first m distinct rows of x, or as many as there are.
func firstDistinct(x mat.Matrix, m int) mat.Matrix {
	merged, rows := anyrows.Merge(x, nil)
	return anyrows.Slice(rows, 0, min(m, merged.Len()))
}
