package novelty

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const (
	densityType = "novelty: Density"
	densityKind = "novelty.Density"
	version     = 1

	defaultLevel = 0.05
	// likelihoodRows is the largest number of rows whose likelihood is computed. The density is always that of all rows.
	likelihoodRows   = 1000
	likelihoodStream = 0x6c696b65 // stream of the sample
	// blockNumbers is the number of distances that are held at the same time. They take 64 MiB.
	blockNumbers = 8 << 20
	mostBlock    = 512
	// stepsBelow and stepsAbove are the numbers of grid points below and above the middle of the first grid, whose points are a
	// factor of two apart.
	stepsBelow, stepsAbove = 5, 3
	finer                  = 4 // points of a finer grid between two points
	mostExtensions         = 8
)

// Density is a kernel density estimate. Rows with few training rows near them have a low score, and a p-value states how unusual
// such a score is. The zero value is ready to use. Columns need not have comparable scales. A column that is nearly a copy of
// another counts twice.
//
// See also OneClass in package svm.
type Density struct {
	// Bandwidth is the standard deviation h of the normal density around each row, in units of the columns' standard deviations. If
	// it is 0, it is chosen by leave-one-out likelihood.
	Bandwidth float64 `zero:"the choice by likelihood"`

	// NoScaling leaves the columns unscaled. Bandwidth is then in their units, which must be the same for all columns.
	NoScaling bool

	// Level is the share of rows like the training rows that Predict may report as novel, below 1. If it is 0, 0.05 is used.
	Level float64 `zero:"0.05" below:"1"`

	// Seed is the seed for the sample that chooses the bandwidth if there are more than 1000 rows.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// If Observe is not nil, it is called after each block of rows, by one goroutine at a time.
	Observe func(estimators.Step)

	m *density
}

// density is the fitted part of a Density.
type density struct {
	scaler    *scalers.StandardScaler // nil without scaling
	z         *mat.Dense              // the scaled rows
	prepared  *kernels.Prepared       // of z
	bandwidth float64
	left      []float64 // log Σ exp(-|z[i] - z[j]|²/2h²) over j ≠ i
	constant  float64   // constant term of the logarithm of the density
	report    estimators.Report
}

// squared computes blocks of |x - z|².
type squared struct{}

func (squared) Eval(x, z []float64) float64 {
	return min(vecmath.SquaredDistance(x, z), math.MaxFloat64)
}
func (squared) String() string { return "the squared distance" }
func (squared) OfSquaredDistances(dst, squares []float64) {
	for i, v := range squares {
		dst[i] = min(v, math.MaxFloat64)
	}
}

