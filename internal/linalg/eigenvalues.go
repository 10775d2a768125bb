package linalg

import (
	"context"
	"math"
	"slices"

	lapack "gonum.org/v1/gonum/lapack/gonum"
)

const (
	// unit is half the distance from 1 to the next larger number, LAPACK's eps.
	unit = 0x1p-53
	// mostSweeps times the order is the limit on sweeps, as in LAPACK.
	mostSweeps = 30
	// sweptPerCheck is the number of elements swept between two checks of the context, which takes a few hundredths of a second.
	sweptPerCheck = 1 << 21
)

// tridiagonalValues overwrites d with the eigenvalues, in ascending order, of the symmetric tridiagonal matrix with diagonal d and
// off-diagonal e. It uses the variant of the QL and QR iterations by Pal, Walker and Kahan. Results are bit-identical to LAPACK's
// dsterf, which checks no context. The squares of d and e must neither overflow nor underflow. It returns false if d or e is not
// finite.
func tridiagonalValues(ctx context.Context, d, e []float64) (ok bool, err error) {
	n := len(d)
	s := sweeper{ctx: ctx, left: mostSweeps * n}
	for first := 0; first < n; {
		if first > 0 {
			e[first-1] = 0
		}
		last := first
		for ; last < n-1; last++ {
			if math.Abs(e[last]) <= math.Sqrt(math.Abs(d[last]))*math.Sqrt(math.Abs(d[last+1]))*unit {
				e[last] = 0
				break
			}
		}
		for i, v := range e[first:last] {
			e[first+i] = v * v
		}
		if math.Abs(d[last]) < math.Abs(d[first]) {
			s.chaseUp(d, e, first, last)
		} else {
			s.chaseDown(d, e, first, last)
		}
		if s.err != nil {
			return false, s.err
		}
		if s.left == 0 {
			break
		}
		first = last + 1
	}
	for _, v := range e {
		if v != 0 {
			return false, nil
		}
	}
	slices.Sort(d)
	return true, nil
}

// sweeper counts sweeps, and checks a context between them.
type sweeper struct {
	ctx   context.Context
	left  int // remaining sweeps
	swept int // elements since the last check
	err   error
}

// next reports whether another sweep over the given number of elements is allowed.
func (s *sweeper) next(elements int) bool {
	if s.swept += elements; s.swept > sweptPerCheck {
		s.swept = 0
		if s.err = s.ctx.Err(); s.err != nil {
			return false
		}
	}
	if s.left == 0 {
		return false
	}
	s.left--
	return true
}

// shift returns the shift of a sweep that starts at diagonal element p. The parameter beside is the next diagonal element, and
// square the squared element between the two.
func shift(p, beside, square float64) float64 {
	root := math.Sqrt(square)
	sigma := (beside - p) / (2 * root)
	return p - root/(sigma+math.Copysign(lapackImpl.Dlapy2(sigma, 1), sigma))
}

var lapackImpl lapack.Implementation

// chaseDown runs the QL iteration on the elements from l to end. The slice e holds the squares of the off-diagonal.
func (s *sweeper) chaseDown(d, e []float64, l, end int) {
	for l <= end {
		m := l
		for m < end && !(math.Abs(e[m]) <= unit*unit*math.Abs(d[m]*d[m+1])) {
			m++
		}
		if m < end {
			e[m] = 0
		}
		switch {
		case m == l:
			l++
			continue
		case m == l+1:
			d[l], d[l+1] = lapackImpl.Dlae2(d[l], math.Sqrt(e[l]), d[l+1])
			e[l] = 0
			l += 2
			continue
		case !s.next(m - l):
			return
		}
		sigma := shift(d[l], d[l+1], e[l])
		cosine, sine, gamma := 1.0, 0.0, d[m]-sigma
		p := gamma * gamma
		for i := m - 1; i >= l; i-- {
			b := e[i]
			r := p + b
			if i != m-1 {
				e[i+1] = sine * r
			}
			before, oldGamma := cosine, gamma
			cosine, sine = p/r, b/r
			alpha := d[i]
			gamma = cosine*(alpha-sigma) - sine*oldGamma
			d[i+1] = oldGamma + (alpha - gamma)
			if cosine != 0 {
				p = gamma * gamma / cosine
			} else {
				p = before * b
			}
		}
		e[l] = sine * p
		d[l] = sigma + gamma
	}
}

// chaseUp runs the QR iteration on the elements from end up to l. The slice e holds the squares of the off-diagonal.
func (s *sweeper) chaseUp(d, e []float64, end, l int) {
	for l >= end {
		m := l
		for m > end && !(math.Abs(e[m-1]) <= unit*unit*math.Abs(d[m]*d[m-1])) {
			m--
		}
		if m > end {
			e[m-1] = 0
		}
		switch {
		case m == l:
			l--
			continue
		case m == l-1:
			d[l], d[l-1] = lapackImpl.Dlae2(d[l], math.Sqrt(e[l-1]), d[l-1])
			e[l-1] = 0
			l -= 2
			continue
		case !s.next(l - m):
			return
		}
		sigma := shift(d[l], d[l-1], e[l-1])
		cosine, sine, gamma := 1.0, 0.0, d[m]-sigma
		p := gamma * gamma
		for i := m; i < l; i++ {
			b := e[i]
			r := p + b
			if i != m {
				e[i-1] = sine * r
			}
			before, oldGamma := cosine, gamma
			cosine, sine = p/r, b/r
			alpha := d[i+1]
			gamma = cosine*(alpha-sigma) - sine*oldGamma
			d[i] = oldGamma + alpha - gamma
			if cosine != 0 {
				p = gamma * gamma / cosine
			} else {
				p = before * b
			}
		}
		e[l-1] = sine * p
		d[l] = sigma + gamma
	}
}
