package entropy

import (
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/selection/search"
)

// point is a computed entropy E at u = ln(param).
type point struct{ u, param, entropy float64 }

// rootFinder finds the parameter with a given entropy. Entropies are expensive, and monotone in the parameter for the families of
// this module. Therefore it keeps every point and computes none twice.
type rootFinder struct {
	integer   bool
	several   bool    // there are several targets: steps are in log odds, guided by known points
	lo, hi    float64 // the range of the parameter
	tolerance float64
	limit     int // largest number of entropies for one target
	eval      func(param float64) (float64, error)
	known     []point // ascending in u
}

// These constants determine the steps towards a target. Near the middle of its range an entropy rises by about entropySlope per
// unit of ln(param). Steps grow until they bracket the target.
const (
	entropySlope = 0.12
	overshoot    = 1.15
	shortestStep = 0.3
	stepGrowth   = 1.3
	longestStep  = 6.0
)

// lowTarget is the target below which an entropy is nearly proportional to the parameter, rather than linear in its log.
const lowTarget = 0.1

// With several targets, log odds predict the next point. Near 0 an entropy is proportional to a power of the parameter, and near 1
// so is 1 minus the entropy. In between ln(E/(1-E)) is nearly linear in ln(param). It rises by about 1 per unit for gamma and by 2
// for the reciprocal of a length, or as two known points suggest, within bounds. This takes a third fewer entropies than the steps
// for a single target, which reproduce the reference evaluation by evaluation.
const (
	usualRise           = 1.4
	leastRise, mostRise = 0.3, 5.0
	shortestRise        = 0.1
	nearlyNone          = 1e-12
)

func logOdds(entropy float64) float64 {
	e := min(max(entropy, nearlyNone), 1-nearlyNone)
	return math.Log(e / (1 - e))
}

// rise returns the slope of the log odds as a function of ln(param) between a point and the nearest known point.
func (r *rootFinder) rise(p point) float64 {
	out, distance := usualRise, math.Inf(1)
	for _, q := range r.known {
		if d := math.Abs(q.u - p.u); d >= shortestRise && d < distance {
			out, distance = (logOdds(q.entropy)-logOdds(p.entropy))/(q.u-p.u), d
		}
	}
	return min(max(out, leastRise), mostRise) // the family may not be monotone
}

// step returns the distance from a point towards a target that is not bracketed.
func (r *rootFinder) step(p point, target float64) float64 {
	s, shortest := overshoot*r.gap(p.entropy, target)/entropySlope, shortestStep
	if r.several {
		s, shortest = r.gap(p.entropy, target)/r.rise(p), shortestRise
	}
	return math.Copysign(max(math.Abs(s), shortest), s)
}

// gap returns the distance of the target above an entropy, on a scale that is nearly linear in ln(param).
func (r *rootFinder) gap(entropy, target float64) float64 {
	if r.several {
		return logOdds(target) - logOdds(entropy)
	}
	if target >= lowTarget {
		return target - entropy
	}
	return entropySlope * min(max(math.Log(target/entropy), -longestStep), longestStep)
}

// evaluate returns the entropy at exp(u). The result fresh reports whether it was computed by this call.
func (r *rootFinder) evaluate(u float64) (p point, fresh bool, err error) {
	param := r.snap(u)
	i, found := slices.BinarySearchFunc(r.known, param, func(p point, v float64) int {
		switch {
		case p.param < v:
			return -1
		case p.param > v:
			return 1
		}
		return 0
	})
	if found {
		// An integer stands for a range of u: return the requested u.
		return point{u, param, r.known[i].entropy}, false, nil
	}
	e, err := r.eval(param)
	if err != nil {
		return point{}, false, err
	}
	p = point{u, param, e}
	r.known = slices.Insert(r.known, i, p)
	return p, true, nil
}

func (r *rootFinder) snap(u float64) float64 {
	param := math.Exp(u)
	if r.integer {
		param = math.Round(param)
	}
	return min(max(param, r.lo), r.hi)
}

// find returns a point whose entropy is within the tolerance of the target. If it finds none, it returns the nearest point, and a
// status that states the reason.
func (r *rootFinder) find(start, target float64) (point, search.Status, error) {
	within := func(p point) bool { return math.Abs(p.entropy-target) <= r.tolerance }
	if p, ok := r.nearest(target); ok && within(p) {
		return p, search.StatusOK, nil
	}
	a, b, status, err := r.bracket(start, target)
	if err != nil || status != "" {
		return b, status, err
	}
	return r.falsePosition(a, b, target)
}

