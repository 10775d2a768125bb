package svm

import (
	"context"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// dualProblem is a dual problem on some training rows, as the package's documentation has
// it.
type dualProblem struct {
	rows    []int // of the source, ascending
	target  []float64
	lo, hi  []float64 // lo ≤ 0 ≤ hi
	epsilon float64

	form  form
	nu    float64 // of the forms that have a share
	share float64 // of Σ|β| of each sign
}

// control is how a problem is solved.
type control struct {
	tolerance     float64
	maxIterations int
	shrinking     bool
	cacheBytes    int64
	observe       func(iteration int, objective float64)
}

// solution is a solved problem; beta is in the order of the problem's rows.
type solution struct {
	beta       []float64
	intercept  float64
	objective  float64
	iterations int
	converged  bool
	gap        float64 // m - M at the end
	cost       float64 // ν-SVC: the C of the same machine
	epsilon    float64 // ν-SVR: the half width of the tube
	flat       bool    // ν-SVC: there is no margin
}

// tau stands for a curvature that is not positive.
const tau = 1e-12

const (
	// shrinkPeriod iterations pass between two looks at what can be set aside, or as
	// many as there are variables.
	shrinkPeriod = 1000
	// shrinkShare is the least share of the variables that is set aside at once: rows
	// have to be gathered anew for those that remain.
	shrinkShare = 0.1
	// earlyRestore times the tolerance is the gap at which everything is looked at
	// again for the first time, so that a wrong shrinking is found before the end.
	earlyRestore = 10
	// perStep iterations pass before it is said how far the solver is.
	perStep = 16
	// refreshPeriod iterations pass before h is computed anew, against the rounding of
	// its many changes.
	refreshPeriod = 10000
)

// solver is the state of a problem. What runs over all active variables is stored
// compactly, by position; beta, lo and hi by variable.
type solver struct {
	dualProblem
	control
	src    source
	beta   []float64
	active []int // the variables at the positions, ascending

	// The rate at which the objective falls when the variable grows is h + up, at which
	// it rises when it shrinks h + low, with infinities at the bounds: the searches need
	// no test of a bound.
	h, up, low, diag []float64
	cache            *rowCache

	// Of the forms of two sides: those of growing and of shrinking at a position.
	upSide, lowSide []int8
	slack           float64 // of a tube: how much Σ|β| of each sign may still grow
	unit            float64 // of the gap
	least           float64 // of a margin: twice the objective at which there is none
	tau             float64

	iterations int
	objective  float64 // as the steps add up
}

// solve returns the minimum of p. It is an error only if ctx is done or the kernel's
// values are not finite.
func solve(ctx context.Context, src source, p dualProblem, c control) (solution, error) {
	s := &solver{dualProblem: p, control: c, src: src, unit: 1, tau: tau, beta: make([]float64, len(p.rows))}
	if p.form == margins {
		s.target = make([]float64, len(p.rows)) // the signs are in the sums
	}
	s.h = slices.Clone(s.target)
	if err := s.activate(ctx, countTo(len(p.rows))); err != nil {
		return solution{}, err
	}
	first, rest := ctx, ctx
	if p.nu > 0 { // which begins with a kernel row for each of a share of the rows
		first, rest = progress.Two(ctx, 1, 1)
	}
	if err := s.begin(first); err != nil {
		return solution{}, err
	}
	gap, err := s.run(rest)
	if err != nil {
		return solution{}, err
	}
	out := solution{beta: s.beta, iterations: s.iterations, converged: gap <= c.tolerance, gap: gap}
	for v, b := range s.beta {
		out.objective += p.epsilon*math.Abs(b) - b*(s.target[v]+s.h[v])/2
	}
	s.finish(&out)
	return out, nil
}

func countTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// run iterates until the gap, which it returns, is within the tolerance on all
// variables, or no more steps are allowed or possible.
func (s *solver) run(ctx context.Context) (gap float64, err error) {
	period := min(shrinkPeriod, len(s.beta))
	toShrink, early, begun := period, true, 0.
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		i, j, gap, err := s.workingSet(ctx)
		if err != nil {
			return 0, err
		}
		if begun == 0 {
			begun = gap
		}
		if loop != nil && s.iterations%perStep == 0 {
			// How far a gap has fallen says little at first, and how many steps there may be at most says little ever.
			loop.Report(max(progress.Towards(begun, gap, s.tolerance), float64(s.iterations)/float64(s.maxIterations)))
		}
		all := len(s.active) == len(s.beta)
		over := s.iterations >= s.maxIterations || s.flat()
		switch {
		case over && all, j < 0 && all:
			return gap, nil
		case over, j < 0, !all && early && gap <= earlyRestore*s.tolerance:
			early = false
			if err := s.restore(ctx); err != nil {
				return 0, err
			}
			toShrink = period
			continue
		}
		if err := s.step(ctx, i, j); err != nil {
			return 0, err
		}
		if toShrink--; s.shrinking && toShrink <= 0 {
			toShrink = period
			if err := s.shrink(ctx); err != nil {
				return 0, err
			}
		}
		if s.observe != nil && s.iterations%shrinkPeriod == 0 {
			s.observe(s.iterations, s.objective)
		}
		if s.iterations%refreshPeriod == 0 {
			if err := s.restore(ctx); err != nil {
				return 0, err
			}
			if gap*s.unit <= s.rounding() {
				s.maxIterations = s.iterations
			}
		}
	}
}

