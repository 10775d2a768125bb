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
	// outsidePerLandmark is the number of rows for each landmark that are drawn in addition to those of the preconditioner. At
	// least leastOutside additional rows are drawn, unless the preconditioner has fewer rows.
	outsidePerLandmark = 2
	leastOutside       = 4000
	// candidatesPerLandmark is the number of candidate rows for each landmark, for the rules that use candidates.
	candidatesPerLandmark = 8
	// leastDrawn is the number of rows from which the median distance is computed.
	leastDrawn = 1000
)

// drawStream is the stream of random numbers for landmarks: the word "landmark" in ASCII.
const drawStream = 0x6c616e646d61726b

// drawn holds the rows that are kept in memory, in the order in which they were drawn.
type drawn struct {
	rows.Batch
	rng             *rand.Rand
	sample, outside int // numbers of rows for the preconditioner and outside it; if fewer rows were drawn, only their ratio counts
}

// outsideFor returns the number of rows outside the preconditioner's sample. They are used to compare ridges and for leave-one-out.
func outsideFor(m int) int {
	return max(outsidePerLandmark*m, min(solver.LeastSample*m, leastOutside))
}

// draw returns the rows for the landmarks and for the preconditioner, with at most m landmarks.
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

// chosenKernel returns the configured kernel. If there is none, it returns the kernel with the best length for m landmarks, on the
// columns that vary.
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

// choose returns m landmarks, or fewer if the drawn rows contain fewer distinct rows.
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

// firstDistinct returns the first m distinct rows of x, or all distinct rows if there are fewer.
func firstDistinct(x mat.Matrix, m int) mat.Matrix {
	merged, rows := anyrows.Merge(x, nil)
	return anyrows.Slice(rows, 0, min(m, merged.Len()))
}
