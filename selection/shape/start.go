package shape

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/learning"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/search"
)

const shapeStream = 0x7368617065 // the random stream "shape"

// divide chooses the rows for the climb, and those for the search for a common length.
func (l *learner) divide() error {
	n, d := l.run.X.Dims()
	l.spread = make([]float64, d)
	column := make([]float64, n)
	for j := range d {
		if sd := stat.PopStdDev(mat.Col(column, j, l.numbers), nil); sd > 0 && !math.IsInf(sd, 1) {
			l.spread[j] = math.Log(sd)
		}
	}
	rng := rand.New(rand.NewPCG(l.Seed, shapeStream))
	order := rng.Perm(n)
	whole := l.MaxRows
	if whole == 0 {
		whole = defaultMaxRows
	}
	parts := [][]int{nil} // nil: all rows
	switch {
	case n > whole && l.Lengths != nil:
		parts = [][]int{slices.Sorted(slices.Values(order[:whole]))}
	case n > whole:
		parts = l.local(order, min(randomBlock, whole/2), min(localRow, whole/2))
	}
	for i, rows := range parts {
		b, err := l.block(rows)
		if err != nil {
			return err
		}
		if i > 0 && constant(b.Y) {
			continue // neighbours with constant targets have no best variance
		}
		l.blocks = append(l.blocks, b)
		l.onBlocks += len(rows)
	}
	l.sample, l.sampled = l.blocks[0], n
	if parts[0] != nil {
		l.sampled = len(parts[0])
	}
	if l.sampled > startRows {
		sample := slices.Sorted(slices.Values(order[:startRows]))
		b, err := l.block(sample)
		if err != nil {
			return err
		}
		l.sample, l.sampled = b, startRows
	}
	return nil
}

// local returns the rows of several blocks: random rows, and a few blocks that consist of a row and the rows nearest to it.
func (l *learner) local(order []int, random, near int) [][]int {
	x := l.numbers
	n, _ := x.Dims()
	out := [][]int{slices.Sorted(slices.Values(order[:random]))}
	distances, rows := make([]float64, n), make([]int, n)
	for _, centre := range order[random:min(random+localBlocks, n)] {
		for i := range rows {
			rows[i] = i
			distances[i] = vecmath.SquaredDistance(x.RawRowView(i), x.RawRowView(centre))
		}
		sort.SliceStable(rows, func(a, b int) bool { return distances[rows[a]] < distances[rows[b]] })
		out = append(out, slices.Sorted(slices.Values(rows[:near])))
	}
	return out
}

// block returns the objective on some rows. If rows is nil, it is the objective on all rows.
func (l *learner) block(rows []int) (*learning.Block, error) {
	x, t := l.run.X, l.targets
	if rows != nil {
		x, t.Y = linalg.Rows(x, rows), linalg.Rows(t.Y, rows)
		if t.Weights != nil {
			weights := make([]float64, len(rows))
			for i, r := range rows {
				weights[i] = t.Weights[r]
			}
			t.Weights = weights
		}
	}
	n, _ := x.Dims()
	limit := l.run.MaxKernelBytes
	if limit == 0 {
		limit = kernels.MaxKernelBytes
	}
	// An evaluation needs the matrix, its inverse, the inverse of the factor and the derivative, in addition to the block's own
	// memory.
	if err := check.BytesWithin(searchType+": the matrices of an evaluation", 8*4*float64(n)*float64(n), limit,
		"lower MaxRows, or raise MaxKernelBytes"); err != nil {
		return nil, err
	}
	return learning.NewBlock(x, t, &kernels.Options{Workers: l.run.Workers, MaxBytes: limit})
}

