package svm

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// fitRows holds the rows to which machines are fitted. Rows that are equal and have the same target are merged into one row, whose
// coefficient is bounded by C times the sum of their weights.
type fitRows struct {
	x     *mat.Dense     // nil for a kernel matrix
	given int            // the number of all rows
	first []int          // first occurrence of each merged row; nil if none were merged
	own   []float64      // weights; nil if all are 1
	equal *distinct.Rows // rows with equal features
	unit  []int          // rows with the same number are left out together; nil if each row is left out separately
}

// rowsOf merges equal rows with the same target. of holds the group of each given row, or is nil without groups.
func rowsOf[T float64 | int](x *mat.Dense, targets []T, own []float64, of []int) (*fitRows, error) {
	if err := checkGroups(of, len(targets)); err != nil {
		return nil, err
	}
	merged := distinct.MergePairs(x, targets, own)
	r := &fitRows{x: merged.X, given: len(targets), first: merged.First, own: merged.Weights, equal: distinct.Merge(merged.X, nil)}
	r.unite(of)
	return r, nil
}

// rowsOfMatrix merges rows that are equal in their kernel matrix and have the same target. It also returns the kernel matrix of the
// merged rows.
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

// unite sets unit to the groups of the merged rows. If of is nil, rows with equal features share a number instead.
func (r *fitRows) unite(of []int) {
	r.unit = r.equal.Index
	if of != nil {
		r.unit = picked(r, of)
	}
}

// picked returns the values v of the merged rows, given those of all rows.
func picked[T any](r *fitRows, v []T) []T {
	if r.first == nil {
		return v
	}
	return linalg.Pick(v, r.first)
}

// unitsOf returns the units that contain more than one of the rows, as positions in rows. The rows of a unit are left out together.
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