// Fit fits the model to x (n×d), which must have at least two rows. The cost is O(n²d), and the memory O(nd). It returns
// [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite], [estimators.ErrTooLarge], or the error of ctx.
func (d *Density) Fit(ctx context.Context, x mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, d.Observe)(&err)
	if err := settings.Check(densityType, d); err != nil {
		return err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	n, columns := xd.Dims()
	if n < 2 {
		return fault.Shape("x has", n, "rows", "want at least 2, so that one can be left out")
	}
	if err := fits(n, columns); err != nil {
		return err
	}
	m := &density{}
	m.z = mat.DenseCopyOf(xd)
	if !d.NoScaling {
		m.scaler = &scalers.StandardScaler{}
		if err := m.scaler.Fit(ctx, xd); err != nil {
			return err
		}
		if err := m.scaler.TransformTo(m.z, xd); err != nil {
			return err
		}
	}
	if err := m.prepare(ctx, d.Workers); err != nil {
		return err
	}
	steps := &steps{ctx: ctx, loop: progress.NewLoop(ctx)}
	defer steps.loop.End()
	if m.bandwidth = d.Bandwidth; m.bandwidth == 0 {
		if err := m.choose(ctx, d.Seed, d.Workers, steps); err != nil {
			return err
		}
	}
	if err := m.leaveOut(ctx, d.Workers, steps); err != nil {
		return err
	}
	if m.finish(); m.constant-m.constant != 0 {
		return fmt.Errorf("%s: a bandwidth of %v and the scales of the columns overflow: %w", densityType, m.bandwidth, fault.ErrNotFinite)
	}
	if least := 1 / float64(n+1); least > cmp.Or(d.Level, defaultLevel) {
		m.report.Warnings = append(m.report.Warnings, fmt.Sprintf(
			"the smallest possible p-value of %d rows is %.3g, so no row is novel at level %.3g: fit more rows", n, least, cmp.Or(d.Level,
				defaultLevel)))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	d.m = m
	return nil
}

// fits returns an error if Fit would need too much memory for the rows, their products and a block of distances.
func fits(n, columns int) error {
	return check.Numbers(fmt.Sprintf("%s: %d rows of %d columns", densityType, n, columns),
		5*float64(n)*float64(columns)+blockNumbers+2*float64(n), "fit a sample of the rows")
}

// prepare prepares the training rows for the computation of distances.
func (m *density) prepare(ctx context.Context, workers int) (err error) {
	m.prepared, err = kernels.Prepare(ctx, squared{}, m.z, &kernels.Options{Workers: workers})
	return err
}

// finish sets the fields that follow from the other fields.
func (m *density) finish() {
	n, columns := m.z.Dims()
	m.constant = -math.Log(float64(n)) - float64(columns)*(math.Log(2*math.Pi)/2+math.Log(m.bandwidth))
	if m.scaler != nil {
		for _, s := range m.scaler.Scales() {
			m.constant -= math.Log(s)
		}
	}
}

// steps reports blocks to Observe.
type steps struct {
	ctx         context.Context
	loop        *progress.Loop
	done, total int
}

func (s *steps) add(message string) {
	s.done++
	s.total = max(s.total, s.done)
	s.loop.Report(float64(s.done) / float64(s.total))
	progress.Tell(s.ctx, progress.Step{Iteration: s.done, Total: s.total, Message: message})
}

// blocksOf returns the number of rows in a block, whose distances are held at the same time.
func (m *density) blocksOf() int {
	n, _ := m.z.Dims()
	return max(1, min(mostBlock, blockNumbers/n))
}

// distances calls visit for each row of x, with its number and its squared distances from the training rows. It works in blocks.
// Several goroutines call visit within a block, and after is called at the end of each block.
func (m *density) distances(ctx context.Context, x *mat.Dense, workers int, visit func(i int, row []float64), after func()) error {
	n, _ := x.Dims()
	size := m.blocksOf()
	out := &mat.Dense{}
	for first := 0; first < n; first += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := min(size, n-first)
		if have, _ := out.Dims(); have != r {
			out.Reset()
		}
		if err := m.prepared.CrossTo(ctx, out, x.Slice(first, first+r, 0, x.RawMatrix().Cols).(*mat.Dense)); err != nil {
			return err
		}
		if err := parallel.ForEach(ctx, workers, r, func(i int) error {
			visit(first+i, out.RawRowView(i))
			return nil
		}); err != nil {
			return err
		}
		after()
	}
	return nil
}

// leastScore replaces smaller scores. It is far above -math.MaxFloat64, so that sums with it are finite.
const leastScore = -math.MaxFloat64 / 4

// terms replaces the squared distances s by exp(-s/2h² - top), where top is such that the largest result is 1. It returns top and
// the sum of the results.
func terms(row []float64, h float64) (top, sum float64) {
	least := floats.Min(row)
	for j := range row {
		row[j] -= least
	}
	a := max(-0.5/h/h, -math.MaxFloat64)
	vecmath.Exp(row, a, row)
	return max(a*least, leastScore), vecmath.Sum(row)
}

// logSum returns log Σ exp(-s/2h²).
func logSum(row []float64, h float64) float64 {
	top, sum := terms(row, h)
	return top + math.Log(sum)
}

