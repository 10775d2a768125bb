package loo

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	goals "github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// MaxFewEvaluations is the largest number of ridges that SearchFew evaluates. It usually evaluates two to four.
const MaxFewEvaluations = 6

// usualEvaluations is a typical number of evaluations, for estimates of progress.
const usualEvaluations = 3

const (
	sampleShare  = 3    // a search begins with one in this many rows
	sampleRows   = 1000 // and with at most this many
	sampleStream = 0x726f7773

	// worthEvaluating is the smallest expected decrease of the log error for which a ridge is evaluated.
	worthEvaluating = 1e-3
	// worthNear replaces worthEvaluating in a search that starts near the best ridge.
	worthNear = 5e-3
	// A minimum of the sample competes with the best if its log error is at most rivalError above that of the best, and the barrier
	// between them is at least barrier above its own.
	rivalError, barrier = 0.2, 0.02
	shelf               = 3.4 // the smallest width of a shelf, in ln λ
	// leastCurvature is a lower bound of the second derivative of ln E in ln λ, and usualCurvature a typical value at the minimum.
	leastCurvature, usualCurvature = 0.02, 0.06
	// Without a bracket, a step is at least leastStep and at most firstStep. The lower limit triples with each step, so that the
	// search is not slow, and the upper limit doubles.
	leastStep, firstStep = 0.3, 3.4
	// wallStep is the first step up from a ridge without a solution. Further steps double.
	wallStep = 2.3
)

// SearchFew replaces New and Search for many rows. It evaluates few ridges. Each costs a Cholesky factor and the diagonal of the
// inverse, 2n³/3, while the 8n³/3 of New are also limited by memory bandwidth. It also returns the solution at the ridge, or nil if
// no ridge has one.
//
// It begins with the Curve of a sample of a third of the rows, at most 1000, drawn with a fixed seed. The sample shows where the
// minima of the error are, and their curvature. At the lowest minimum, and at a competing one if there is one, it evaluates all
// rows: the exact error, and an estimate of its slope. From there it goes downhill. It steps to the minimum of the cubic polynomial
// between two ridges whose slopes differ in sign, or takes a Newton step if there is no such pair. It ends when a step is expected
// to lower the error by less than a thousandth, at the end of the range of Search, or after MaxFewEvaluations.
//
// Without slopes, a bracket and a parabola would need four evaluations. The exact slope would cost n³/3 more, half an evaluation,
// and would not lead to better steps: see slope.
//
// If near is not 0, it is a ridge known to be near the best. The search then starts there without a sample, and ends when a step is
// expected to lower the error by less than half a per cent.
//
// A minimum that the sample does not show, and that is not downhill, is not found. Of 120 problems of 1500 rows (noise of five
// kinds, jumps, classes, weights, copies; kernels from wide to narrow) 117 ended within 1% of Search's error. The others, single
// columns with a wide kernel, ended 2 to 3.3% above it. The mean was 2.75 evaluations.
//
// SearchFew overwrites gram (n×n), including its lower triangle, and allocates several columns. If observe is not nil, it is called
// after each evaluation of all rows.
func SearchFew(
	ctx context.Context, gram *mat.SymDense, targets *mat.Dense, own []float64, near float64, workers int,
	observe func(evaluation int, ridge, err float64),
) (Minimum, *Solution, error) {
	f, err := newFew(ctx, gram, targets, own, observe)
	if err != nil {
		return Minimum{}, nil, err
	}
	if err := f.search(near, workers); err != nil {
		return Minimum{}, nil, err
	}
	out := Minimum{Evaluations: len(f.seen), Error: math.Inf(1)}
	if f.best == nil {
		return out, nil, nil
	}
	at := f.seen[f.least()]
	out.Ridge, out.Error = math.Exp(at.u), at.error
	switch at.u {
	case f.lo:
		out.Edge = -1
	case f.hi:
		out.Edge = 1
	}
	return out, f.best, nil
}

