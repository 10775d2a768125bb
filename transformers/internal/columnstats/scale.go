package columnstats

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// The statistics of a column are computed in units of a power of two that scales its largest magnitude into [1/2, 1). The scaling
// is exact, no sum overflows, and no square underflows in a column of tiny numbers.

// Exponent returns e such that the largest |v| lies in [2^(e-1), 2^e).
func Exponent(v []float64) int {
	_, e := math.Frexp(LargestMagnitude(v))
	return e
}

// LargestMagnitude returns the largest |v|, or 0 without values.
func LargestMagnitude(v []float64) float64 {
	largest := 0.0
	for _, a := range v {
		if a = math.Abs(a); a > largest {
			largest = a
		}
	}
	return largest
}

// positive converts the size of a nonzero column from units of 2^e. A size outside the range of float64 is replaced by the nearest
// number in it. For example, the standard deviation of two numbers can exceed both of them. If a few values are the smallest number
// and all others are 0, it can be smaller than that number.
func positive(v float64, e int) float64 {
	return math.Min(math.Max(math.Ldexp(v, e), math.SmallestNonzeroFloat64), math.MaxFloat64)
}

// units returns two powers of two whose product is 2^-e. The product itself may exceed the largest number.
func units(e int) (a, b float64) {
	if e < -1000 {
		return 0x1p1000, math.Ldexp(1, -e-1000)
	}
	return math.Ldexp(1, -e), 1
}

// EachColumn calls f with each column of x, in a buffer that it reuses.
func EachColumn(ctx context.Context, x *mat.Dense, f func(j int, column []float64)) error {
	return EachColumnOn(ctx, 1, x, func(j int, column []float64) error {
		f(j, column)
		return nil
	})
}

// EachColumnOn is like EachColumn but uses several goroutines. It is for an f that takes long.
func EachColumnOn(ctx context.Context, workers int, x *mat.Dense, f func(j int, column []float64) error) error {
	n, d := x.Dims()
	buffers := sync.Pool{New: func() any {
		buffer := make([]float64, n)
		return &buffer
	}}
	return parallel.ForEach(ctx, workers, d, func(j int) error {
		buffer := buffers.Get().(*[]float64)
		defer buffers.Put(buffer)
		return f(j, mat.Col(*buffer, j, x))
	})
}

// Scale returns (v - mean) / scale.
func Scale(v, mean, scale float64) float64 {
	z := (v - mean) / scale
	if math.IsInf(z, 0) {
		// The difference of two finite numbers may overflow although the quotient does not.
		return (v/2 - mean/2) / scale * 2
	}
	return z
}

// Unscale returns z·scale + mean.
func Unscale(z, mean, scale float64) float64 {
	v := z*scale + mean
	if math.IsInf(v, 0) {
		return (z/2*scale + mean/2) * 2
	}
	return v
}

// CheckScales returns an error if scales from model data are invalid.
func CheckScales(scales []float64) error {
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

// ReadColumns makes a pass over the stream. It holds a T for each column. The function take receives this T with the values of the
// column, in order and in parts, and may overwrite the values. Columns are processed on several goroutines.
func ReadColumns[T any](ctx context.Context, s *rowmap.Stream, workers int, start func(column int) T,
	take func(t *T, values []float64) error) ([]T, error) {
	var out []T
	err := s.Pass(ctx, func(x *mat.Dense) error {
		if out == nil {
			out = make([]T, s.D)
			for j := range out {
				out[j] = start(j)
			}
		}
		return EachColumnOn(ctx, workers, x, func(j int, values []float64) error { return take(&out[j], values) })
	})
	return out, err
}

func Mean(v []float64) float64 {
	var c Centre
	c.Add(v)
	return c.Mean()
}

// ClipLimit is the number of standard deviations to which a PowerTransformer with Clip limits values.
const ClipLimit = 5
