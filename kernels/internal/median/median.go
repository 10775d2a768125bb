// Package median computes the median of the squared distances between rows.
package median

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
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/sparse"
)

// Sample is the number of rows that SquaredDistance uses.
const Sample = 1000

// SquaredDistance returns the median of |x[i]-x[j]|² over the pairs i < j, or 0 for one row. With more than Sample rows it uses a
// random sample of that size. The expected cost is O(min(n, Sample)²·d).
func SquaredDistance(ctx context.Context, x mat.Matrix, seed uint64) (float64, error) {
	n, distance, err := pairs(x, seed)
	if err != nil {
		return 0, err
	}
	if n < 2 {
		return 0, nil
	}
	all := make([]float64, 0, n*(n-1)/2)
	ctx = progress.Silent(ctx) // silent, because it takes a few hundredths of a second for any n
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

// partition reorders the values so that none before index k is larger than that at k, and none after it is smaller. It returns the
// value at k. It uses Hoare's selection, which shrinks a range that contains k. The expected cost is O(n), while sorting would take
// several times as long as computing all distances.
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

// pairs returns the number of rows that are used, and a function that returns the squared distance between two of them.
func pairs(x mat.Matrix, seed uint64) (n int, distance func(i, j int) float64, err error) {
	if sparse.Is(x) {
		rows, err := sparse.From("x", x)
		if err != nil {
			return 0, nil, err
		}
		n, _ := rows.Dims()
		if drawn := sampledRows(n, Sample, seed); drawn != nil {
			rows, n = rows.Pick(drawn), len(drawn)
		}
		return n, func(i, j int) float64 { return rows.SquaredDistance(i, rows, j) }, nil
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return 0, nil, err
	}
	if drawn := sampledRows(xd.RawMatrix().Rows, Sample, seed); drawn != nil {
		xd = linalg.Rows(xd, drawn)
	}
	n, _ = xd.Dims()
	return n, func(i, j int) float64 { return vecmath.SquaredDistance(xd.RawRowView(i), xd.RawRowView(j)) }, nil
}

// sampledRows draws limit of n rows, in ascending order. Each set of rows has the same probability. If limit is at least n, it
// returns nil, which stands for all rows.
func sampledRows(n, limit int, seed uint64) []int {
	if n <= limit {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, 0x6d656469616e)) // the stream "median"
	rows := rng.Perm(n)[:limit]
	slices.Sort(rows)
	return rows
}
