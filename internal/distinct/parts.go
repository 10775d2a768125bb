package distinct

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// How equal rows are told to be observations of their own, and how many parts they make. See [Parts].
const (
	leastRepeats = 3 // rows for each distinct one
	mostEqual    = 8 // times as many pairs of equal rows as of independent columns

	mostParts  = 5
	partedRows = 1000 // for which there are more than two parts
)

// Parts deals rows that are equal to parts, if they are observations that had to be equal because the columns have few values, such as
// rows of a few categories, and no copies. It returns the part of each of the n rows of x, of which r has the distinct ones, or nil for
// copies. What leaves one part of a row out has its other parts among the others, and learns that they have the same target.
//
// Equal rows are observations if each is there three times in the mean and there are at most eight times as many pairs of equal rows as
// there would be of independent columns: few of rows with a number that takes many values. Of one column that is always so; unless it is
// a category, as named says, its equal rows are copies if all of them have the same target. There are two parts, or up to five as long as
// these are up to a thousand rows, and never more than most rows.
func Parts[T float64 | int](r *Rows, x *mat.Dense, target []T, named bool, most int) []int {
	n, d := x.Dims()
	if !r.Repeated() || n < leastRepeats*r.m || 2*r.m > most || !r.natural(x) || d == 1 && !named && agree(r, target) {
		return nil
	}
	parts := min(mostParts, max(2, partedRows/r.m))
	out, next := make([]int, n), make([]int, r.m)
	for i, at := range r.Index {
		out[i] = next[at] % parts
		next[at]++
	}
	return out
}

// MergeParts is [Merge] of rows that are equal and of the same part; nil parts are one.
func MergeParts(x *mat.Dense, parts []int, weights []float64) *Rows {
	if parts == nil {
		return Merge(x, weights)
	}
	return MergePairs(x, parts, weights)
}

// natural compares the pairs of equal rows of x with those of independent columns.
func (r *Rows) natural(x *mat.Dense) bool {
	index := make([]float64, len(r.Index))
	for i, at := range r.Index {
		index[i] = float64(at)
	}
	independent := 0.0 // the logarithm of the share of pairs
	for _, column := range variables(x) {
		independent += math.Log(1 - Differ(column))
	}
	return math.Log(1-Differ(index)) <= independent+math.Log(mostEqual)
}

// variables returns the columns of x, with dummies of one category as one column: columns of two values, of which no row has the
// larger twice.
func variables(x *mat.Dense) (out [][]float64) {
	_, d := x.Dims()
	var categories [][]float64 // for each row which of its columns has the larger value, from 1 on, 0 for none
	for j := range d {
		column := mat.Col(nil, j, x)
		for i, v := range column {
			if math.IsNaN(v) {
				column[i] = math.Inf(1) // a gap equals another
			}
		}
		low, high := slices.Min(column), slices.Max(column)
		if slices.ContainsFunc(column, func(v float64) bool { return v != low && v != high }) {
			out = append(out, column)
			continue
		}
		at := slices.IndexFunc(categories, func(of []float64) bool {
			for i, v := range column {
				if v == high && of[i] > 0 {
					return false
				}
			}
			return true
		})
		if at < 0 {
			at, categories = len(categories), append(categories, make([]float64, len(column)))
		}
		for i, v := range column {
			if v == high {
				categories[at][i] = float64(j + 1)
			}
		}
	}
	return append(out, categories...)
}

// agree reports whether all rows that are equal have the same target.
func agree[T float64 | int](r *Rows, target []T) bool {
	for i, at := range r.Index {
		if target[i] != target[r.First[at]] {
			return false
		}
	}
	return true
}
