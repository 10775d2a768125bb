package featuremap

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

// LandmarkRule selects how a [Nystroem] chooses landmarks among the training rows.
type LandmarkRule int

const (
	// PivotedCholesky draws rows in proportion to the part of k(x, x) that the current landmarks do not represent (Chen, Epperly,
	// Tropp and Webber, Communications on Pure and Applied Mathematics 78, 2025). The remaining trace is close to the smallest that
	// is possible with this number of landmarks, and no other rule computes it.
	PivotedCholesky LandmarkRule = iota
	// KMeansPlusPlus draws rows in proportion to the squared distance to the nearest current landmark, in the kernel's feature
	// space (D. Oglic and T. Gärtner, ICML 2017).
	KMeansPlusPlus
	// UniformLandmarks draws rows without replacement, all with the same probability.
	UniformLandmarks
)

// String returns the rule's name.
func (r LandmarkRule) String() string {
	return enum.Name("LandmarkRule", int(r), "PivotedCholesky", "KMeansPlusPlus", "UniformLandmarks")
}

// landmarkStream is the stream "landmark".
const landmarkStream = 0x6c616e646d61726b

type chosenLandmarks struct {
	indices  []int
	residual float64
}

// landmarks returns the chosen rows, with their indices and the residual of the choice.
func (t *Nystroem) landmarks(ctx context.Context, k kernels.Kernel, x *mat.Dense) (*mat.Dense, chosenLandmarks, error) {
	n, d := x.Dims()
	out := chosenLandmarks{residual: math.NaN()}
	if t.Landmarks != nil {
		rows, err := checkFrequencies(nystroemName, "Landmarks", t.Landmarks, d)
		return rows, out, err
	}
	count := t.Components
	if count == 0 {
		count = defaultComponents
	}
	count = min(count, n)
	rng := rand.New(rand.NewPCG(t.Seed, landmarkStream))
	var err error
	switch t.Rule {
	case UniformLandmarks:
		out.indices = rng.Perm(n)[:count]
	case KMeansPlusPlus:
		out.indices, err = t.spread(ctx, k, x, count, rng)
	default:
		out, err = t.pivots(ctx, k, x, count, rng)
	}
	if err != nil {
		return nil, out, err
	}
	return linalg.Rows(x, out.indices), out, nil
}

func (t *Nystroem) pivots(ctx context.Context, k kernels.Kernel, x *mat.Dense, count int, rng *rand.Rand) (chosenLandmarks, error) {
	n, _ := x.Dims()
	limit := t.MaxKernelBytes
	if limit == 0 {
		limit = kernels.MaxKernelBytes
	}
	if need := 8 * float64(n) * float64(count); need > float64(limit) {
		return chosenLandmarks{}, &fault.TooLargeError{What: fmt.Sprintf("pivoted Cholesky of %d landmarks and %d rows", count, n),
			Bytes: int64(min(need, 1<<62)),
			Limit: limit, Hint: "take fewer Components, fit on fewer rows, set Rule to KMeansPlusPlus or UniformLandmarks, or raise the " +
				"limit"}
	}
	parts, err := newKernelParts(ctx, k, x, t.Workers)
	if err != nil {
		return chosenLandmarks{}, err
	}
	diagonal, err := parts.diagonal()
	if err != nil {
		return chosenLandmarks{}, err
	}
	p, err := linalg.RandomlyPivoted(ctx, diagonal, parts,
		linalg.Pivots{Rank: count, Tolerance: t.Tolerance, Random: rng, Workers: t.Workers})
	if err != nil {
		return chosenLandmarks{}, err
	}
	if len(p.Pivots) == 0 {
		return chosenLandmarks{}, &fault.NotPSDError{What: nystroemName + ": kernel matrix of x"}
	}
	return chosenLandmarks{indices: p.Pivots, residual: p.Residual / p.Trace}, nil
}

// spread draws landmarks that are far from each other. It ends early if every row has distance 0 from a landmark.
func (t *Nystroem) spread(ctx context.Context, k kernels.Kernel, x *mat.Dense, count int, rng *rand.Rand) ([]int, error) {
	n, _ := x.Dims()
	parts, err := newKernelParts(ctx, k, x, t.Workers)
	if err != nil {
		return nil, err
	}
	own, err := parts.diagonal()
	if err != nil {
		return nil, err
	}
	nearest, sums := make([]float64, n), make([]float64, n)
	indices := []int{rng.IntN(n)}
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for len(indices) < count {
		loop.Report(float64(len(indices)) / float64(count))
		last, isFirst := indices[len(indices)-1], len(indices) == 1
		err := parallel.ForEach(ctx, t.Workers, len(parts.tiles), func(tile int) error {
			first := tile * linalg.PivotTile
			row := mat.NewDense(1, min(linalg.PivotTile, n-first), nil)
			if err := parts.Tile(row, []int{last}, first); err != nil {
				return err
			}
			for j, v := range row.RawRowView(0) {
				i := first + j
				distance := max(own[i]+own[last]-2*v, 0)
				if isFirst || distance < nearest[i] {
					nearest[i] = distance
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		total := floats.CumSum(sums, nearest)[n-1]
		if !(total > 0) {
			break
		}
		u := rng.Float64() * total
		indices = append(indices, sort.Search(n-1, func(i int) bool { return sums[i] > u }))
	}
	return indices, nil
}

// kernelParts computes parts of the kernel matrix of rows. It implements linalg.Parts.
type kernelParts struct {
	ctx    context.Context
	kernel kernels.Kernel
	x      *mat.Dense
	tiles  []*kernels.Prepared
}

func newKernelParts(ctx context.Context, k kernels.Kernel, x *mat.Dense, workers int) (*kernelParts, error) {
	n, d := x.Dims()
	p := &kernelParts{ctx: ctx, kernel: k, x: x, tiles: make([]*kernels.Prepared, (n+linalg.PivotTile-1)/linalg.PivotTile)}
	return p, parallel.ForEach(progress.Detach(ctx), workers, len(p.tiles), func(t int) (err error) {
		first := t * linalg.PivotTile
		p.tiles[t], err = kernels.Prepare(ctx, k, x.Slice(first, min(first+linalg.PivotTile, n), 0, d), &kernels.Options{Workers: 1})
		return err
	})
}

// diagonal returns k(x, x) of the rows. It returns ErrNotFinite if the kernel overflows.
func (p *kernelParts) diagonal() ([]float64, error) {
	n, _ := p.x.Dims()
	out := make([]float64, n)
	kernels.Diag(out, p.kernel, p.x)
	return out, check.Vector("diagonal of "+p.kernel.String(), out)
}

// Square implements linalg.Parts.
func (p *kernelParts) Square(dst *mat.Dense, rows []int) error {
	k, err := kernels.Matrix(p.ctx, p.kernel, linalg.Rows(p.x, rows), &kernels.Options{Workers: 1})
	if err == nil {
		dst.Copy(k)
	}
	return err
}

// Tile implements linalg.Parts.
func (p *kernelParts) Tile(dst *mat.Dense, rows []int, first int) error {
	k, err := p.tiles[first/linalg.PivotTile].Cross(p.ctx, linalg.Rows(p.x, rows))
	if err == nil {
		dst.Copy(k)
	}
	return err
}