// choose sets the bandwidth.
func (m *density) choose(ctx context.Context, seed uint64, workers int, p *steps) error {
	n, _ := m.z.Dims()
	columns := varying(m.z)
	rows := m.z
	if n > likelihoodRows {
		sample := rand.New(rand.NewPCG(seed, likelihoodStream)).Perm(n)[:likelihoodRows]
		slices.Sort(sample)
		rows = linalg.Rows(m.z, sample)
	}
	tried, _ := rows.Dims()
	blocks := func(rows int) int { return (rows + m.blocksOf() - 1) / m.blocksOf() }
	p.total = 3*blocks(tried) + blocks(n)

	search := &bandwidths{rows: rows, columns: columns, m: m, workers: workers, steps: p}
	middle := math.Pow(float64(n), -1/float64(columns+4))
	if m.scaler == nil {
		middle *= m.spread(columns)
	}
	var grid []float64
	for k := -stepsBelow; k <= stepsAbove; k++ {
		grid = append(grid, math.Ldexp(middle, k))
	}
	best, err := search.best(ctx, grid)
	if err != nil {
		return err
	}
	if best < 0 { // all rows are equal
		m.bandwidth = middle
		m.report.Warnings = append(m.report.Warnings, "all rows are equal: the bandwidth for a normal distribution is used")
		return nil
	}
	for range mostExtensions { // the grid is extended while the best is at one of its ends
		switch best {
		case 0:
			grid = []float64{grid[0] / 16, grid[0] / 8, grid[0] / 4, grid[0] / 2, grid[0], grid[0] * 2}
		case len(grid) - 1:
			last := grid[best]
			grid = []float64{last / 2, last, last * 2, last * 4, last * 8, last * 16}
		}
		if best > 0 && best < len(grid)-1 {
			break
		}
		p.total += blocks(tried)
		if best, err = search.best(ctx, grid); err != nil {
			return err
		}
	}
	m.bandwidth = grid[best]
	for factor := 2.0; factor > 1.1; {
		factor = math.Pow(factor, 1.0/(finer+1))
		grid = grid[:0]
		for k := -finer; k <= finer; k++ {
			grid = append(grid, m.bandwidth*math.Pow(factor, float64(k)))
		}
		if best, err = search.best(ctx, grid); err != nil {
			return err
		}
		m.bandwidth = grid[best]
	}
	return nil
}

// varying returns the number of columns that are not constant. Distances between rows do not depend on constant columns, so these
// must not count as dimensions. Otherwise the bandwidth would become too small.
func varying(z *mat.Dense) int {
	n, d := z.Dims()
	out := 0
	for j := range d {
		for i := range n {
			if z.At(i, j) != z.At(0, j) {
				out++
				break
			}
		}
	}
	return out
}

// spread returns the root mean square of the standard deviations of the varying columns, or 1 if that is 0.
func (m *density) spread(varying int) float64 {
	n, columns := m.z.Dims()
	largest, sum := 0.0, 0.0
	deviations := make([]float64, columns)
	column := make([]float64, n)
	for j := range columns {
		mat.Col(column, j, m.z)
		mean := 0.0
		for i, v := range column {
			mean += (v - mean) / float64(i+1)
		}
		for i := range column {
			column[i] -= mean
		}
		deviations[j] = floats.Norm(column, 2) / math.Sqrt(float64(n))
		largest = max(largest, deviations[j])
	}
	for _, s := range deviations {
		sum += s / largest * s / largest
	}
	if out := largest * math.Sqrt(sum/float64(varying)); out > 0 && !math.IsInf(out, 1) {
		return out
	}
	return 1
}

// bandwidths compares bandwidths by their likelihoods.
type bandwidths struct {
	m       *density
	rows    *mat.Dense // rows whose likelihood is computed
	columns int        // number of columns that vary
	workers int
	steps   *steps
}

// best returns the index of the best bandwidth of the grid, or -1 if all rows are equal.
func (b *bandwidths) best(ctx context.Context, grid []float64) (int, error) {
	n, _ := b.rows.Dims()
	values := mat.NewDense(n, len(grid), nil) // a row for each row of b.rows, so that sums do not depend on the goroutines
	counts := make([]bool, n)
	err := b.m.distances(ctx, b.rows, b.workers, func(i int, row []float64) {
		// Distances to the row itself and to equal rows are left out.
		kept := row[:0]
		for _, s := range row {
			if s > 0 {
				kept = append(kept, s)
			}
		}
		if counts[i] = len(kept) > 0; !counts[i] {
			return
		}
		scratch := rowwise.Scratch(len(kept))
		defer rowwise.Release(scratch)
		for k, h := range grid {
			copy(*scratch, kept)
			values.Set(i, k, logSum(*scratch, h)/float64(n)-float64(b.columns)*math.Log(h)/float64(n))
		}
	}, func() { b.steps.add("bandwidth") })
	if err != nil {
		return 0, err
	}
	if !slices.Contains(counts, true) {
		return -1, nil
	}
	best, largest := 0, math.Inf(-1)
	for k := range grid {
		sum := 0.0
		for i := range n {
			if counts[i] {
				sum += values.At(i, k)
			}
		}
		if sum > largest {
			best, largest = k, sum
		}
	}
	if !math.IsInf(largest, 0) && largest == largest {
		b.m.report.Objective = -largest
	}
	return best, nil
}

