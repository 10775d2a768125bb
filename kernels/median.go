package kernels

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/kernels/internal/median"
)

// MedianSquaredDistance returns the median of |x[i]-x[j]|² over the pairs i < j, or 0 for one row. With more than 1000 rows it uses
// a random sample of that size, drawn with the seed. It costs O(min(n, 1000)²·d). It returns ErrShape or ErrNotFinite for x, and
// ErrNotFinite if the median overflows, as for numbers above 1e154.
func MedianSquaredDistance(ctx context.Context, x mat.Matrix, seed uint64) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	return median.SquaredDistance(ctx, x, seed)
}

// MedianRBF returns the RBF with γ = 1/median|x-x'|² (see [MedianSquaredDistance]), a common default kernel. If the median is 0, γ
// is 1/d. This happens for a single row, and if the rows of more than half of the pairs are equal.
func MedianRBF(ctx context.Context, x mat.Matrix, seed uint64) (_ RBF, err error) {
	defer check.Begin(&ctx)(&err)
	m, err := MedianSquaredDistance(ctx, x, seed)
	if err != nil {
		return RBF{}, err
	}
	g := 1 / m
	if !(m > 0) || g-g != 0 || g == 0 {
		_, d := x.Dims()
		g = 1 / float64(d)
	}
	return RBF{Gamma: g}, nil
}

// OrMedianRBF returns k, or [MedianRBF] of x if k is nil. Estimators use it for the default of their Kernel fields.
func OrMedianRBF(ctx context.Context, k Kernel, x mat.Matrix, seed uint64) (_ Kernel, err error) {
	defer check.Begin(&ctx)(&err)
	if k != nil {
		if err := Validate(k); err != nil || x == nil {
			return k, err
		}
		_, d := x.Dims()
		return k, ValidateColumns(k, d)
	}
	m, err := MedianRBF(ctx, x, seed)
	if err != nil {
		return nil, err
	}
	return m, nil
}
