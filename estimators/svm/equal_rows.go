package svm

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/groups"
)

// fitRows are the rows that machines are fitted to. Those that are equal and have the same target are one, whose
// coefficient C times the sum of their weights bounds.
type fitRows struct {
	x     *mat.Dense                         // nil of a kernel matrix
	given int                                // the number of all rows
	first []int                              // which of them these are; nil for all
	own   []float64                          // weights; nil for all 1
	same  func(own []float64) *distinct.Rows // those of these that have the same features
	unit  []int                              // what is left out together; nil for each by itself
}

// rowsOf merges rows. Groups are of all rows given, nil for none.
func rowsOf(x *mat.Dense, targets, own []float64, groups []int) (*fitRows, error) {
	merged := distinct.MergePairs(x, targets, own)
	r := &fitRows{x: merged.X, given: len(targets), first: merged.First, own: merged.Weights}
	r.same = func(own []float64) *distinct.Rows { return distinct.Merge(r.x, own) }
	return r, r.unite(groups)
}

// rowsOfMatrix merges rows by their kernel matrix, and returns that of those that are left.
func rowsOfMatrix(k mat.Symmetric, targets, own []float64, groups []int) (*fitRows, mat.Symmetric, error) {
	merged := distinct.MergeKernelPairs(k, targets, own)
	if merged.Repeated() {
		k = merged.Kernel(k)
	}
	r := &fitRows{given: len(targets), first: merged.First, own: merged.Weights}
	r.same = func(own []float64) *distinct.Rows { return distinct.MergeKernel(k, own) }
	return r, k, r.unite(groups)
}

func (r *fitRows) unite(of []int) error {
	if of == nil {
		r.unit = r.same(nil).Index
		return nil
	}
	r.unit = picked(r, of)
	return groups.Check(of, r.given, 2)
}

// picked are the values of these rows, from those of all given.
func picked[T any](r *fitRows, v []T) []T {
	if r.first == nil {
		return v
	}
	out := make([]T, len(r.first))
	for i, row := range r.first {
		out[i] = v[row]
	}
	return out
}

// together are positions in rows of those that are left out together, of units of more than one.
func (r *fitRows) together(rows []int) [][]int {
	if r.unit == nil {
		return nil
	}
	members, order := map[int][]int{}, []int{}
	for at, row := range rows {
		u := r.unit[row]
		if members[u] == nil {
			order = append(order, u)
		}
		members[u] = append(members[u], at)
	}
	var out [][]int
	for _, u := range order {
		if len(members[u]) > 1 {
			out = append(out, members[u])
		}
	}
	return out
}
