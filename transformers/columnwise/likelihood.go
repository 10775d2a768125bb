package columnwise

import (
	"context"
	"math"

	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
)

// likelihood computes the likelihood of λ for a column. It assumes that the transformed values ψ are normal. Per row, and up to a
// constant, it is
//
//	-ln sd(ψ) + (λ-1) mean(sign(x) ln(1+|x|))
//
// It uses the forms of warp, so that nothing overflows or cancels.
type likelihood struct {
	// For a column of one sign: ln((1+|x|)/(1+ref)), where ref is the smallest and the largest |x|, the means of these logarithms,
	// and the logarithm of the ratio of the two references.
	ofLeast, ofLargest   logarithms
	between              float64
	negative, bothSigned bool
	// For a column of both signs: ln(1+|x|) of the values of each sign, and their means over all values.
	above, below logarithms

	values []float64 // scratch space of evaluate
}

// logarithms holds logarithms, and the largest of their absolute values.
type logarithms struct {
	t    []float64
	far  float64
	mean float64
}

func (l *logarithms) add(t float64, n int) {
	l.t = append(l.t, t)
	l.far = max(l.far, math.Abs(t))
	l.mean += t / float64(n)
}

// newLikelihood returns the likelihood of a column with its smallest and its largest value.
func newLikelihood(column []float64, least, largest float64) *likelihood {
	n := len(column)
	l := &likelihood{values: make([]float64, n), negative: largest < 0, bothSigned: least < 0 && largest >= 0}
	if l.bothSigned {
		l.above.t, l.below.t = make([]float64, 0, n), make([]float64, 0, n)
		for _, x := range column {
			if x >= 0 {
				l.above.add(math.Log1p(x), n)
			} else {
				l.below.add(math.Log1p(-x), n)
			}
		}
		return l
	}
	if l.negative {
		least, largest = -largest, -least
	}
	l.between = logRatio(largest, least)
	l.ofLeast.t, l.ofLargest.t = make([]float64, 0, n), make([]float64, 0, n)
	for _, x := range column {
		u := math.Abs(x)
		l.ofLeast.add(logRatio(u, least), n)
		l.ofLargest.add(logRatio(u, largest), n)
	}
	return l
}

// evaluate returns the likelihood of λ.
func (l *likelihood) evaluate(lambda float64) float64 {
	if l.bothSigned {
		largest := max(0, lambda*l.above.far, (2-lambda)*l.below.far)
		above := l.values[:len(l.above.t)]
		below := l.values[len(above):]
		growths(above, lambda, l.above, -largest)
		growths(below, 2-lambda, l.below, -largest)
		for i, v := range below {
			below[i] = -v
		}
		return -logDeviation(l.values) - largest + (lambda-1)*(l.above.mean-l.below.mean)
	}
	p := lambda
	if l.negative {
		p = 2 - lambda
	}
	if p < 0 {
		growths(l.values, p, l.ofLeast, 0)
		return -logDeviation(l.values) + (p-1)*l.ofLeast.mean
	}
	growths(l.values, p, l.ofLargest, 0)
	return -logDeviation(l.values) + (p-1)*l.ofLargest.mean - l.between
}

// smallGrowth is the largest |pt| for which growths uses a series, whose remaining terms are below 2⁻⁵⁴. Above it the exponential
// is accurate enough.
const smallGrowth = 0x1p-6

// growths sets dst to growth(p, t, s) for each t, where pt+s is at most 0 up to rounding.
func growths(dst []float64, p float64, l logarithms, s float64) {
	unit := math.Exp(s)
	if math.Abs(p)*l.far < smallGrowth {
		for i, t := range l.t {
			a := p * t
			dst[i] = t * (1 + a/2*(1+a/3*(1+a/4*(1+a/5*(1+a/6*(1+a/7*(1+a/8))))))) * unit
		}
		return
	}
	for i, t := range l.t {
		dst[i] = p*t + s
	}
	vecmath.Exp(dst, 1, dst)
	for i, v := range dst {
		dst[i] = (v - unit) / p
	}
}

// logDeviation returns the logarithm of the standard deviation with divisor n.
func logDeviation(v []float64) float64 {
	n := float64(len(v))
	s := columnstats.NewSpread(v)
	return math.Log(s.Total()/n)/2 + float64(s.Exponent)*math.Ln2
}

// maxLambda bounds |λ|. A column that needs a larger |λ| is far narrower than its distance from 0.
const maxLambda = 1000

// maximise returns the λ with the largest likelihood. It expands a bracket from (-2, 2) by the golden ratio, and then uses Brent's
// search with parabolas (R. Brent, Algorithms for Minimization without Derivatives, 1973).
func (l *likelihood) maximise(ctx context.Context) (float64, error) {
	const golden = 1.618033988749895
	a, b := -2.0, 2.0
	fa, fb := l.evaluate(a), l.evaluate(b)
	if fa > fb {
		a, b, fb = b, a, fa
	}
	bounded := func(v float64) float64 { return max(-maxLambda, min(v, maxLambda)) }
	c := bounded(b + golden*(b-a))
	for fc := l.evaluate(c); fc > fb && math.Abs(b) < maxLambda; fc = l.evaluate(c) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		a, b, fb = b, c, fc
		c = bounded(b + golden*(b-a))
	}
	return brent(ctx, func(v float64) float64 { return -l.evaluate(v) }, min(a, c), max(a, c), b)
}

// brentTolerance is the relative width at which brent ends: within the square root of 2⁻⁵², f is flat up to rounding. brentSteps
// exceeds the number of steps that brent needs.
const brentTolerance, brentSteps = 1.5e-8, 100

// brent returns a minimiser of f in [low, high], starting at x.
func brent(ctx context.Context, f func(float64) float64, low, high, x float64) (float64, error) {
	const short = 0.3819660112501051 // 2 minus the golden ratio
	w, v, fx := x, x, f(x)
	fw, fv := fx, fx
	step, before := 0.0, 0.0
	for range brentSteps {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		middle, tolerance := (low+high)/2, brentTolerance*math.Abs(x)+1e-11
		if math.Abs(x-middle) <= 2*tolerance-(high-low)/2 {
			break
		}
		// The step leads to the vertex of the parabola through the three best points, if the vertex is inside and the steps at
		// least halve.
		r, q := (x-w)*(fx-fv), (x-v)*(fx-fw)
		p := (x-v)*q - (x-w)*r
		if q = 2 * (q - r); q > 0 {
			p = -p
		}
		q = math.Abs(q)
		if last := before; math.Abs(before) > tolerance && math.Abs(p) < math.Abs(q*last/2) && p > q*(low-x) && p < q*(high-x) {
			before, step = step, p/q
			if u := x + step; u-low < 2*tolerance || high-u < 2*tolerance {
				step = math.Copysign(tolerance, middle-x)
			}
		} else {
			if before = high - x; x >= middle {
				before = low - x
			}
			step = short * before
		}
		u := x + step
		if math.Abs(step) < tolerance {
			u = x + math.Copysign(tolerance, step)
		}
		fu := f(u)
		if fu <= fx {
			if u >= x {
				low = x
			} else {
				high = x
			}
			v, fv, w, fw, x, fx = w, fw, x, fx, u, fu
			continue
		}
		if u < x {
			low = u
		} else {
			high = u
		}
		switch {
		case fu <= fw || w == x:
			v, fv, w, fw = w, fw, u, fu
		case fu <= fv || v == x || v == w:
			v, fv = u, fu
		}
	}
	return x, nil
}