// CurveFew returns the results of the ridges that SearchFew evaluates, in ascending order, without those that have no solution. No
// ridge is below least. If known results of CurveFew or EvaluateOnce are passed, it continues from them without a sample, and returns
// them too.
func CurveFew(
	ctx context.Context, gram *mat.SymDense, targets *mat.Dense, own []float64, least float64, workers int, known ...Evaluation,
) ([]Evaluation, error) {
	f, err := newFew(ctx, gram, targets, own, nil)
	if err != nil {
		return nil, err
	}
	f.keep = true
	f.lo = min(max(f.lo, math.Log(least)), f.hi) // -Inf for 0
	for _, l := range known {
		if l.Solved != nil && l.Error > 0 {
			f.keepEvaluation(l)
			f.enter(point{math.Log(l.Ridge), l.Error, f.log(l.Error), l.Slope})
		}
	}
	if len(f.seen) == 0 {
		err := f.search(0, workers)
		return f.evaluations, err
	}
	f.parts = progress.NewSeries(ctx, 1)
	f.descend(usualCurvature)
	return f.evaluations, f.err
}

// search evaluates the ridges.
func (f *few) search(near float64, workers int) error {
	if near > 0 {
		f.worth, f.parts = worthNear, progress.NewSeries(f.ctx, 2)
		f.evaluate(min(max(math.Log(near), f.lo), f.hi))
		f.descend(usualCurvature)
		return f.err
	}
	// The sample costs at least 8m³/3, mostly limited by memory bandwidth, and an evaluation costs 2n³/3.
	n, m := float64(len(f.diag)), float64(rowsOfSample(len(f.diag)))
	sample, rest := progress.Two(f.ctx, 15*m*m*m, usualEvaluations*n*n*n)
	f.parts = progress.NewSeries(rest, usualEvaluations)
	evaluations, err := sampleCurve(sample, f.gram, f.targets, f.own, workers)
	if err != nil {
		return err
	}
	starts, curvature := f.starts(evaluations)
	for _, u := range starts {
		f.evaluate(u)
	}
	f.descend(curvature)
	return f.err
}

// few holds the state of a search with few evaluations.
type few struct {
	ctx         context.Context
	gram        *mat.SymDense // kernel matrix below the diagonal, a factor above
	diag        []float64     // diagonal of the kernel matrix
	targets     *mat.Dense
	unit        float64   // unit of the targets
	own         []float64 // weights
	observe     func(evaluation int, ridge, err float64)
	lo, hi      float64          // logs of the smallest and the largest ridge
	worth       float64          // smallest expected decrease worth an evaluation
	parts       *progress.Series // one part per evaluation
	seen        []point          // in ascending order of the ridge
	best        *Solution
	begun       bool // gram holds a factor
	keep        bool // keep results for CurveFew
	evaluations []Evaluation
	err         error
}

// point is an evaluation at u = ln λ. f = ln E is infinite if there is no solution.
type point struct{ u, error, f, slope float64 }

func newFew(ctx context.Context, gram *mat.SymDense, targets *mat.Dense, own []float64, observe func(int, float64, float64)) (*few, error) {
	f := &few{ctx: ctx, gram: gram, diag: make([]float64, gram.SymmetricDim()), targets: targets,
		unit: goals.Unit(mat.DenseCopyOf(targets).RawMatrix().Data), own: own, observe: observe, worth: worthEvaluating}
	scale, mean := centredScale(gram), 0.0
	for i := range f.diag {
		f.diag[i] = gram.At(i, i)
		mean += weights.Weight(own, i) / float64(len(f.diag))
	}
	f.lo, f.hi = math.Log(scale*mean*minRelativeRidge), math.Log(scale*mean*maxRelativeRidge)
	return f, linalg.Keep(ctx, gram)
}

// sampleCurve returns the curve of a sample. The same ridges suit all rows, since kernel values are the same.
func sampleCurve(ctx context.Context, gram *mat.SymDense, targets *mat.Dense, own []float64, workers int) ([]Evaluation, error) {
	n := gram.SymmetricDim()
	rows := rand.New(rand.NewPCG(uint64(n), sampleStream)).Perm(n)[:rowsOfSample(n)]
	slices.Sort(rows)
	part := mat.NewSymDense(len(rows), nil)
	var w []float64
	for a, i := range rows {
		for b := a; b < len(rows); b++ {
			part.SetSym(a, b, gram.At(i, rows[b]))
		}
		if own != nil {
			w = append(w, own[i])
		}
	}
	reduction, curve := progress.Two(ctx, 3, 1)
	p, err := New(reduction, part, linalg.Rows(targets, rows), w, workers)
	if err != nil {
		return nil, err
	}
	return Curve(curve, p, 0)
}

