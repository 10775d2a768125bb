package falkon

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/internal/varying"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
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
	// pilotLandmarks give the leverage scores, with pilotRidge of the mean k(x, x) as λ.
	pilotLandmarks = 500
	pilotRidge     = 1e-4
)

// drawn is what of the rows is kept in memory: in the order drawn.
type drawn struct {
	batch
	rng             *rand.Rand
	sample, outside int // how many are for the preconditioner and how many outside it, or in these shares
}

// outsideFor is how many rows outside the preconditioner's sample are for comparing ridges and for what
// leaving out rows says.
func outsideFor(m int) int {
	return max(outsidePerLandmark*m, min(leastSample*m, leastOutside))
}

// draw takes the rows that landmarks and preconditioner of at most m landmarks are made of.
func (s machineSettings) draw(ctx context.Context, src *source, m int) (*drawn, error) {
	sample, outside := s.sampleRows(src.n, m, src.d), outsideFor(m)
	count := min(src.n, max(leastDrawn, sample+outside))
	if err := s.checkBytes(fmt.Sprintf("a sample of %d rows", count), 8*float64(count)*float64(src.d+src.k+1)); err != nil {
		return nil, err
	}
	out := &drawn{rng: rand.New(rand.NewPCG(s.seed, drawStream)), sample: sample, outside: outside}
	var err error
	var numbers []int
	if src.groups != nil {
		numbers = drawnGroups(src.whole.g, count, out.rng)
	} else {
		numbers = drawnRows(src.n, count, out.rng)
	}
	out.batch, err = src.gather(ctx, numbers)
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
	return kernels.OrMedianRBF(ctx, s.configured, window(d.x, 0, 1), s.seed)
}

// choose returns m landmarks, or as many as there are distinct rows among those drawn.
func (s machineSettings) choose(ctx context.Context, kernel kernels.Kernel, d *drawn, m int) (*mat.Dense, error) {
	if s.given != nil {
		given, err := check.Wide("Landmarks", s.given, d.x.RawMatrix().Cols)
		if err != nil {
			return nil, err
		}
		return mat.DenseCopyOf(given), nil
	}
	if s.rule == UniformLandmarks || m >= d.rows() {
		return linalg.Rows(d.x, distinct.FirstDistinct(d.x, m)), nil
	}
	candidates := linalg.Rows(d.x, distinct.FirstDistinct(window(d.x, 0, min(d.rows(), candidatesPerLandmark*m)), d.rows()))
	if n, _ := candidates.Dims(); n <= m {
		return candidates, nil
	}
	if s.rule == PivotedCholesky {
		map_ := &featuremap.Nystroem{Kernel: kernel, Components: m, Seed: s.seed, Workers: s.workers, MaxKernelBytes: s.maxBytes}
		if err := map_.Fit(ctx, candidates); err != nil {
			return nil, err
		}
		return map_.LandmarkRows(), nil
	}
	scores, err := s.leverageScores(ctx, kernel, candidates)
	if err != nil {
		return nil, err
	}
	return linalg.Rows(candidates, weightedDraw(scores, m, d.rng)), nil
}

// leverageScores returns those of rows x with the ridge λ s for s rows: with G = Z'Z of the
// pilot's features, z'(G + λs)⁻¹z + (k(x,x) - |z|²)/(λs), at most 1.
func (s machineSettings) leverageScores(ctx context.Context, kernel kernels.Kernel, x *mat.Dense) ([]float64, error) {
	rows, _ := x.Dims()
	b, err := newBasis(ctx, s, kernel, window(x, 0, min(pilotLandmarks, rows)))
	if err != nil {
		return nil, err
	}
	s.noIntercept = true
	src := inMemory(x, mat.NewDense(rows, 1, nil), nil)
	p := newProblem(s, b, src)
	equations, err := p.products(ctx, src, nil, nil, p.passing(ctx, src))
	if err != nil {
		return nil, err
	}
	ridge := pilotRidge * b.scale() * float64(rows)
	if s.ridge > 0 {
		ridge = s.ridge
	}
	factor, err := shifted(ctx, "the features of the leverage scores", equations.g, ridge)
	if err != nil {
		return nil, err
	}
	p.keep = rows
	left, err := p.leaveOut(ctx, mat.NewDense(1, b.m, nil), factor, src, 0, p.passing(ctx, src))
	if err != nil {
		return nil, err
	}
	scores := make([]float64, rows)
	for i, rest := range left.rest {
		scores[i] = min(1, 1-rest+left.unseen[i]*b.scale()/ridge)
		scores[i] = max(scores[i], leastScore)
	}
	return scores, nil
}

// leastScore keeps a score above 0.
const leastScore = 1e-12
