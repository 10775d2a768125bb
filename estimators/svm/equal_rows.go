package svm

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// fitRows are the rows that machines are fitted to. Those that are equal and have the same target are one, whose
// coefficient C times the sum of their weights bounds.
type fitRows struct {
	x     *mat.Dense     // nil of a kernel matrix
	given int            // the number of all rows
	first []int          // which of them these are; nil for all
	own   []float64      // weights; nil for all 1
	equal *distinct.Rows // those of these that have the same features; nil for a machine that leaves no rows out
	unit  []int          // what is left out together; nil for each by itself
}

// rowsOf merges rows. Groups are of all rows given, nil for none.
func rowsOf[T float64 | int](x *mat.Dense, targets []T, own []float64, of []int) (*fitRows, error) {
	if err := checkGroups(of, len(targets)); err != nil {
		return nil, err
	}
	merged := distinct.MergePairs(x, targets, own)
	r := &fitRows{x: merged.X, given: len(targets), first: merged.First, own: merged.Weights, equal: distinct.Merge(merged.X, nil)}
	r.unite(of)
	return r, nil
}

// rowsOfMatrix merges rows by their kernel matrix, and returns that of those that are left.
func rowsOfMatrix[T float64 | int](k mat.Symmetric, targets []T, own []float64, of []int) (*fitRows, mat.Symmetric, error) {
	if err := checkGroups(of, len(targets)); err != nil {
		return nil, nil, err
	}
	merged := distinct.MergeKernelPairs(k, targets, own)
	if merged.Repeated() {
		k = merged.Kernel(k)
	}
	r := &fitRows{given: len(targets), first: merged.First, own: merged.Weights, equal: distinct.MergeKernel(k, nil)}
	r.unite(of)
	return r, k, nil
}

func checkGroups(of []int, n int) error {
	if of == nil {
		return nil
	}
	return groups.Check(of, n, 2)
}

// unite says what is left out together: rows of a group, or those that are equal.
func (r *fitRows) unite(of []int) {
	r.unit = r.equal.Index
	if of != nil {
		r.unit = picked(r, of)
	}
}

// picked are the values of these rows, from those of all given.
func picked[T any](r *fitRows, v []T) []T {
	if r.first == nil {
		return v
	}
	return linalg.Pick(v, r.first)
}

// unitsOf are positions in rows of those that are left out together, of units of more than one.
func (r *fitRows) unitsOf(rows []int) [][]int {
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
