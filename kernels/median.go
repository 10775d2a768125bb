package kernels

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/sparse"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// medianSample is the number of rows that MedianSquaredDistance looks at.
const medianSample = 1000

// MedianSquaredDistance returns the median of |x[i]-x[j]|² over the pairs i < j, 0 for one row. Of more than 1000
// rows it takes that many at random, from the seed (0 is a seed like any other). The cost is O(min(n, 1000)²·d).
// Errors: ErrShape, and ErrNotFinite for x and where the median overflows, as it does for numbers beyond 1e154.
func MedianSquaredDistance(ctx context.Context, x mat.Matrix, seed uint64) (_ float64, err error) {
	defer check.Begin(&ctx)(&err)
	n, distance, err := medianPairs(x, seed)
	if err != nil {
		return 0, err
	}
	if n < 2 {
		return 0, nil
	}
	all := make([]float64, 0, n*(n-1)/2)
	ctx = progress.Silent(ctx) // it takes some hundredths of a second, whatever n is
	for i := range n {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for j := range i {
			all = append(all, distance(i, j))
		}
	}
	h := len(all) / 2
	upper := partition(all, h)
	if math.IsInf(upper, 1) {
		return 0, &fault.NotFiniteError{Overflow: "x is too large, the squared distances of its rows overflow"}
	}
	if len(all)%2 == 1 {
		return upper, nil
	}
	lower := slices.Max(all[:h])
	return lower + (upper-lower)/2, nil
}

// partition moves the values so that none before index k is larger than that at k, and
// none after it smaller, and returns it: Hoare's selection, in which a range that holds k
// shrinks to it. Expected cost O(n), where sorting takes several times as long as all
// distances.
func partition(v []float64, k int) float64 {
	for lo, hi := 0, len(v)-1; lo < hi; {
		mid := lo + (hi-lo)/2
		pivot := max(min(v[lo], v[mid]), min(max(v[lo], v[mid]), v[hi])) // the median of three
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return v[k]
		}
	}
	return v[k]
}

// medianPairs returns how many rows are looked at, and the squared distance of two of them.
func medianPairs(x mat.Matrix, seed uint64) (n int, distance func(i, j int) float64, err error) {
	if sparse.Is(x) {
		rows, err := sparse.NewRows("x", x)
		if err != nil {
			return 0, nil, err
		}
		if drawn := sampledRows(rows.N, medianSample, seed); drawn != nil {
			rows = rows.Pick(drawn)
		}
		return rows.N, func(i, j int) float64 { return rows.SquaredDistance(i, rows, j) }, nil
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return 0, nil, err
	}
	xd = sampleRows(xd, medianSample, seed)
	n, _ = xd.Dims()
	return n, func(i, j int) float64 { return vecmath.SquaredDistance(xd.RawRowView(i), xd.RawRowView(j)) }, nil
}

// sampleRows returns x, or a copy of limit of its rows in their order, each set
// of rows equally likely.
func sampleRows(x *mat.Dense, limit int, seed uint64) *mat.Dense {
	n, _ := x.Dims()
	if rows := sampledRows(n, limit, seed); rows != nil {
		return linalg.Rows(x, rows)
	}
	return x
}

// sampledRows are the limit of n rows that are drawn, ascending; nil for all.
func sampledRows(n, limit int, seed uint64) []int {
	if n <= limit {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, 0x6d656469616e)) // the stream "median"
	rows := rng.Perm(n)[:limit]
	slices.Sort(rows)
	return rows
}

// MedianRBF returns the RBF with γ = 1/median|x-x'|² (see [MedianSquaredDistance]), the kernel that the estimators
// of this module take when none is given. Where the median is 0 (more than half of the pairs are equal rows, or
// there is one row) γ is 1/d.
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

// OrMedianRBF returns k, or [MedianRBF] of x if k is nil. It implements the default of nil Kernel fields.
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