// rowsOfSample returns the size of the sample.
func rowsOfSample(n int) int { return max(2, min(n/sampleShare, sampleRows)) }

// starts returns the first ridges to evaluate, given a sample: the lowest minimum, and a competing one if there is one. It also
// returns the second derivative of ln E at the first.
func (f *few) starts(evaluations []Evaluation) (us []float64, curvature float64) {
	least, ok := Least(evaluations)
	if !ok || !(least.Error > 0) {
		return []float64{f.hi}, leastCurvature
	}
	v, best := make([]point, len(evaluations)), 0
	for i, l := range evaluations {
		v[i] = point{u: math.Log(l.Ridge), f: f.log(l.Error)}
		if l.Ridge == least.Ridge {
			best = i
		}
	}
	at := func(i int) float64 {
		switch u := v[i].u; { // the ends of the sample's range are about those of all rows
		case i == 0 && u < f.lo+1:
			return f.lo
		case i == len(v)-1 && u > f.hi-1:
			return f.hi
		default:
			return min(max(u, f.lo), f.hi)
		}
	}
	us, curvature = []float64{at(best)}, leastCurvature
	if best > 0 && best < len(v)-1 {
		curvature = max(curvature, curvatureOf(v, best))
	}
	if i := rivalOf(v, best); i >= 0 {
		us = append(us, at(i))
	}
	return us, curvature
}

// rivalOf returns the index of the lowest other minimum that is nearly as low as the best. If there is none, but the best lies on a
// wide shelf, it returns the far end of the shelf: more rows allow a more flexible function, and may show a minimum there.
// Otherwise it returns -1.
func rivalOf(v []point, best int) int {
	rival := -1
	for i, p := range v {
		falls := i > 0 && v[i-1].f <= p.f || i+1 < len(v) && v[i+1].f < p.f // downhill to one side
		if i == best || falls || p.f > v[best].f+rivalError {
			continue
		}
		top := p.f
		for _, between := range v[min(i, best) : max(i, best)+1] {
			top = max(top, between.f)
		}
		if top > p.f+barrier && (rival < 0 || p.f < v[rival].f) {
			rival = i
		}
	}
	if rival >= 0 {
		return rival
	}
	low := func(p point) bool { return p.f < v[best].f+rivalError }
	first, last := slices.IndexFunc(v, low), best
	for last+1 < len(v) && low(v[last+1]) {
		last++
	}
	down, up := v[best].u-v[first].u, v[last].u-v[best].u
	switch {
	case max(down, up) < shelf:
		return -1
	case down >= up:
		return first
	default:
		return last
	}
}

// curvatureOf returns the second derivative of a parabola through point i and one point on each side. These points are at least a
// factor of two away, where noise has little effect.
func curvatureOf(v []point, i int) float64 {
	a, b := i-1, i+1
	for a > 0 && v[i].u-v[a].u < .7 {
		a--
	}
	for b < len(v)-1 && v[b].u-v[i].u < .7 {
		b++
	}
	left, right := (v[i].f-v[a].f)/(v[i].u-v[a].u), (v[b].f-v[i].f)/(v[b].u-v[i].u)
	return 2 * (right - left) / (v[b].u - v[a].u)
}

// evaluate computes the solution at the ridge exp(u), and keeps it if it is the best so far.
func (f *few) evaluate(u float64) {
	if f.err == nil {
		f.err = f.ctx.Err()
	}
	if f.err == nil && f.begun {
		f.err = linalg.Restore(f.ctx, f.gram)
	}
	if f.err != nil {
		return
	}
	f.begun = true
	ctx := f.parts.Next()
	for i, d := range f.diag {
		f.gram.SetSym(i, i, d)
	}
	ridge := math.Exp(u)
	p := point{u: u, error: math.Inf(1), f: math.Inf(1)}
	s, factor, err := solveOnce(ctx, f.gram, f.targets, f.own, ridge)
	if err != nil {
		f.err = err
		return
	}
	if s != nil {
		e, slope, err := s.slope(progress.Detach(ctx), factor, f.own, ridge)
		if err != nil {
			f.err = err
			return
		}
		if e-e == 0 { // e is finite
			p.error, p.f, p.slope = e, f.log(e), slope
		}
		if f.keep {
			f.keepEvaluation(evaluationOf(s, factor, f.targets, f.own, ridge, slope))
		}
	}
	if at := f.enter(p); s != nil && f.least() == at {
		f.best = s
	}
	if f.observe != nil {
		f.observe(len(f.seen), ridge, p.error)
	}
}

