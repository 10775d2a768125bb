package smo

import (
	"context"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Problem is a dual problem for some training rows.
type Problem struct {
	Rows    []int     // rows of the source, ascending
	Target  []float64 // t
	Lo, Hi  []float64 // Lo ≤ 0 ≤ Hi
	Epsilon float64

	Form  Form
	Nu    float64 // share ν, for all forms except Bounded
	Share float64 // Σ|β| of each sign
}

// NewProblem returns a problem with a target for each row of the source, and with bounds of 0.
func NewProblem(target []float64) Problem {
	n := len(target)
	return Problem{Rows: CountTo(n), Target: target, Lo: make([]float64, n), Hi: make([]float64, n)}
}

// Control holds the settings of the solver.
type Control struct {
	Tolerance     float64
	MaxIterations int
	Shrinking     bool
	CacheBytes    int64
	Observe       func(iteration int, objective float64)
}

// Solution is a solved problem. Beta is in the order of the problem's rows.
type Solution struct {
	Beta       []float64
	Intercept  float64
	Objective  float64
	Iterations int
	Converged  bool
	Gap        float64 // m - M at the end
	Cost       float64 // ν-SVC: the C of the same machine
	Epsilon    float64 // ν-SVR: the half width of the tube
	Flat       bool    // ν-SVC: there is no margin
}

// tau replaces a curvature that is not positive.
const tau = 1e-12

const (
	// ShrinkPeriod is the number of iterations between two attempts to set variables aside. If there are fewer variables, their
	// number is used instead.
	ShrinkPeriod = 1000
	// shrinkShare is the smallest share of the variables that is set aside at once. Setting fewer aside would not pay, because the
	// rows of the remaining variables must be gathered again.
	shrinkShare = 0.1
	// earlyRestore is the gap, in units of the tolerance, at which all variables are considered again for the first time, so that
	// wrong shrinking is noticed before the end.
	earlyRestore = 10
	// perStep is the number of iterations between two reports of progress.
	perStep = 16
	// refreshPeriod is the number of iterations after which h is recomputed, because its many changes accumulate rounding errors.
	refreshPeriod = 10000
)

// solver holds the state of a problem. Values of the active variables are stored compactly, by position. beta, Lo and Hi are stored
// by variable.
type solver struct {
	Problem
	Control
	src    Source
	beta   []float64
	active []int // the variable at each position, ascending

	// h + up is the rate at which the objective falls when the variable grows. h + low is the rate at which it rises when the
	// variable shrinks. At the bounds up and low are infinite, so that the searches need not test for bounds.
	h, up, low, diag []float64
	cache            *rowCache

	// upSide and lowSide are the sides of growing and of shrinking at a position, for the forms with two sides.
	upSide, lowSide []int8
	slack           float64 // for a tube, the amount by which Σ|β| over each sign can increase
	unit            float64 // unit of the gap
	least           float64 // for a margin, twice the objective below which there is no margin
	tau             float64

	iterations int
	objective  float64 // updated by each step
}

// Solve returns the minimum of p. It returns an error only if ctx is done or kernel values are not finite.
func Solve(ctx context.Context, src Source, p Problem, c Control) (Solution, error) {
	s := &solver{Problem: p, Control: c, src: src, unit: 1, tau: tau, beta: make([]float64, len(p.Rows))}
	if p.Form == Margins {
		s.Target = make([]float64, len(p.Rows)) // Target is 0, because the constraints on the sums contain the signs
	}
	s.h = slices.Clone(s.Target)
	if err := s.activate(ctx, CountTo(len(p.Rows))); err != nil {
		return Solution{}, err
	}
	first, rest := ctx, ctx
	if p.Nu > 0 { // begin computes a kernel row for each row at its bound
		first, rest = progress.Two(ctx, 1, 1)
	}
	if err := s.begin(first); err != nil {
		return Solution{}, err
	}
	gap, err := s.run(rest)
	if err != nil {
		return Solution{}, err
	}
	out := Solution{Beta: s.beta, Iterations: s.iterations, Converged: gap <= c.Tolerance, Gap: gap}
	for v, b := range s.beta {
		out.Objective += p.Epsilon*math.Abs(b) - b*(s.Target[v]+s.h[v])/2
	}
	s.finish(&out)
	return out, nil
}

// CountTo returns the numbers from 0 to n-1.
func CountTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// run iterates until the gap is within the tolerance for all variables, or until no more steps are allowed or possible. It returns
// the gap.
func (s *solver) run(ctx context.Context) (gap float64, err error) {
	period := min(ShrinkPeriod, len(s.beta))
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
			// The decrease of the gap shows little progress at first, and the share of MaxIterations is only a lower bound, so the
			// larger of the two is reported.
			loop.Report(max(progress.Towards(begun, gap, s.Tolerance), float64(s.iterations)/float64(s.MaxIterations)))
		}
		all := len(s.active) == len(s.beta)
		over := s.iterations >= s.MaxIterations || s.flat()
		switch {
		case over && all, j < 0 && all:
			return gap, nil
		case over, j < 0, !all && early && gap <= earlyRestore*s.Tolerance:
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
		if toShrink--; s.Shrinking && toShrink <= 0 {
			toShrink = period
			if err := s.shrink(ctx); err != nil {
				return 0, err
			}
		}
		if s.Observe != nil && s.iterations%ShrinkPeriod == 0 {
			s.Observe(s.iterations, s.objective)
		}
		if s.iterations%refreshPeriod == 0 {
			if err := s.restore(ctx); err != nil {
				return 0, err
			}
			if gap*s.unit <= s.rounding() {
				s.MaxIterations = s.iterations
			}
		}
	}
}