// rounding is the error that h may have at best: no step sees beyond it, and a tolerance
// below it is never reached.
func (s *solver) rounding() float64 {
	sum, largest := 0.0, 0.0
	for k, d := range s.diag {
		d = math.Sqrt(math.Abs(d))
		sum += d * math.Abs(s.beta[s.active[k]])
		largest = max(largest, d)
	}
	return 0x1p-52 * largest * sum
}

// workingSet returns the positions to move, up and down, and m - M. Where the gap is
// within the tolerance, or there is none, j is -1.
func (s *solver) workingSet(ctx context.Context) (i, j int, gap float64, err error) {
	if s.upSide != nil {
		return s.twoSided(ctx)
	}
	h := s.h
	up, low, diag := s.up[:len(h)], s.low[:len(h)], s.diag[:len(h)]
	best := math.Inf(-1)
	i = -1
	for k, v := range h {
		if v += up[k]; v > best {
			best, i = v, k
		}
	}
	if i < 0 {
		return -1, -1, math.Inf(-1), nil
	}
	row, err := s.cache.row(ctx, i)
	if err != nil {
		return 0, 0, 0, err
	}
	row = row[:len(h)]
	own, least := diag[i], math.Inf(1)
	// The largest b²/a; compared across, without a division.
	topB, topA := 0.0, 1.0
	j = -1
	for k, v := range h {
		v += low[k]
		if v < least {
			least = v
		}
		b := best - v
		if !(b > 0) {
			continue
		}
		a := own + diag[k] - 2*row[k]
		if !(a > 0) {
			a = s.tau
		}
		if b *= b; b*topA > topB*a {
			topB, topA, j = b, a, k
		}
	}
	if s.form == origin {
		s.unit = max(math.Abs(best), s.leastRho()) // the offset in the end is at the edge, where no row that may grow lies beyond
	}
	gap = (best - least) / s.unit
	if !(gap > s.tolerance) {
		j = -1
	}
	return i, j, gap, nil
}

// step moves the variable at position i up and that at j down by the same amount: to
// the minimum along that line, or to the first bound or zero on the way.
func (s *solver) step(ctx context.Context, i, j int) error {
	s.iterations++
	vi, vj := s.active[i], s.active[j]
	ri, err := s.cache.row(ctx, i)
	if err != nil {
		return err
	}
	rj, err := s.cache.row(ctx, j)
	if err != nil {
		return err
	}
	// Zero is a kink of |β|, beyond which the rates are others.
	endI, endJ := s.hi[vi], s.lo[vj]
	if s.beta[vi] < 0 {
		endI = 0
	}
	if s.beta[vj] > 0 {
		endJ = 0
	}
	slope := s.h[i] + s.up[i] - s.h[j] - s.low[j]
	curvature := s.diag[i] + s.diag[j] - 2*ri[j]
	roomI, roomJ := endI-s.beta[vi], s.beta[vj]-endJ
	room := min(roomI, roomJ)
	raises := s.upSide != nil && s.upSide[i] == positive && s.lowSide[j] == negative
	lowers := s.upSide != nil && s.upSide[i] == negative && s.lowSide[j] == positive
	if raises {
		room = min(room, s.slack)
	}
	delta := room
	if safe := max(curvature, s.tau); slope < room*safe {
		delta = slope / safe
		s.beta[vi] += delta
		s.beta[vj] -= delta
	} else {
		s.beta[vi] += delta
		s.beta[vj] -= delta
		if roomI <= room {
			s.beta[vi] = endI
		}
		if roomJ <= room {
			s.beta[vj] = endJ
		}
	}
	switch {
	case raises:
		s.slack -= delta
	case lowers:
		s.slack += delta
	}
	s.objective -= delta * (slope - curvature*delta/2)
	s.setRates(i)
	s.setRates(j)
	linalg.Axpy(-delta, ri, s.h)
	linalg.Axpy(delta, rj, s.h)
	return nil
}

