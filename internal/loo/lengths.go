package loo

import (
	"context"
	"math"
	"slices"
)

const (
	// Widest is the largest length, and the reciprocal of the smallest, in units of the typical one.
	Widest = 64.0
	// far is the relative improvement over the typical length that is required of a length that differs from it by a factor of two.
	// For a factor of four it is four times as much. With outlying rows, as in california-housing, the error of 4000 rows is
	// uncertain by about this much.
	far = .005
)

// lengthStarts are evaluated first, in units of the typical length.
var lengthStarts = []float64{1. / 16, 1. / 4, 1, 4}

// Lengths searches for the length of a kernel, in units of a typical one, with the smallest leave-one-out error.
type Lengths struct {
	// Error returns the error of a length, at the best ridge for it.
	Error func(ctx context.Context, length float64) (float64, error)
	tried []triedLength // in ascending order
}

// triedLength holds a length and its error, penalised by the distance from the typical length.
type triedLength struct{ length, err float64 }

// evaluate returns the penalised error of a length.
func (l *Lengths) evaluate(ctx context.Context, length float64) (float64, error) {
	err, failed := l.Error(ctx, length)
	if failed != nil {
		return 0, failed
	}
	octaves := math.Log2(length)
	out := err * (1 + far*octaves*octaves)
	at, _ := slices.BinarySearchFunc(l.tried, length, func(t triedLength, v float64) int {
		if t.length < v {
			return -1
		}
		return 1
	})
	l.tried = slices.Insert(l.tried, at, triedLength{length, out})
	return out, nil
}

// best returns the index of the smallest error. Among equal errors it returns the one nearest to the typical length.
func (l *Lengths) best() int {
	out := 0
	for i, t := range l.tried {
		if o := l.tried[out]; t.err < o.err || t.err == o.err && math.Abs(math.Log(t.length)) < math.Abs(math.Log(o.length)) {
			out = i
		}
	}
	return out
}

// Search returns the best of the lengths that it evaluates. It begins with lengths over the whole range, and continues on both
// sides of the best until its neighbours are a factor of two away. Last, it evaluates the minimum of a parabola through these three
// in log coordinates.
func (l *Lengths) Search(ctx context.Context) (float64, error) {
	for _, length := range lengthStarts {
		if _, err := l.evaluate(ctx, length); err != nil {
			return 0, err
		}
	}
	for {
		i := l.best()
		at := l.tried[i]
		if !(at.err > 0) || math.IsInf(at.err, 1) {
			return at.length, nil // the errors do not depend on the length
		}
		next := 0.0
		switch {
		case i == 0 || at.length > 2*l.tried[i-1].length:
			next = at.length / 2
		case i == len(l.tried)-1 || 2*at.length < l.tried[i+1].length:
			next = at.length * 2
		default:
			return l.parabola(ctx, i)
		}
		if next > Widest || next < 1/Widest {
			return at.length, nil
		}
		if _, err := l.evaluate(ctx, next); err != nil {
			return 0, err
		}
	}
}

// parabola evaluates the minimum of the parabola through length i and its neighbours, and returns the best of all lengths.
func (l *Lengths) parabola(ctx context.Context, i int) (float64, error) {
	// Ratios do not depend on the unit of the targets.
	low, high := math.Log(l.tried[i-1].err/l.tried[i].err), math.Log(l.tried[i+1].err/l.tried[i].err)
	curvature := low + high
	if !(curvature > 0) || math.IsInf(curvature, 1) {
		return l.tried[i].length, nil
	}
	length := l.tried[i].length * math.Pow(2, (low-high)/(2*curvature))
	if _, err := l.evaluate(ctx, length); err != nil {
		return 0, err
	}
	return l.tried[l.best()].length, nil
}

// Narrow halves a length as long as the error falls, and returns the last length at which it fell.
func (l *Lengths) Narrow(ctx context.Context, length float64) (float64, error) {
	least, err := l.evaluate(ctx, length)
	for err == nil && length/2 >= 1/Widest {
		var next float64
		if next, err = l.evaluate(ctx, length/2); !(next < least) {
			break
		}
		length, least = length/2, next
	}
	return length, err
}
