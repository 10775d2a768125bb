package distinct

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// These limits decide whether equal rows are separate observations, and how many parts they have. See [Parts].
const (
	leastRepeats = 3 // smallest mean number of rows per distinct row
	mostEqual    = 8 // largest ratio of equal pairs to those expected of independent columns

	mostParts  = 5
	partedRows = 1000 // largest number of rows in all parts together if there are more than two parts
)

// Parts divides equal rows into parts, unless they are copies. Equal rows that are not copies are observations that coincide
// because the columns have few values, such as a few categories. It returns the part of each of the n rows of x, or nil for copies.
// r holds the distinct rows of x. If a method leaves out one part of equal rows, the other parts remain, and the method learns from
// them that equal rows have the same target.
//
// Equal rows are observations if each occurs three times on average, and if there are at most eight times as many equal pairs as
// with independent columns. If a column takes many values, independent columns have far fewer equal pairs. A single column always
// satisfies the second condition. Its equal rows are copies if they all have the same target, unless named is set, which means that
// the column is a category. There are two parts, or up to five as long as the parts have at most a thousand rows together. If two
// parts would have more than most rows, Parts returns nil.
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

// MergeParts merges rows that are equal and in the same part, like [Merge]. If parts is nil, all rows are in one part.
func MergeParts(x *mat.Dense, parts []int, weights []float64) *Rows {
	if parts == nil {
		return Merge(x, weights)
	}
	return MergePairs(x, parts, weights)
}

// natural reports whether x has no more equal pairs than columns with few values explain.
func (r *Rows) natural(x *mat.Dense) bool {
	index := make([]float64, len(r.Index))
	for i, at := range r.Index {
		index[i] = float64(at)
	}
	independent := 0.0 // log of the expected fraction of equal pairs
	for _, column := range variables(x) {
		independent += math.Log(1 - Differ(column))
	}
	return math.Log(1-Differ(index)) <= independent+math.Log(mostEqual)
}

// variables returns the columns of x, with the dummies of a category combined into one column. Dummies are columns with two values,
// where no row has the larger value in two of them.
func variables(x *mat.Dense) (out [][]float64) {
	_, d := x.Dims()
	var categories [][]float64 // for each row, the dummy with the larger value, counted from 1, or 0
	for j := range d {
		column := mat.Col(nil, j, x)
		for i, v := range column {
			if math.IsNaN(v) {
				column[i] = math.Inf(1) // gaps are equal to each other
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

// agree reports whether all equal rows have the same target.
func agree[T float64 | int](r *Rows, target []T) bool {
	for i, at := range r.Index {
		if target[i] != target[r.First[at]] {
			return false
		}
	}
	return true
}
