package fullsystem

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	// leafRows is the largest number of rows of a leaf.
	leafRows = 32
	// contextRows is the number of rows of a leaf and its context together. The context comes from the nearLeaves nearest leaves.
	contextRows, nearLeaves = 384, 32
)

// leaf holds rows that are close to each other under the kernel.
type leaf struct {
	rows    []int
	context []int // further rows near them
}

// forest divides rows into leaves.
type forest struct {
	kernel   kernels.Kernel
	rows     mat.Matrix
	diagonal []float64 // k(x, x)
	leaves   []leaf
}

// newForest bisects the rows recursively: it chooses two distant rows, and assigns each row to the nearer of them. It also finds
// the context of each leaf. The cost is O(n log n + n contextRows) kernel values, plus n²/leafRows² for the leaves.
func newForest(ctx context.Context, kernel kernels.Kernel, rows mat.Matrix, workers int) (*forest, error) {
	n, _ := rows.Dims()
	f := &forest{kernel: kernel, rows: rows, diagonal: make([]float64, n)}
	kernels.Diag(f.diagonal, kernel, rows)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	parts := [][]int{all}
	for more := true; more; {
		next := make([][][]int, len(parts))
		err := parallel.ForEach(ctx, workers, len(parts), func(i int) error {
			next[i] = f.split(parts[i])
			return nil
		})
		if err != nil {
			return nil, err
		}
		before := len(parts)
		parts = slices.Concat(next...)
		more = len(parts) > before
	}
	f.leaves = make([]leaf, len(parts))
	centres := make([]int, len(parts))
	err := parallel.ForEach(ctx, workers, len(parts), func(i int) error {
		f.leaves[i].rows = parts[i]
		centres[i] = f.centre(parts[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, parallel.ForEach(ctx, workers, len(parts), func(i int) error {
		f.leaves[i].context = f.near(i, centres)
		return nil
	})
}

// correlations returns the correlations between two sets of rows under the kernel.
func (f *forest) correlations(of, with []int) *mat.Dense {
	out := mat.NewDense(len(of), len(with), nil)
	kernels.Block(out, f.kernel, anyrows.Pick(f.rows, of), anyrows.Pick(f.rows, with))
	for a, i := range of {
		row := out.RawRowView(a)
		for b, j := range with {
			if scale := f.diagonal[i] * f.diagonal[j]; scale > 0 {
				row[b] /= math.Sqrt(scale)
			}
		}
	}
	return out
}

// split divides rows into two halves, or returns them alone if they fit into a leaf. All leaves except the last are full.
func (f *forest) split(rows []int) [][]int {
	count := (len(rows) + leafRows - 1) / leafRows
	if count < 2 {
		return [][]int{rows}
	}
	farthest := func(from int) ([]float64, int) {
		with := f.correlations([]int{from}, rows).RawRowView(0)
		at := 0
		for i, v := range with {
			if v < with[at] {
				at = i
			}
		}
		return with, rows[at]
	}
	_, one := farthest(rows[0])
	toOne, other := farthest(one)
	toOther, _ := farthest(other)
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
		toOne[i] -= toOther[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(toOne[b], toOne[a]) })
	half := len(rows) * (count / 2) / count
	sorted := linalg.Pick(rows, order)
	slices.Sort(sorted[:half])
	slices.Sort(sorted[half:])
	return [][]int{sorted[:half:half], sorted[half:]}
}

// centre returns the row that is most similar to the others.
func (f *forest) centre(rows []int) int {
	c := f.correlations(rows, rows)
	best, most := 0, math.Inf(-1)
	for a := range rows {
		if sum := mat.Sum(c.RowView(a)); sum > most {
			best, most = a, sum
		}
	}
	return rows[best]
}

// near returns the context of a leaf: the rows with the largest squared correlation with a row of the leaf, from the leaves with
// the nearest centres.
func (f *forest) near(leaf int, centres []int) []int {
	rows := f.leaves[leaf].rows
	closest := largest(f.correlations(centres[leaf:leaf+1], centres).RawRowView(0), nearLeaves+1)
	var others []int
	for _, i := range closest {
		if i != leaf {
			others = append(others, f.leaves[i].rows...)
		}
	}
	if len(others) == 0 {
		return nil
	}
	with, most := f.correlations(rows, others), make([]float64, len(others))
	for a := range rows {
		for b, v := range with.RawRowView(a) {
			most[b] = max(most[b], v*v)
		}
	}
	out := linalg.Pick(others, largest(most, contextRows-len(rows)))
	slices.Sort(out)
	return out
}

// largest returns the positions of the count largest numbers. If numbers are equal, it prefers the first.
func largest(v []float64, count int) []int {
	places := make([]int, len(v))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(v[b], v[a]) })
	return places[:min(count, len(places))]
}