// setRates sets the rates at a position from its variable's value.
func (s *solver) setRates(k int) {
	v := s.active[k]
	b := s.beta[v]
	up, low := -s.epsilon, s.epsilon
	if b < 0 {
		up = s.epsilon
	}
	if b > 0 {
		low = -s.epsilon
	}
	if b >= s.hi[v] {
		up = math.Inf(-1)
	}
	if b <= s.lo[v] {
		low = math.Inf(1)
	}
	s.up[k], s.low[k] = up, low
	if s.upSide == nil {
		return
	}
	// Of a tube the side is that of the value, of classes that of the bounds.
	s.upSide[k], s.lowSide[k] = positive, positive
	if b < 0 || s.form == margins && s.lo[v] < 0 {
		s.upSide[k] = negative
	}
	if b < 0 || b == 0 && s.lo[v] < 0 {
		s.lowSide[k] = negative
	}
	if b >= s.hi[v] {
		s.upSide[k] = neither
	}
	if b <= s.lo[v] {
		s.lowSide[k] = neither
	}
}

// activate makes these variables the active ones, whose h is set.
func (s *solver) activate(ctx context.Context, variables []int) error {
	n := len(variables)
	s.active = variables
	s.up, s.low, s.diag = make([]float64, n), make([]float64, n), make([]float64, n)
	if s.form == margins || s.form == tube {
		s.upSide, s.lowSide = make([]int8, n), make([]int8, n)
	}
	rows := make([]int, n)
	for k, v := range variables {
		rows[k] = s.rows[v]
		s.diag[k] = s.src.diagonal(rows[k])
		s.setRates(k)
	}
	v, err := s.src.columns(ctx, rows)
	if err != nil {
		return err
	}
	s.cache = newRowCache(v, rows, s.cacheBytes)
	return nil
}

// shrink sets variables aside that no step would choose: growing is not better, nor
// shrinking worse, than for any other.
func (s *solver) shrink(ctx context.Context) error {
	best, least := math.Inf(-1), math.Inf(1)
	for k, h := range s.h {
		best, least = max(best, h+s.up[k]), min(least, h+s.low[k])
	}
	stays := func(k int) bool { return !(s.h[k]+s.up[k] < least && s.h[k]+s.low[k] > best) }
	if s.upSide != nil {
		stays = s.staysTwoSided()
	}
	count := 0
	for k := range s.h {
		if stays(k) {
			count++
		}
	}
	if count < minimalRows || float64(len(s.h)-count) < shrinkShare*float64(len(s.h)) {
		return nil
	}
	variables, h := make([]int, 0, count), make([]float64, 0, count)
	for k, v := range s.active {
		if stays(k) {
			variables, h = append(variables, v), append(h, s.h[k])
		}
	}
	s.h = h
	return s.activate(ctx, variables)
}

// restore makes all variables active, with h computed anew.
func (s *solver) restore(ctx context.Context) error {
	var vectors []int
	var beta []float64
	for v, b := range s.beta {
		if b != 0 {
			vectors, beta = append(vectors, s.rows[v]), append(beta, b)
		}
	}
	h := make([]float64, len(s.beta))
	if err := s.src.cross(ctx, h, s.rows, vectors, beta); err != nil {
		return err
	}
	for v, t := range s.target {
		h[v] = t - h[v]
	}
	s.h = h
	if len(s.active) < len(s.beta) {
		return s.activate(ctx, countTo(len(s.beta)))
	}
	return nil
}

// intercept returns b, with all variables active.
func (s *solver) intercept() float64 {
	sum, free := 0.0, 0
	best, least := math.Inf(-1), math.Inf(1)
	for k, h := range s.h {
		up, low := h+s.up[k], h+s.low[k]
		if up == low {
			sum += up
			free++
		}
		best, least = max(best, up), min(least, low)
	}
	if free > 0 {
		return sum / float64(free)
	}
	return best + (least-best)/2
}