// log returns the log of a squared error in the unit of the targets. Without the division, rounding would depend on their units.
func (f *few) log(squared float64) float64 { return math.Log(squared / f.unit / f.unit) }

// keepEvaluation stores a result for CurveFew.
func (f *few) keepEvaluation(l Evaluation) {
	f.evaluations = append(f.evaluations, l)
	slices.SortFunc(f.evaluations, func(a, b Evaluation) int { return cmp.Compare(a.Ridge, b.Ridge) })
}

// enter inserts an evaluation and returns its index.
func (f *few) enter(p point) int {
	at, _ := slices.BinarySearchFunc(f.seen, p.u, func(p point, u float64) int {
		if p.u < u {
			return -1
		}
		return 1
	})
	f.seen = slices.Insert(f.seen, at, p)
	return at
}

// least returns the index of the smallest error. Among equal errors it returns the one with the largest ridge.
func (f *few) least() int {
	best := 0
	for i, p := range f.seen {
		if p.error <= f.seen[best].error {
			best = i
		}
	}
	return best
}

// descend goes downhill from the best evaluation. The argument curvature is the second derivative from the sample.
func (f *few) descend(curvature float64) {
	limit, atLeast := firstStep, leastStep
	for f.err == nil && len(f.seen) < MaxFewEvaluations {
		i := f.least()
		p := f.seen[i]
		if math.IsInf(p.f, 1) { // no solution yet: all ridges were too small, and the last is the largest
			if p.u == f.hi {
				return
			}
			f.evaluate(min(f.hi, p.u+math.Ldexp(wallStep, len(f.seen)-1)))
			continue
		}
		if p.slope == 0 || math.IsNaN(p.slope) { // including an error of 0
			return
		}
		side := 1 // the downhill direction
		if p.slope > 0 {
			side = -1
		}
		var step, promise float64
		if j := i + side; j >= 0 && j < len(f.seen) {
			step = p.cubicStep(f.seen[j], curvature)
			promise = step
		} else {
			newton := math.Abs(p.slope) / f.curvatureBehind(i, i-side, curvature)
			step, promise = min(max(newton, atLeast), limit), min(max(newton, leastStep), limit)
			limit, atLeast = 2*limit, 3*atLeast
		}
		u := min(max(p.u+float64(side)*step, f.lo), f.hi)
		if math.Abs(p.slope)*min(promise, math.Abs(u-p.u)) < f.worth { // the largest possible decrease if the curve is convex
			return
		}
		f.evaluate(u)
	}
}

// curvatureBehind returns the second derivative between evaluations i and j, or curvature if j does not exist.
func (f *few) curvatureBehind(i, j int, curvature float64) float64 {
	if j >= 0 && j < len(f.seen) && !math.IsInf(f.seen[j].f, 1) {
		curvature = (f.seen[j].slope - f.seen[i].slope) / (f.seen[j].u - f.seen[i].u)
	}
	return max(curvature, leastCurvature)
}

// cubicStep returns the distance from p to the minimum of the cubic polynomial with the values and slopes of p and q, where p is
// lower and falls towards q (J. Nocedal and S. J. Wright, Numerical Optimization, 2006, (3.59)). If there is no minimum between
// them, it returns the Newton step for the given curvature, but at most half of the distance.
func (p point) cubicStep(q point, curvature float64) float64 {
	width := math.Abs(q.u - p.u)
	newton := min(math.Abs(p.slope)/curvature, width/2)
	if math.IsInf(q.f, 1) {
		return newton
	}
	// As a function of the distance from p, the slopes are -a at p and b at q.
	a, b := -math.Abs(p.slope), q.slope
	if q.u < p.u {
		b = -b
	}
	d := a + b + 3*(p.f-q.f)/width
	root := math.Sqrt(d*d - a*b)
	step := width * (1 - (b+root-d)/(b-a+2*root))
	if !(step > 0 && step < width) {
		return newton
	}
	return step
}
