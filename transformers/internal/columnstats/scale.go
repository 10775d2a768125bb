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

// The statistics of a column are taken in units of a power of two that brings
// its largest magnitude into [1/2, 1): that is exact, no sum overflows, and no
// square of a column of tiny numbers vanishes.

// Exponent returns e such that the largest |v| lies in [2^(e-1), 2^e).
func Exponent(v []float64) int {
	_, e := math.Frexp(LargestMagnitude(v))
	return e
}

// LargestMagnitude returns the largest |v|, 0 of none.
func LargestMagnitude(v []float64) float64 {
	largest := 0.0
	for _, a := range v {
		if a = math.Abs(a); a > largest {
			largest = a
		}
	}
	return largest
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

// EachColumn calls f with every column of x, in a buffer that it uses again.
func EachColumn(ctx context.Context, x *mat.Dense, f func(j int, column []float64)) error {
	return EachColumnOn(ctx, 1, x, func(j int, column []float64) error {
		f(j, column)
		return nil
	})
}

// EachColumnOn is EachColumn on some goroutines at once, for what takes long.
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

// Scale is (v - mean) / scale.
func Scale(v, mean, scale float64) float64 {
	z := (v - mean) / scale
	if math.IsInf(z, 0) {
		// The difference of two finite numbers may overflow where the quotient does not.
		return (v/2 - mean/2) / scale * 2
	}
	return z
}

// Unscale is z scale + mean.
func Unscale(z, mean, scale float64) float64 {
	v := z*scale + mean
	if math.IsInf(v, 0) {
		return (z/2*scale + mean/2) * 2
	}
	return v
}

// CheckScales says what is wrong with scales that were read from model data.
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

// ReadColumns is a pass in which each column has a T, which take is called on with the values of
// the column in their order, some at a time, in memory that it may write to. Columns go on some
// goroutines at once.
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

// ClipLimit is how many standard deviations a PowerTransformer with Clip leaves.
const ClipLimit = 5
