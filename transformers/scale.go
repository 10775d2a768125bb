package transformers

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
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

// scaleColumns sets dst to (x - means) / scales, column by column; nil means are 0.
func scaleColumns(typ string, dst *mat.Dense, x mat.Matrix, means, scales []float64) error {
	in, err := check.Wide("x", x, len(scales))
	if err != nil {
		return err
	}
	n, d := in.Dims()
	if err := fits(dst, n, d); err != nil {
		return err
	}
	for i := range n {
		row := dst.RawRowView(i)
		for j, v := range in.RawRowView(i) {
			mean := 0.0
			if means != nil {
				mean = means[j]
			}
			row[j] = (v - mean) / scales[j]
			if math.IsInf(row[j], 0) {
				// The difference of two finite numbers may overflow where the quotient does not.
				row[j] = (v/2 - mean/2) / scales[j] * 2
			}
			if math.IsInf(row[j], 0) {
				return &fault.NotFiniteError{Name: typ + ": scaled x", Row: i, Col: j, Value: row[j]}
			}
		}
	}
	return nil
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