// bounds returns the bounds of the parameters. The bounds of a length are relative to the standard deviation of its column.
func (l *learner) bounds(k kernels.ARD) learning.Bounds {
	b := learning.DefaultBounds(k)
	for i, p := range k.Params()[:len(k.Lengths)] {
		if p.Kind == kernels.KindShape { // categories count as columns with unit standard deviation
			b.Low[i], b.High[i] = learning.LengthBounds()
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, j := range p.Columns {
			low, high = min(low, l.spread[j]), max(high, l.spread[j])
		}
		b.Low[i] += low
		b.High[i] += high
	}
	if last := len(b.Low) - 1; l.objective == LeaveOneOutLogistic {
		b.Low[last], b.High[last] = -3, 4 // the slope, for scores of about ±1
	}
	return b
}

// begin returns the best kernel with a common length. If theta is nil, the point refers to the trace row of a kernel that must not
// be changed.
func (l *learner) begin(ctx context.Context) (climbPoint, error) {
	switch {
	case l.Lengths != nil && !l.degenerate():
		return l.multiple(ctx)
	case l.Start != nil:
		return l.chosen(ctx)
	case l.degenerate():
		return l.atMedian(ctx)
	}
	one := l.oneLength()
	p := l.problem(one, []*learning.Block{l.sample}, l.sampled, learning.MaxSteps)
	best := climbPoint{score: math.Inf(-1), groups: one}
	median, err := l.median(ctx)
	if err != nil {
		return best, err
	}
	parts := progress.Parts(ctx, 1, 1, 1)
	group := progress.Open(parts[0])
	for i, factor := range learning.StartLengths {
		length := min(max(math.Log(factor*median), p.Bounds.Low[0]), p.Bounds.High[0])
		theta, score, err := l.tryLength(group.Step(i, len(learning.StartLengths)), p, length)
		if err != nil {
			return best, err
		}
		if score > best.score {
			best.score, best.theta = score, theta
		}
	}
	if best.theta == nil {
		return l.atMedian(ctx)
	}
	out, err := p.Improve(parts[1], best.theta)
	if out.F > best.score {
		best.theta, best.score = out.Theta, out.F
	}
	n, d := l.run.X.Dims()
	if err != nil || l.sampled == n || d == 1 {
		return best, err
	}
	// The common length, which is the centre of the prior, is optimised on all rows.
	p = l.problem(one, l.blocks, cmp.Or(l.onBlocks, n), learning.PolishSteps)
	p.Inverse = out.Inverse
	out, err = p.Improve(parts[2], best.theta)
	if !math.IsInf(out.F, -1) {
		best.score, best.theta = out.F, out.Theta
	}
	return best, err
}

// startPoint returns the point with a common length and a ridge.
func (l *learner) startPoint(length, ridge float64) []float64 {
	theta := append(kernels.LogParams(l.kernel(l.oneLength())), math.Log(ridge))
	theta[0] = length
	if l.objective == LeaveOneOutLogistic {
		theta = append(theta, math.Log(2)) // for scores of about ±1
	}
	return theta
}

// multiples are the factors of Lengths that a search tries.
var multiples = []float64{.5, 1, 2, 4, 8, 16}

// multiple returns the point with the best multiple of Lengths.
func (l *learner) multiple(ctx context.Context) (climbPoint, error) {
	k := l.kernel(l.Groups)
	p := l.problem(l.Groups, []*learning.Block{l.sample}, l.sampled, 0)
	logs, count := make([]float64, len(k.Lengths)), make([]float64, len(k.Lengths))
	for j, length := range l.Lengths {
		g := j
		if l.Groups != nil {
			g = l.Groups[j]
		}
		logs[g] += math.Log(length)
		count[g]++
	}
	floats.Div(logs, count)
	best := climbPoint{score: math.Inf(-1), groups: l.Groups}
	centre := stat.Mean(logs, nil) - stat.Mean(l.apart(k, 0, nil), nil)
	group := progress.Open(ctx)
	for i, factor := range multiples {
		theta := append(kernels.LogParams(k), 0)
		if l.objective == LeaveOneOutLogistic {
			theta = append(theta, math.Log(2))
		}
		for g, v := range logs {
			theta[g] = min(max(v+math.Log(factor), p.Bounds.Low[g]), p.Bounds.High[g])
		}
		theta, score, err := l.tryPlace(group.Step(i, len(multiples)), p, theta, learning.ShortRidges)
		if err != nil {
			return best, err
		}
		if score > best.score {
			best.score, best.theta, best.centre = score, theta, centre+math.Log(factor)
		}
	}
	if best.theta == nil {
		return l.atMedian(ctx)
	}
	return best, nil
}

// withOneLength replaces the lengths of a point with a common length.
func (l *learner) withOneLength(at climbPoint) climbPoint {
	if l.Lengths != nil {
		at.theta, at.groups = l.startPoint(at.centre, math.Exp(at.theta[l.ridgeAt(at.theta)])), l.oneLength()
	}
	return at
}

// tryLength returns the point with a common length and the best of a few ridges, and the objective there.
func (l *learner) tryLength(ctx context.Context, p *learning.Problem, length float64) ([]float64, float64, error) {
	return l.tryPlace(ctx, p, l.startPoint(length, 1), learning.StartRidges)
}

// tryPlace returns a point with the best of several ridges, and the objective there.
func (l *learner) tryPlace(ctx context.Context, p *learning.Problem, theta, ridges []float64) (_ []float64, score float64, err error) {
	at := l.ridgeAt(theta)
	got, err := l.run.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(1), Rows: l.sampled, Theta: slices.Clone(theta[:at])},
		func(ctx context.Context, row *search.TraceRow) error {
			values, err := p.AtRidges(ctx, theta, ridges)
			if err != nil {
				return err
			}
			best := floats.MaxIdx(values)
			row.SetScore(values[best], ridges[best], search.OnBlocks, l.sampled)
			row.Matrices = 1
			return nil
		})
	if err != nil {
		return nil, 0, err
	}
	theta[at] = math.Log(got.Ridge)
	return theta, got.Score, nil
}

