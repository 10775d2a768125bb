package learning

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
)

// The grid of initial values for one length for all columns: lengths in units of the median distance, and ridges.
var (
	StartLengths = []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10}
	StartRidges  = []float64{1e-6, 1e-4, 1e-2, 1e-1, 1}
)

// Settings of climbs of lengths, here and in package selection.
const (
	// The prior of log lengths is a Student t distribution around one common length, with these degrees of freedom and this scale.
	PriorDegrees = 3.0
	PriorScale   = 0.5
	// Farthest is the largest log ratio of a length to the common length when a climb continues on more rows.
	Farthest    = 1.0
	Tolerance   = 1e-4
	MaxSteps    = 100
	PolishSteps = 2 // steps for the common length on more rows
)

// Lengths learns one length per column, for estimators that choose their own kernel. It does not report its results. The search of
// package selection reports them, has a time budget, and accepts any number of rows.
type Lengths struct {
	Base kernels.Kernel // of unit length, without other parameters
	Kind Kind
	Rows []int // numbers of rows of successive climbs; a larger number means all rows
	Seed uint64
	// Workers and MaxBytes are those of kernels.Options.
	Workers  int
	MaxBytes int64
}

// Learn returns the kernel for rows x (n×d), which it does not change, and their targets. Lengths are learnt in units of the
// standard deviations of the columns, so the scales of columns do not matter. If all targets are equal, or there are fewer than
// three rows, every length is the median distance in those units.
func (l Lengths) Learn(ctx context.Context, x *mat.Dense, t Targets) (kernels.ARD, error) {
	n, d := x.Dims()
	units := deviations(x)
	z := mat.NewDense(n, d, nil)
	for i := range n {
		floats.DivTo(z.RawRowView(i), x.RawRowView(i), units)
	}
	k := kernels.ARD{Kernel: l.Base, Lengths: slices.Repeat([]float64{1}, d)}
	median, err := kernels.MedianSquaredDistance(ctx, z, l.Seed)
	if err != nil {
		return k, err
	}
	if !(median > 0) {
		median = 1
	}
	logs := slices.Repeat([]float64{math.Log(median) / 2}, d)
	order := rand.New(rand.NewPCG(l.Seed, 0x6c656e67746873)).Perm(n) // the random stream "lengths"
	c := course{Lengths: l, d: d, median: logs[0]}
	cubes := make([]float64, len(l.Rows))
	for i, rows := range l.Rows {
		if i == 0 || l.Rows[i-1] < n {
			cubes[i] = math.Pow(float64(min(rows, n)), 2.5) // later climbs need fewer steps
		}
	}
	parts := progress.Parts(ctx, cubes...)
	for i, rows := range l.Rows {
		if i > 0 && l.Rows[i-1] >= n {
			break
		}
		b, err := l.block(z, t, slices.Sorted(slices.Values(order[:min(rows, n)])))
		if err != nil {
			return k, err
		}
		if b == nil {
			continue
		}
		if err = c.climb(parts[i], b); err != nil {
			return k, err
		}
	}
	if c.theta != nil {
		logs = c.theta[:d]
	}
	for j, v := range logs {
		k.Lengths[j] = math.Exp(v) * units[j]
	}
	return k, kernels.Validate(k)
}

// course is a sequence of climbs on increasing numbers of rows.
type course struct {
	Lengths
	d       int
	median  float64       // log of the median distance
	one     []float64     // the best common length, which is the centre of the prior, and its ridge
	theta   []float64     // nil before the first climb
	inverse *mat.SymDense // as in Problem
	learnt  bool          // a climb learnt something
}

// climb continues from theta, or from the best common length if theta is nil.
func (c *course) climb(ctx context.Context, b *Block) error {
	first, rest := progress.Two(ctx, 1, 3)
	if c.theta == nil {
		if err := c.begin(first, b); err != nil || c.theta == nil {
			return err
		}
		if err := c.useful(progress.Detach(ctx), b); err != nil {
			return err
		}
	} else if c.d > 1 {
		// The centre of the prior is also optimised on the larger number of rows.
		one := c.problem(b, c.d, make([]int, c.d))
		one.MaxIterations = PolishSteps
		out, err := one.Improve(first, c.one)
		if err != nil {
			return err
		}
		if !math.IsInf(out.F, -1) {
			c.one = out.Theta
		}
	}
	for j := range c.d {
		// If the first rows carry no information about a column, the objective is flat there. Without this limit its length could
		// grow so far that more rows would not bring it back.
		c.theta[j] = min(c.theta[j], c.one[0]+Farthest)
	}
	all := c.problem(b, c.d, nil)
	all.Inverse = c.inverse
	all.Prior = &Prior{Centre: append(slices.Repeat(c.one[:1], c.d), math.NaN()), Nu: PriorDegrees, Tau: PriorScale}
	climb, other := progress.Two(rest, 3, 2)
	out, err := all.Improve(climb, c.theta)
	if err != nil || math.IsInf(out.F, -1) {
		return err
	}
	c.theta, c.inverse = out.Theta, out.Inverse
	if c.learnt {
		return nil
	}
	starts := c.starts(b, all.Kernel.(kernels.ARD))
	starts.Prior = all.Prior
	top, err := starts.Climb(other, c.theta, c.Kind != Restricted)
	if err != nil {
		return err
	}
	if c.learnt = top.Gain > Something; top.Theta == nil {
		return nil
	}
	again, err := all.ImproveElsewhere(progress.Detach(ctx), top.Theta, c.theta)
	if err == nil && again.F > out.F+starts.clearMargin() {
		c.theta, c.inverse = again.Theta, again.Inverse
	}
	return err
}

