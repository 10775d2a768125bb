package transformers

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The statistics of a column are taken in units of a power of two that brings
// its largest magnitude into [1/2, 1): that is exact, no sum overflows, and no
// square of a column of tiny numbers vanishes.

// exponent returns e such that the largest |v| lies in [2^(e-1), 2^e).
func exponent(v []float64) int {
	largest := 0.0
	for _, a := range v {
		largest = math.Max(largest, math.Abs(a))
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

// meanAndDeviation returns the mean of a column and its standard deviation with
// n-1 below, or 1 if all values are the same.
func meanAndDeviation(column []float64) (mean, deviation float64) {
	e := exponent(column)
	n := float64(len(column))
	// Differences from one of the values lose nothing to a large common offset.
	first := math.Ldexp(column[0], -e)
	sum := 0.0
	for _, v := range column {
		sum += math.Ldexp(v, -e) - first
	}
	shift := sum / n
	var squares, rest float64
	for _, v := range column {
		d := (math.Ldexp(v, -e) - first) - shift
		squares += d * d
		rest += d
	}
	// The second term takes out what rounding left in shift.
	squares -= rest * rest / n
	mean = math.Ldexp(first+shift, e)
	if !(squares > 0) {
		return mean, 1
	}
	return mean, positive(math.Sqrt(squares/(n-1)), e)
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
	n, d := x.Dims()
	buffer := make([]float64, n)
	for j := range d {
		if err := ctx.Err(); err != nil {
			return err
		}
		f(j, mat.Col(buffer, j, x))
	}
	return ctx.Err()
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