// median returns the median distance between rows, or 1 if most rows are equal.
func (l *learner) median(ctx context.Context) (float64, error) {
	m, err := kernels.MedianSquaredDistance(ctx, l.numbers, l.Seed)
	if err != nil {
		return 0, err
	}
	if m > 0 {
		return math.Sqrt(m), nil
	}
	return 1, nil
}

// atMedian returns the point of the family's initial kernel. It is used if nothing can be learnt from the rows.
func (l *learner) atMedian(ctx context.Context) (climbPoint, error) {
	l.run.Warn("no shape was learnt: fewer than three rows, targets that are all the same, or a kernel that is singular on the rows")
	param, err := l.run.Family.Start(ctx, l.numbers)
	if err != nil {
		return climbPoint{}, err
	}
	n, _ := l.run.X.Dims()
	row, err := l.run.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(param), Rows: n},
		func(_ context.Context, row *search.TraceRow) error {
			row.SetScore(math.Inf(-1), missing, search.OnBlocks, n)
			return nil
		})
	return climbPoint{score: math.Inf(-1), row: row.Iteration}, err
}

// chosen returns the point of the kernel that the strategy Start chooses.
func (l *learner) chosen(ctx context.Context) (climbPoint, error) {
	l.run.Expect(20)
	choice, err := l.Start.Choose(ctx, l.run)
	l.run.Expect(0)
	if err != nil {
		return climbPoint{}, err
	}
	row := l.run.Row(choice.Iteration)
	if l.degenerate() {
		return climbPoint{score: math.Inf(-1), row: row.Iteration}, nil
	}
	ridge := row.Ridge
	if !(ridge > 0) {
		ridge = 1e-2
	}
	length, err := l.lengthOf(row.Param)
	if err != nil {
		return climbPoint{}, err
	}
	theta := l.startPoint(math.Log(length), ridge)
	return climbPoint{theta: theta, score: math.Inf(-1), groups: l.oneLength(), row: row.Iteration}, nil
}

// lengthOf returns the length with which the family's kernel with parameter 1 equals its kernel with the given parameter.
func (l *learner) lengthOf(param float64) (float64, error) {
	k := l.run.Family.Kernel(param)
	ratio := 1.0
	for _, side := range []struct {
		kernels.Kernel
		power float64
	}{{k, 1}, {l.base, -1}} {
		d, err := kernels.AsDifferentiable(side.Kernel)
		if err != nil {
			return 0, fmt.Errorf("%s: Space = %v: %w", searchType, l.run.Family, err)
		}
		params := d.Params()
		of := slices.IndexFunc(params, func(p kernels.Param) bool {
			return p.Columns == nil && p.Kind != kernels.KindShape && p.Kind != kernels.KindVariance
		})
		if of >= 0 {
			ratio *= math.Pow(params[of].Value, side.power)
		}
	}
	// The parameter may be a length, its reciprocal, or the square of its reciprocal. Choose the one that reproduces the kernel
	// value.
	x, zero := []float64{1}, []float64{0}
	best, off := ratio, math.Inf(1)
	for _, power := range []float64{1, -1, -0.5} {
		length := math.Pow(ratio, power)
		x[0] = length
		if d := math.Abs(k.Eval(x, zero) - l.base.Eval([]float64{1}, zero)); d < off {
			best, off = length, d
		}
	}
	return best, nil
}