// rounding returns an estimate of the rounding error of h. Steps cannot reduce the gap below it, so a smaller tolerance is never
// reached.
func (s *solver) rounding() float64 {
	sum, largest := 0.0, 0.0
	for k, d := range s.diag {
		d = math.Sqrt(math.Abs(d))
		sum += d * math.Abs(s.beta[s.active[k]])
		largest = max(largest, d)
	}
	return 0x1p-52 * largest * sum
}

// workingSet returns the positions of the variables to move up and down, and m - M. If the gap is within the tolerance, or if there
// is no gap, j is -1.
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
	// The loop finds the largest b²/a. It compares products, which avoids divisions.
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
	if s.Form == Origin {
		s.unit = max(math.Abs(best), s.leastRho()) // the final offset is determined by the rows that may grow
	}
	gap = (best - least) / s.unit
	if !(gap > s.Tolerance) {
		j = -1
	}
	return i, j, gap, nil
}

// step moves the variable at position i up and the variable at position j down by the same amount, to the minimum along that line,
// or to the first bound or zero.
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
	// Zero is a kink of |β|, beyond which the rates differ.
	endI, endJ := s.Hi[vi], s.Lo[vj]
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

// setRates sets the rates at a position according to the value of its variable.
func (s *solver) setRates(k int) {
	v := s.active[k]
	b := s.beta[v]
	up, low := -s.Epsilon, s.Epsilon
	if b < 0 {
		up = s.Epsilon
	}
	if b > 0 {
		low = -s.Epsilon
	}
	if b >= s.Hi[v] {
		up = math.Inf(-1)
	}
	if b <= s.Lo[v] {
		low = math.Inf(1)
	}
	s.up[k], s.low[k] = up, low
	if s.upSide == nil {
		return
	}
	// For a tube the side is the sign of the value, and for classes the sign of the bounds.
	s.upSide[k], s.lowSide[k] = positive, positive
	if b < 0 || s.Form == Margins && s.Lo[v] < 0 {
		s.upSide[k] = negative
	}
	if b < 0 || b == 0 && s.Lo[v] < 0 {
		s.lowSide[k] = negative
	}
	if b >= s.Hi[v] {
		s.upSide[k] = neither
	}
	if b <= s.Lo[v] {
		s.lowSide[k] = neither
	}
}

// activate sets the active variables, whose h is already set.
func (s *solver) activate(ctx context.Context, variables []int) error {
	n := len(variables)
	s.active = variables
	s.up, s.low, s.diag = make([]float64, n), make([]float64, n), make([]float64, n)
	if s.Form == Margins || s.Form == Tube {
		s.upSide, s.lowSide = make([]int8, n), make([]int8, n)
	}
	rows := make([]int, n)
	for k, v := range variables {
		rows[k] = s.Rows[v]
		s.diag[k] = s.src.Diagonal(rows[k])
		s.setRates(k)
	}
	v, err := s.src.Columns(ctx, rows)
	if err != nil {
		return err
	}
	s.cache = newRowCache(v, rows, s.CacheBytes)
	return nil
}

// shrink sets aside variables that no step would choose: their rates of growing are smaller, and their rates of shrinking larger,
// than those of all others.
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

// restore makes all variables active and recomputes h.
func (s *solver) restore(ctx context.Context) error {
	var vectors []int
	var beta []float64
	for v, b := range s.beta {
		if b != 0 {
			vectors, beta = append(vectors, s.Rows[v]), append(beta, b)
		}
	}
	h := make([]float64, len(s.beta))
	if err := s.src.Cross(ctx, h, s.Rows, vectors, beta); err != nil {
		return err
	}
	for v, t := range s.Target {
		h[v] = t - h[v]
	}
	s.h = h
	if len(s.active) < len(s.beta) {
		return s.activate(ctx, CountTo(len(s.beta)))
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
