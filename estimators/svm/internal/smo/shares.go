package smo

import (
	"context"
	"math"
	"slices"
)

// Form is the kind of constraints of a problem, in addition to Σ β = 0 and its bounds.
type Form uint8

// These are the forms.
const (
	Bounded Form = iota // no other constraint, and ε is fixed
	Margins             // ν-SVC: Σ|β| over each sign is share
	Tube                // ν-SVR: Σ|β| over each sign is at most share
	Origin              // one class: all β have one sign, and Σ β is share
)

// The sides of a move are the signs of a β before or after it. A move up and a move down on the same side leave Σ|β| unchanged.
const (
	positive int8 = iota
	negative
	neither // neither: the variable is at a bound
)

// leastDistance is the squared distance, in units of the largest k(x, x), below which a distance is treated as 0. It applies to the
// distance between the reduced hulls of two classes, and between one class and the origin.
const leastDistance = 1e-8

// Sides returns the sums of the bounds of the two signs.
func (p *Problem) Sides() (plus, minus float64) {
	for v, hi := range p.Hi {
		plus += hi
		minus -= p.Lo[v]
	}
	return plus, minus
}

// SetShare sets the form, and the sum of |β| over each sign that corresponds to the share ν of all bounds. If the bounds of a sign
// are smaller than this sum, which the caller checks, the sum is that of the bounds.
func (p *Problem) SetShare(f Form, nu float64) {
	p.Form, p.Nu = f, nu
	plus, minus := p.Sides()
	switch f {
	case Margins:
		p.Share = min(nu*(plus+minus)/2, plus, minus)
	case Tube:
		p.Share = nu * plus / 2
	}
}

// fill sets β to the point at which the solver begins. The first rows of each sign are at their bounds.
func (p *Problem) fill(beta []float64) {
	plus, minus := p.Share, p.Share
	for v := range beta {
		if hi := min(p.Hi[v], plus); hi > 0 {
			beta[v] = hi
			plus -= hi
		} else if lo := min(-p.Lo[v], minus); lo > 0 {
			beta[v] = -lo
			minus -= lo
		}
	}
}

// begin sets the variables to a point that satisfies the constraints. All variables are active.
func (s *solver) begin(ctx context.Context) error {
	switch s.Form {
	case Tube:
		s.slack = s.Share
	case Margins, Origin:
		largest := 0.0
		for _, d := range s.diag {
			largest = max(largest, math.Abs(d))
		}
		s.least, s.tau = leastDistance*largest*s.Share*s.Share, max(tau*largest, math.SmallestNonzeroFloat64)
		s.fill(s.beta)
		for k := range s.active {
			s.setRates(k)
		}
		if err := s.restore(ctx); err != nil {
			return err
		}
		for v, b := range s.beta {
			s.objective -= b * (s.Target[v] + s.h[v]) / 2
		}
	}
	return nil
}

// may reports whether a move up on side up can be combined with a move down on side down. It returns false if the moves would raise
// Σ|β| beyond its limit, or change a fixed sum.
func (s *solver) may(up, down int8) bool {
	return up == down || s.Form == Tube && (up == negative || s.slack > 0)
}

// level returns the midpoint between the largest rate of the variables that can grow and the smallest rate of those that can
// shrink. If one of the rates is infinite, it returns the other.
func level(best, least float64) float64 {
	switch {
	case math.IsInf(best, 0) && math.IsInf(least, 0):
		return 0
	case math.IsInf(best, 0):
		return least
	case math.IsInf(least, 0):
		return best
	}
	return best + (least-best)/2
}

// rho returns half the distance between the levels of the two classes.
func rho(levels [2]float64) float64 { return (levels[negative] - levels[positive]) / 2 }

// flat reports whether two classes have no margin. It can be called before the solver ends, because the objective never rises. The
// objective is half the squared distance between the hulls, times the square of Share.
func (s *solver) flat() bool { return s.Form == Margins && 2*s.objective <= s.least }

// leastRho returns the ρ that corresponds to leastDistance.
func (s *solver) leastRho() float64 {
	return max(s.least/(2*s.Share), math.SmallestNonzeroFloat64)
}