// starts returns the search from other starting points.
func (c *course) starts(b *Block, k kernels.ARD) *Starts {
	return &Starts{Kernel: k, Blocks: []*Block{b}, Bounds: DefaultBounds(k), Median: c.median}
}

// useful replaces a common length that explains nothing with the median distance.
func (c *course) useful(ctx context.Context, b *Block) error {
	one := c.problem(b, c.d, make([]int, c.d))
	starts := c.starts(b, one.Kernel.(kernels.ARD))
	if yes, err := starts.Useful(ctx, c.one); yes || err != nil {
		return err
	}
	at := []float64{min(max(c.median, one.Bounds.Low[0]), one.Bounds.High[0]), 0}
	at, _, err := one.BestRidge(ctx, at, ShortRidges)
	if err == nil {
		c.one, c.theta = at, append(slices.Repeat(at[:1], c.d), at[1])
	}
	return err
}

// begin sets the common length to the best one, and all lengths to it. It leaves theta nil if the kernel matrix is singular at all
// lengths of the grid.
func (c *course) begin(ctx context.Context, b *Block) error {
	one := c.problem(b, c.d, make([]int, c.d))
	best, start := math.Inf(-1), []float64(nil)
	first, rest := progress.Two(ctx, float64(len(StartLengths)), 5)
	group := progress.Open(first)
	for i, factor := range StartLengths {
		at := []float64{min(max(c.median+math.Log(factor), one.Bounds.Low[0]), one.Bounds.High[0]), 0}
		values, err := one.AtRidges(group.Step(i, len(StartLengths)), at, StartRidges)
		if err != nil {
			return err
		}
		if i := floats.MaxIdx(values); values[i] > best {
			best, start = values[i], []float64{at[0], math.Log(StartRidges[i])}
		}
	}
	if start == nil {
		return nil
	}
	out, err := one.Improve(rest, start)
	if err != nil {
		return err
	}
	if out.F > best {
		start = out.Theta
	}
	c.one, c.theta = start, append(slices.Repeat(start[:1], c.d), start[1])
	return nil
}

func (l Lengths) problem(b *Block, d int, groups []int) *Problem {
	k := kernels.ARD{Kernel: l.Base, Lengths: slices.Repeat([]float64{1}, d), Groups: groups}
	if groups != nil {
		k.Lengths = k.Lengths[:1]
	}
	return &Problem{Kind: l.Kind, Kernel: k, Blocks: []*Block{b}, Bounds: DefaultBounds(k), MaxIterations: MaxSteps, Tolerance: Tolerance,
		Likelihood: true}
}

// block returns a Block of the rows with these indices, or nil if there are fewer than three or all their targets are constant. It
// leaves out constant columns of targets.
func (l Lengths) block(x *mat.Dense, t Targets, rows []int) (*Block, error) {
	part := Targets{Outputs: t.Outputs}
	y := linalg.Rows(t.Y, rows)
	var vary []int
	for j, c := 0, y.RawMatrix().Cols; j < c; j++ {
		column := mat.Col(nil, j, y)
		if floats.Min(column) < floats.Max(column) {
			vary = append(vary, j)
		}
	}
	if len(vary) == 0 || len(rows) < 3 {
		return nil, nil
	}
	part.Y = mat.NewDense(len(rows), len(vary), nil)
	for to, j := range vary {
		part.Y.SetCol(to, mat.Col(nil, j, y))
	}
	part.Outputs = max(1, t.Outputs-(y.RawMatrix().Cols-len(vary)))
	if t.Weights != nil {
		part.Weights = make([]float64, len(rows))
		for i, r := range rows {
			part.Weights[i] = t.Weights[r]
		}
	}
	return NewBlock(linalg.Rows(x, rows), part, &kernels.Options{Workers: l.Workers, MaxBytes: l.MaxBytes})
}

// deviations returns the standard deviations of the columns, and 1 for constant columns.
func deviations(x *mat.Dense) []float64 {
	n, d := x.Dims()
	out, column := make([]float64, d), make([]float64, n)
	for j := range out {
		mat.Col(column, j, x)
		unit := targets.Unit(column) // squares of numbers divided by unit do not overflow
		floats.Scale(1/unit, column)
		out[j] = unit * stat.PopStdDev(column, nil)
		if !(out[j] > 0) || math.IsInf(out[j], 1) {
			out[j] = 1
		}
	}
	return out
}
