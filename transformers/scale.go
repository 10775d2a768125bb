package transformers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

// The statistics of a column are taken in units of a power of two that brings
// its largest magnitude into [1/2, 1): that is exact, no sum overflows, and no
// square of a column of tiny numbers vanishes.

// exponent returns e such that the largest |v| lies in [2^(e-1), 2^e).
func exponent(v []float64) int {
	largest := 0.0
	for _, a := range v {
		if a = math.Abs(a); a > largest {
			largest = a
		}
	}
	_, e := math.Frexp(largest)
	return e
}

// positive brings the size of a non-zero column back from units of 2^e. A size
// that no float64 holds is the nearest that one does: the standard deviation of
// two numbers can exceed both, and that of a rare smallest number be less.
func positive(v float64, e int) float64 {
	return math.Min(math.Max(math.Ldexp(v, e), math.SmallestNonzeroFloat64), math.MaxFloat64)
}

// units returns two powers of two whose product is 2^-e, which may be more than the largest number.
func units(e int) (a, b float64) {
	if e < -1000 {
		return 0x1p1000, math.Ldexp(1, -e-1000)
	}
	return math.Ldexp(1, -e), 1
}

// moments returns the mean of v, which is not empty, and the sum of the squares of what is left
// of it without the mean, in units of 2^e and 2^2e.
func moments(v []float64) (mean, squares float64, e int) {
	e = exponent(v)
	a, b := units(e)
	n := float64(len(v))
	// Differences from one of the values lose nothing to a large common offset.
	first := v[0] * a * b
	sum := 0.0
	for _, x := range v {
		sum += x*a*b - first
	}
	shift := sum / n
	rest := 0.0
	for _, x := range v {
		d := (x*a*b - first) - shift
		squares += d * d
		rest += d
	}
	// The second term takes out what rounding left in shift.
	return first + shift, squares - rest*rest/n, e
}

// meanAndDeviation returns the mean of a column and its standard deviation with
// n-1 below, or 1 if all values are the same.
func meanAndDeviation(column []float64) (mean, deviation float64) {
	mean, squares, e := moments(column)
	mean = math.Ldexp(mean, e)
	if !(squares > 0) {
		return mean, 1
	}
	return mean, positive(math.Sqrt(squares/float64(len(column)-1)), e)
}

// rootMeanSquare returns sqrt(Σv²/max(1, n-1)) of a column, or 1 if all are zero.
func rootMeanSquare(column []float64) float64 {
	e := exponent(column)
	squares := 0.0
	for _, v := range column {
		u := math.Ldexp(v, -e)
		squares += u * u
	}
	if squares == 0 {
		return 1
	}
	return positive(math.Sqrt(squares/math.Max(1, float64(len(column)-1))), e)
}

// eachColumn calls f with every column of x, in a buffer that it uses again.
func eachColumn(ctx context.Context, x *mat.Dense, f func(j int, column []float64)) error {
	return onWorkers(ctx, 1, x, func(j int, column []float64) error {
		f(j, column)
		return nil
	})
}

// onWorkers is eachColumn on some goroutines at once, for what takes long.
func onWorkers(ctx context.Context, workers int, x *mat.Dense, f func(j int, column []float64) error) error {
	n, d := x.Dims()
	buffers := sync.Pool{New: func() any {
		buffer := make([]float64, n)
		return &buffer
	}}
	return parallel.For(ctx, workers, d, func(j int) error {
		buffer := buffers.Get().(*[]float64)
		defer buffers.Put(buffer)
		return f(j, mat.Col(*buffer, j, x))
	})
}

// scaled is (v - mean) / scale.
func scaled(v, mean, scale float64) float64 {
	z := (v - mean) / scale
	if math.IsInf(z, 0) {
		// The difference of two finite numbers may overflow where the quotient does not.
		return (v/2 - mean/2) / scale * 2
	}
	return z
}

// unscaled is z scale + mean.
func unscaled(z, mean, scale float64) float64 {
	v := z*scale + mean
	if math.IsInf(v, 0) {
		return (z/2*scale + mean/2) * 2
	}
	return v
}

// validScales says what is wrong with scales that were read from model data.
func validScales(scales []float64) error {
	if len(scales) == 0 {
		return errors.New("no scales")
	}
	for j, v := range scales {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("scale %d is %v, want > 0 and finite", j, v)
		}
	}
	return nil
}