// twoSided is like workingSet, for the forms with two sides. i is the best variable of its side.
func (s *solver) twoSided(ctx context.Context) (i, j int, gap float64, err error) {
	h := s.h
	best, least := [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}
	at := [2]int{-1, -1}
	for k, v := range h {
		if side := s.upSide[k]; side != neither && v > best[side] {
			best[side], at[side] = v, k
		}
	}
	var rows [2][]float64
	var may [2][2]bool
	for up, k := range at {
		if k < 0 {
			continue
		}
		if rows[up], err = s.cache.row(ctx, k); err != nil {
			return 0, 0, 0, err
		}
		for down := range may[up] {
			may[up][down] = s.may(int8(up), int8(down))
		}
	}
	topB, topA := 0.0, 1.0
	i, j = -1, -1
	for k, v := range h {
		down := s.lowSide[k]
		if down == neither {
			continue
		}
		least[down] = min(least[down], v)
		for up := range at {
			b := best[up] - v
			if !may[up][down] || !(b > 0) {
				continue
			}
			a := s.diag[at[up]] + s.diag[k] - 2*rows[up][k]
			if !(a > 0) {
				a = s.tau
			}
			if b *= b; b*topA > topB*a {
				topB, topA, i, j = b, a, at[up], k
			}
		}
	}
	gap = math.Inf(-1)
	for up := range at {
		for down := range may[up] {
			if may[up][down] {
				gap = max(gap, best[up]-least[down])
			}
		}
	}
	if s.Form == Margins {
		// The margin of the solution lies between the results of the method edges, and not between the levels.
		edges := [2]float64{positive: best[positive], negative: least[negative]}
		if math.IsInf(edges[positive], 0) {
			edges[positive] = least[positive]
		}
		if math.IsInf(edges[negative], 0) {
			edges[negative] = best[negative]
		}
		s.unit = max(rho(edges), s.leastRho())
	}
	gap /= s.unit
	if !(gap > s.Tolerance) {
		j = -1
	}
	return i, j, gap, nil
}

// staysTwoSided returns a function that reports whether a variable stays active, for the forms with two sides.
func (s *solver) staysTwoSided() func(k int) bool {
	best, least := [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}
	for k, h := range s.h {
		if side := s.upSide[k]; side != neither {
			best[side] = max(best[side], h)
		}
		if side := s.lowSide[k]; side != neither {
			least[side] = min(least[side], h)
		}
	}
	return func(k int) bool {
		for other := positive; other <= negative; other++ {
			if up := s.upSide[k]; up != neither && s.may(up, other) && s.h[k] >= least[other] {
				return true
			}
			if down := s.lowSide[k]; down != neither && s.may(other, down) && s.h[k] <= best[other] {
				return true
			}
		}
		return false
	}
}

// levels returns the final levels of the two sides, with all variables active. A level is the mean of h over the variables between
// bounds, or the result of level if there are none.
func (s *solver) levels() (out [2]float64) {
	best, least := [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}
	var sum, count [2]float64
	for k, h := range s.h {
		up, down := s.upSide[k], s.lowSide[k]
		if up != neither {
			best[up] = max(best[up], h)
		}
		if down != neither {
			least[down] = min(least[down], h)
		}
		if up == down && up != neither {
			sum[up] += h
			count[up]++
		}
	}
	for side := range out {
		if out[side] = level(best[side], least[side]); count[side] > 0 {
			out[side] = sum[side] / count[side]
		}
	}
	return out
}

// edges moves the levels so that all rows that must be within the tube, or beyond the margin, are. These are the rows whose β is
// not at its bound. The solver leaves them within its tolerance on either side of the edge, but Nu limits the number of rows on the
// wrong side. A small addition ensures that rounding moves no row to the wrong side.
func (s *solver) edges(levels [2]float64) [2]float64 {
	largest := 0.0
	for k, h := range s.h {
		v := s.active[k]
		largest = max(largest, math.Abs(s.Target[v]))
		if b := s.beta[v]; b != 0 && (b <= s.Lo[v] || b >= s.Hi[v]) {
			continue
		}
		if s.Form == Tube || s.Hi[v] > 0 {
			levels[positive] = max(levels[positive], h)
		}
		if s.Form == Tube || s.Lo[v] < 0 {
			levels[negative] = min(levels[negative], h)
		}
	}
	rounding := 0x1p10 * (s.rounding() + 0x1p-52*largest)
	return [2]float64{levels[positive] + rounding, levels[negative] - rounding}
}

// finish sets the results that follow from the levels. For a tube these are b and its half width. For classes they are b and the
// scale at which the margin is 1.
func (s *solver) finish(out *Solution) {
	switch s.Form {
	case Bounded:
		out.Intercept = s.intercept()
	case Origin:
		if out.Intercept = s.intercept(); out.Intercept-out.Intercept != 0 { // no variable can grow
			least := math.Inf(1)
			for k, h := range s.h {
				least = min(least, h+s.low[k])
			}
			out.Intercept = least
		}
	case Tube:
		l := s.levels()
		if s.slack > 0 { // the limit of Σ|β| is not active, so the tube is 0 up to the solver's tolerance
			b := s.intercept()
			if out.Intercept = b; slices.Max(s.h) == b && slices.Min(s.h) == b {
				return
			}
			l = [2]float64{b, b}
		}
		l = s.edges(l)
		out.Intercept, out.Epsilon = l[negative]+(l[positive]-l[negative])/2, max(0, -rho(l))
	case Margins:
		l := s.levels()
		r := rho(l)
		if out.Flat = s.flat() || !(r > 0); out.Flat {
			out.Converged = true
			// Without a margin, the model predicts the class with more weight.
			clear(out.Beta)
			out.Intercept = -1
			if plus, minus := s.Sides(); plus > minus {
				out.Intercept = 1
			}
			return
		}
		if edges := s.edges(l); rho(edges) > 0 {
			l, r = edges, rho(edges)
		}
		for v := range out.Beta {
			out.Beta[v] /= r
		}
		out.Intercept, out.Cost = (l[negative]+(l[positive]-l[negative])/2)/r, 1/r
	}
}