func (r *rootFinder) nearest(target float64) (point, bool) {
	if len(r.known) == 0 {
		return point{}, false
	}
	best := r.known[0]
	for _, p := range r.known[1:] {
		if math.Abs(p.entropy-target) < math.Abs(best.entropy-target) {
			best = p
		}
	}
	return best, true
}

// bracket returns two points with the target between their entropies. If it returns a status, b is the point to use.
func (r *rootFinder) bracket(start, target float64) (a, b point, status search.Status, err error) {
	for i := 1; i < len(r.known); i++ {
		if p, q := r.known[i-1], r.known[i]; (p.entropy-target)*(q.entropy-target) < 0 {
			return p, q, "", nil
		}
	}
	u := math.Log(start)
	if p, ok := r.nearest(target); ok {
		u = p.u
	}
	lo, hi := math.Log(r.lo), math.Log(r.hi)
	a, _, err = r.evaluate(u)
	for t := 0; err == nil; t++ {
		if math.Abs(a.entropy-target) <= r.tolerance {
			return a, a, search.StatusOK, nil
		}
		if t == r.limit {
			return a, a, search.StatusUnconverged, nil
		}
		du := min(max(r.step(a, target)*math.Pow(stepGrowth, float64(t)), -longestStep), longestStep)
		next := min(max(a.u+du, lo), hi)
		if next == a.u {
			if du > 0 {
				return a, a, search.StatusCeiling, nil
			}
			return a, a, search.StatusFloor, nil
		}
		if b, _, err = r.evaluate(next); err != nil {
			break
		}
		if (a.entropy-target)*(b.entropy-target) < 0 {
			return a, b, "", nil
		}
		if rise := (b.entropy - a.entropy) * du; rise < 0 && math.Abs(b.entropy-a.entropy) > r.tolerance {
			b, err = r.scan(a.u, target)
			return a, b, search.StatusNonMonotone, err
		}
		a = b
	}
	return a, b, "", err
}

// falsePosition is the Illinois variant of the method of false position. If one end of the bracket stays twice in a row, its weight
// is halved, so that both ends move.
func (r *rootFinder) falsePosition(a, b point, target float64) (point, search.Status, error) {
	fa, fb := -r.gap(a.entropy, target), -r.gap(b.entropy, target)
	kept := 0 // -1: a stayed in the last step; +1: b stayed
	best := a
	if math.Abs(b.entropy-target) < math.Abs(a.entropy-target) {
		best = b
	}
	for range r.limit {
		if math.Abs(best.entropy-target) <= r.tolerance {
			return best, search.StatusOK, nil
		}
		if r.integer && math.Abs(a.param-b.param) <= 1 {
			if math.Abs(a.entropy-target) <= math.Abs(b.entropy-target) {
				return a, search.StatusAtomic, nil
			}
			return b, search.StatusAtomic, nil
		}
		u := b.u - fb*(b.u-a.u)/(fb-fa)
		if snapped := r.snap(u); snapped == a.param || snapped == b.param {
			// A known point would not move the bracket.
			u = (a.u + b.u) / 2
			if r.integer {
				u = math.Log(math.Round((a.param + b.param) / 2))
			}
		}
		c, _, err := r.evaluate(u)
		if err != nil {
			return point{}, "", err
		}
		fc := -r.gap(c.entropy, target)
		if math.Abs(c.entropy-target) < math.Abs(best.entropy-target) {
			best = c
		}
		if fa*fc < 0 {
			b, fb = c, fc
			if kept == -1 {
				fa /= 2
			}
			kept = -1
		} else {
			a, fa = c, fc
			if kept == 1 {
				fb /= 2
			}
			kept = 1
		}
	}
	if math.Abs(best.entropy-target) <= r.tolerance {
		return best, search.StatusOK, nil
	}
	return best, search.StatusUnconverged, nil
}

// scan evaluates a nonmonotone family on a coarse grid around u and returns the point nearest to the target.
func (r *rootFinder) scan(u, target float64) (point, error) {
	const points, reach = 17, 7.0 // three decades on either side
	for i := range points {
		v := u + reach*(2*float64(i)/(points-1)-1)
		if _, _, err := r.evaluate(min(max(v, math.Log(r.lo)), math.Log(r.hi))); err != nil {
			return point{}, err
		}
	}
	p, _ := r.nearest(target)
	return p, nil
}