// leaveOut computes, for each training row, the logarithm of the sum over the other rows.
func (m *density) leaveOut(ctx context.Context, workers int, p *steps) error {
	n, _ := m.z.Dims()
	m.left = make([]float64, n)
	m.report.Converged = true
	p.total = max(p.total, (n+m.blocksOf()-1)/m.blocksOf())
	return m.distances(ctx, m.z, workers, func(i int, row []float64) {
		// The distance of the row from itself is replaced by the last one.
		row[i] = row[len(row)-1]
		m.left[i] = logSum(row[:len(row)-1], m.bandwidth)
	}, func() { p.add("scores of the rows") })
}

// rows checks rows and returns them scaled.
func (d *Density) rows(x mat.Matrix) (*mat.Dense, error) {
	if d.m == nil {
		return nil, fault.NotFitted(densityType)
	}
	_, columns := d.m.z.Dims()
	xd, err := check.Wide("x", x, columns)
	if err != nil || d.m.scaler == nil {
		return xd, err
	}
	return d.m.scaler.Transform(xd)
}

// Score returns the logarithm of the density for each row of x (m×d), in the units of the columns. It costs O(nd) for each row.
func (d *Density) Score(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	z, err := d.rows(x)
	if err != nil {
		return nil, err
	}
	n, _ := z.Dims()
	out := make([]float64, n)
	err = d.m.distances(context.Background(), z, d.Workers, func(i int, row []float64) {
		out[i] = logSum(row, d.m.bandwidth) + d.m.constant
	}, func() {})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// tied is the relative tolerance for equal scores. Sums of many terms are rounded, and rows with equal scores must count as equal.
const tied = 1e-9

// PredictP returns a p-value for each row of x (m×d), from 1/(n+1) to 1. Consider the n training rows and the row itself, each with
// the density estimated from all others. The p-value is the share of these n+1 rows whose density is at most that of the row. If
// the row and the training rows are exchangeable, the p-value is at most α with a probability of at most α. The package
// documentation states when this holds exactly. It costs O(nd) for each row.
func (d *Density) PredictP(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	z, err := d.rows(x)
	if err != nil {
		return nil, err
	}
	n, _ := z.Dims()
	out := make([]float64, n)
	err = d.m.distances(context.Background(), z, d.Workers, func(i int, row []float64) { out[i] = d.m.p(row) }, func() {})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// p returns the p-value of a row with these squared distances.
func (m *density) p(row []float64) float64 {
	top, sum := terms(row, m.bandwidth)
	own := top + math.Log(sum)
	count := 1
	for i, l := range m.left {
		// row[i]/sum is the term that the row adds to the sum of training row i, relative to the row's own sum.
		if l <= own && math.Exp(l-own)+row[i]/sum <= 1+tied {
			count++
		}
	}
	return float64(count) / float64(len(m.left)+1)
}

// Predict reports for each row of x (m×d) whether it is novel, that is, whether its p-value is at most Level. It costs O(nd) for
// each row.
func (d *Density) Predict(x mat.Matrix) (_ []bool, err error) {
	defer fault.Recover(&err)
	if err := settings.Check(densityType, d); err != nil {
		return nil, err
	}
	p, err := d.PredictP(x)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(p))
	for i, v := range p {
		out[i] = v <= cmp.Or(d.Level, defaultLevel)
	}
	return out, nil
}

// ChosenBandwidth returns the bandwidth that Fit used, in the units of Bandwidth. It returns 0 before Fit.
func (d *Density) ChosenBandwidth() float64 {
	if d.m == nil {
		return 0
	}
	return d.m.bandwidth
}

// LeaveOneOutScores returns the score of each training row under the density of the other rows, with the same scales and bandwidth.
// It returns nil before Fit.
func (d *Density) LeaveOneOutScores() []float64 {
	if d.m == nil {
		return nil
	}
	n := float64(len(d.m.left))
	out := slices.Clone(d.m.left)
	floats.AddConst(d.m.constant+math.Log(n/(n-1)), out)
	return out
}

// Report describes the last Fit. Objective is minus the mean log likelihood that was used to choose the bandwidth, up to a
// constant. If Bandwidth is set, Objective is 0.
func (d *Density) Report() estimators.Report {
	if d.m == nil {
		return estimators.Report{}
	}
	return d.m.report.Clone()
}

// Graph implements [graph.Grapher]. Its Mean is the Score. There are no p-values.
func (d *Density) Graph(x graph.Value) (graph.Outputs, error) {
	if d.m == nil {
		return graph.Outputs{}, fault.NotFitted(densityType)
	}
	_, columns := d.m.z.Dims()
	if err := graph.Columns(x, columns); err != nil {
		return graph.Outputs{}, err
	}
	if d.m.scaler != nil {
		scaled, err := d.m.scaler.Graph(x)
		if err != nil {
			return graph.Outputs{}, err
		}
		x = scaled.Rows
	}
	e := x.SquaredDistances(d.m.z).Times(-0.5 / d.m.bandwidth / d.m.bandwidth)
	most := e.Largest()
	return graph.Outputs{Mean: most.Add(e.Sub(most).Exp().Sum().Log()).Plus(d.m.constant)}, nil
}

// stored is the form of a density in a file.
type stored struct {
	Scaler    []byte // a StandardScaler, or empty without scaling
	Rows      codec.Matrix
	Bandwidth float64
	Left      codec.Floats
	Report    estimators.Report
}

// MarshalBinary encodes the fitted model: the scaled rows, the scales, the bandwidth and each row's sum over the others. It does
// not encode the settings.
func (d *Density) MarshalBinary() ([]byte, error) {
	if d.m == nil {
		return nil, fault.NotFitted(densityType)
	}
	s := stored{Rows: codec.FromDense(d.m.z), Bandwidth: d.m.bandwidth, Left: d.m.left, Report: d.m.report}
	if d.m.scaler != nil {
		var err error
		if s.Scaler, err = d.m.scaler.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	return codec.Marshal(densityKind, version, s)
}

// UnmarshalBinary decodes the output of MarshalBinary. Errors wrap [estimators.ErrBadModel] and leave d unchanged.
func (d *Density) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, densityKind, version, &s); err != nil {
		return err
	}
	bad := func(format string, args ...any) error { return fault.BadModel(densityKind, format, args...) }
	m := &density{bandwidth: s.Bandwidth, left: s.Left, report: s.Report}
	var err error
	if m.z, err = s.Rows.Dense(); err != nil || m.z == nil {
		return bad("rows: %v", err)
	}
	n, columns := m.z.Dims()
	switch {
	case n < 2 || len(s.Left) != n:
		return bad("%d rows and %d scores", n, len(s.Left))
	case !s.Left.Finite() || slices.Max(s.Left) > math.Log(float64(n)) || s.Report.Objective-s.Report.Objective != 0:
		return bad("a score is not one")
	case !(s.Bandwidth > 0) || math.IsInf(s.Bandwidth, 1):
		return bad("a bandwidth of %v", s.Bandwidth)
	}
	if len(s.Scaler) > 0 {
		m.scaler = &scalers.StandardScaler{}
		if err := m.scaler.UnmarshalBinary(s.Scaler); err != nil {
			return bad("scales: %v", err)
		}
		if have := len(m.scaler.Scales()); have != columns {
			return bad("scales of %d columns, rows of %d", have, columns)
		}
	}
	if m.finish(); m.constant-m.constant != 0 {
		return bad("a bandwidth of %v with its scales", s.Bandwidth)
	}
	if err := m.prepare(context.Background(), 0); err != nil {
		return bad("rows: %v", err)
	}
	d.m = m
	return nil
}
