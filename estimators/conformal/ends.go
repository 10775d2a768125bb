package conformal

import (
	"math"
	"slices"
	"sort"
)

// rank returns which of n ordered scores is the bound of an interval of a level, counted from 1: ⌈level(n+1)⌉. If it exceeds n,
// there are too few scores for the level. A product that is an integer up to rounding is treated as that integer.
func rank(level float64, n int) int { return int(math.Ceil(level*float64(n+1) - 1e-9)) }

// kth returns the k-th smallest value, counted from 1, or +Inf if k exceeds the number of values. It reorders the values and costs
// O(n).
func kth(values []float64, k int) float64 {
	if k > len(values) {
		return math.Inf(1)
	}
	k--
	for from, to := 0, len(values)-1; from < to; {
		pivot := median3(values[from], values[(from+to)/2], values[to])
		i, j := from, to
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			to = j
		case k >= i:
			from = i
		default:
			return values[k]
		}
	}
	return values[k]
}

func median3(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

// end returns the bound of an interval from the scores of rows. It is the order statistic for the level, or the weighted quantile
// if there are likelihood ratios of the rows and of the new row. It may reorder the values.
func end(values, ratios []float64, ratio, level float64) float64 {
	if ratios == nil {
		return kth(values, rank(level, len(values)))
	}
	total := ratio
	for _, v := range ratios {
		total += v
	}
	// With ratios of 1 the result is the order statistic for the level.
	left := (1-level)*total - ratio + 1e-9*total/float64(len(values)+1)
	if left < 0 {
		return math.Inf(1)
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return values[order[i]] > values[order[j]] })
	reached := 0.0
	for at := 0; at < len(order); {
		v := values[order[at]]
		for ; at < len(order) && values[order[at]] == v; at++ {
			reached += ratios[order[at]]
		}
		if reached > left {
			return v
		}
	}
	return math.Inf(1)
}

// influenced holds the numbers of a smoother for a new row x: f and s, and for each training row b, a and c.
type influenced struct {
	a, c, b []float64
	f, s    float64
}

// full returns how far below and above f the target of the new row may be. Up to these distances, the i-th row has the larger
// studentised residual, in the system that contains both rows.
func (r influenced) full(i int) (below, above float64) {
	a, b, c := r.a[i], r.b[i], r.c[i]
	if !(c > 0) {
		return math.Inf(1), math.Inf(1)
	}
	if a < 0 {
		a, b = -a, -b
	}
	root := math.Sqrt(r.s*c + b*b)
	if b >= 0 { // each bound in its form without cancellation
		return a * (root + b) / c, a * r.s / (root + b)
	}
	return a * r.s / (root - b), a * (root - b) / c
}

// leaveOut returns the prediction for the new row without the i-th row, and the residual of that row.
func (r influenced) leaveOut(i int) (prediction, residual float64) {
	if !(r.c[i] > 0) {
		return r.f, math.Inf(1)
	}
	e := r.a[i] / r.c[i]
	return r.f - r.b[i]*e, math.Abs(e)
}

// members holds the rows whose order statistics an interval uses: all rows whose scores count, or only the rows in the group of the
// new row.
type members struct {
	rows   []int
	ratios []float64 // for each row; nil if all are 1
	ratio  float64   // of the new row
}

// interval returns the bounds of a new row's interval, computed with a leave-one-out method.
func (r influenced) interval(m Method, of members, level float64) (low, high float64) {
	n := len(of.rows)
	if n == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	lows, highs := make([]float64, n), make([]float64, n)
	switch m {
	case JackknifePlus:
		for at, i := range of.rows {
			f, e := r.leaveOut(i)
			lows[at], highs[at] = e-f, f+e
		}
		return -end(lows, nil, 1, level), end(highs, nil, 1, level)
	case JackknifeMinMax:
		least, largest := math.Inf(1), math.Inf(-1)
		for at, i := range of.rows {
			f, e := r.leaveOut(i)
			least, largest, highs[at] = min(least, f), max(largest, f), e
		}
		q := end(highs, nil, 1, level)
		return least - q, largest + q
	}
	for at, i := range of.rows {
		lows[at], highs[at] = r.full(i)
	}
	return r.f - end(lows, of.ratios, of.ratio, level), r.f + end(highs, of.ratios, of.ratio, level)
}

// counted returns the rows that belong to the group. If groups is nil, all rows do.
func counted(all []int, groups []int, group int) []int {
	if groups == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(i int) bool { return groups[i] != group })
}
