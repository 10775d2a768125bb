// Package distinct merges rows that occur more than once into one row with a weight.
//
// If a method leaves out a row, a copy of the row still reveals everything about it. Therefore methods that leave out rows use the
// distinct rows. If the targets of distinct row i are t[ij] with weights w[ij], the merged row has
//
//	W[i] = Σj w[ij],   t[i] = Σj w[ij] t[ij] / W[i]
//
// and the mean square within equal rows is
//
//	v = Σij w[ij] (t[ij] - t[i])² / ΣW
//
// The mean squared error of a function over all rows is v plus its weighted mean squared error over the merged rows, so v does not
// affect a comparison of functions. If the noise of the merged targets has variance s²/W[i], in units in which the mean weight is
// 1, then s² + v is the mean variance of a single target. For rows that were copied together with their targets v is 0. For
// repeated observations v is the variance that the means hide.
package distinct

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/rowhash"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/sparse"
)

// Rows holds the m distinct rows among n, in order of their first occurrence.
type Rows struct {
	X       *mat.Dense // m×d; the original matrix if no two rows are equal, and nil after [MergeKernel] and [MergeSparse]
	Weights []float64  // m sums of the weights of equal rows; nil if all are 1
	Index   []int      // n positions of the distinct rows; nil if no two rows are equal
	First   []int      // m first occurrences of the distinct rows; nil if no two rows are equal
	given   []float64  // n original weights; nil if all are 1
	m       int
}

// Merge finds the equal rows of x (n×d), which it keeps and does not change. If weights is nil, all weights are 1. 0 equals -0, and
// NaN equals NaN. It costs O(nd).
func Merge(x *mat.Dense, weights []float64) *Rows {
	n, _ := x.Dims()
	return find(n, weights, func(i int, _ []float64) []float64 { return x.RawRowView(i) }).pick(x)
}

// MergeSparse is like [Merge] for sparse rows, and also returns the distinct rows. The cost is proportional to the number of
// entries.
func MergeSparse(x *sparse.Rows, weights []float64) (*Rows, *sparse.Rows) {
	n, _ := x.Dims()
	out := find(n, weights, func(i int, memory []float64) []float64 {
		memory = memory[:0]
		columns, values := x.Row(i)
		for at, j := range columns {
			if values[at] != 0 {
				memory = append(memory, float64(j), values[at])
			}
		}
		return memory
	})
	if out.First != nil {
		x = x.Pick(out.First)
	}
	return out, x
}

// MergePairs merges rows that are equal and have the same target. It is for losses for which a mean of targets is not equivalent to
// the targets.
func MergePairs[T float64 | int](x *mat.Dense, targets []T, weights []float64) *Rows {
	return find(len(targets), weights, func(i int, pair []float64) []float64 {
		return append(append(pair[:0], x.RawRowView(i)...), float64(targets[i]))
	}).pick(x)
}

// pick sets X to the distinct rows of x.
func (r *Rows) pick(x *mat.Dense) *Rows {
	r.X = x
	if r.First != nil {
		r.X = linalg.Rows(x, r.First)
	}
	return r
}

// MergeKernel finds equal rows. Rows are equal if their rows of the kernel matrix k (n×n) are identical. It costs O(n²).
func MergeKernel(k mat.Symmetric, weights []float64) *Rows {
	return find(k.SymmetricDim(), weights, func(i int, row []float64) []float64 { return appendRow(row[:0], k, i) })
}

// MergeKernelPairs is like MergeKernel. Equal rows must also have the same target.
func MergeKernelPairs[T float64 | int](k mat.Symmetric, targets []T, weights []float64) *Rows {
	return find(len(targets), weights, func(i int, pair []float64) []float64 {
		return append(appendRow(pair[:0], k, i), float64(targets[i]))
	})
}

func appendRow(to []float64, k mat.Symmetric, i int) []float64 {
	for j := range k.SymmetricDim() {
		to = append(to, k.At(i, j))
	}
	return to
}

// find compares n rows. The function row returns row i, in its own memory or in the given memory.
func find(n int, weights []float64, row func(i int, memory []float64) []float64) *Rows {
	out := &Rows{}
	index, first := make([]int, n), make([]int, 0, n)
	latest := make(map[uint64]int, n) // the last distinct row with each hash
	earlier := make([]int, 0, n)      // the distinct row with the same hash before each one, or -1
	var own, other []float64
	for i := range n {
		own = row(i, own)
		h := hash(own)
		at, found := latest[h]
		if !found {
			at = -1
		}
		chain := at
		for at >= 0 {
			if other = row(first[at], other); equal(own, other) {
				break
			}
			at = earlier[at]
		}
		if at < 0 {
			at = len(first)
			latest[h] = at
			first, earlier = append(first, i), append(earlier, chain)
		}
		index[i] = at
	}
	if out.m = len(first); out.m < n {
		out.Index, out.First = index, first
	}
	return out.Weighed(weights)
}

// Weighed returns the same rows with other original weights (n). If given is nil, all weights are 1.
func (r *Rows) Weighed(given []float64) *Rows {
	out := *r
	out.Weights, out.given = given, given
	if r.Index != nil {
		out.Weights = out.sums()
	}
	if ones(out.Weights) {
		out.Weights = nil
	}
	return &out
}

// FirstDistinct returns the positions of the first count distinct rows of x, or of all if there are fewer.
func FirstDistinct(x *mat.Dense, count int) []int {
	rows := Merge(x, nil)
	if rows.First != nil {
		return rows.First[:min(count, rows.m)]
	}
	out := make([]int, min(count, rows.m))
	for i := range out {
		out[i] = i
	}
	return out
}

// hash returns the same number for equal rows.
func hash(row []float64) uint64 {
	h := uint64(rowhash.Seed)
	for _, v := range row {
		switch {
		case v == 0:
			v = 0 // replaces -0
		case math.IsNaN(v):
			v = math.NaN()
		}
		h = rowhash.Number(h, v)
	}
	return h
}

func equal(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for j, v := range a {
		if v != b[j] && !(math.IsNaN(v) && math.IsNaN(b[j])) {
			return false
		}
	}
	return true
}

func (r *Rows) sums() []float64 {
	out := make([]float64, len(r.First))
	for i, at := range r.Index {
		out[at] += weights.Weight(r.given, i)
	}
	return out
}

func ones(w []float64) bool {
	for _, v := range w {
		if v != 1 {
			return false
		}
	}
	return true
}

// Len returns m, the number of distinct rows.
func (r *Rows) Len() int { return r.m }

// Repeated reports whether any two rows are equal. It is false for nil Rows.
func (r *Rows) Repeated() bool { return r != nil && r.Index != nil }

// Relative divides all weights by their mean, so that the distinct rows have mean weight 1. A method whose objective counts rows
// therefore counts each distinct row once. Weights that are all equal become exactly 1.
func (r *Rows) Relative() *Rows {
	if r.Weights == nil {
		return r
	}
	largest, uniform := slices.Max(r.Weights), true
	mean := 0.0
	for _, w := range r.Weights {
		mean += w / largest / float64(len(r.Weights))
		uniform = uniform && w == largest
	}
	out := *r
	out.Weights = nil
	if !uniform {
		out.Weights = make([]float64, len(r.Weights))
		for i, w := range r.Weights {
			out.Weights[i] = max(w/largest/mean, leastWeight)
		}
	}
	out.given = out.Weights
	if r.Index != nil {
		out.given = make([]float64, len(r.Index))
		for i, at := range r.Index {
			out.given[i] = weights.Weight(r.given, i) / r.Weights[at] * weights.Weight(out.Weights, at)
		}
	}
	return &out
}

// leastWeight is the smallest relative weight. It prevents an underflow to 0, because ridges are divided by weights.
const leastWeight = 1e-100

// Counts returns the weights of n rows, scaled so that their sum is m, the number of distinct rows. It is for methods that count
// rows, such as the smoothed labels of a link. If own is nil, all weights are equal. It returns nil if all results are 1.
func Counts(own []float64, n, m int) []float64 {
	if own == nil {
		if n == m {
			return nil
		}
		return slices.Repeat([]float64{float64(m) / float64(n)}, n)
	}
	largest, total := slices.Max(own), 0.0
	for _, w := range own {
		total += w / largest
	}
	if n == m && slices.Min(own) == largest {
		return nil
	}
	out := make([]float64, n)
	for i, w := range own {
		out[i] = w / largest / total * float64(m)
	}
	return out
}

// GivenWeights returns the weight of each of the n original rows, in the units of Weights. It is nil if all are 1.
func (r *Rows) GivenWeights() []float64 { return r.given }

// Mean returns the weighted means (m×k) of the targets t (n×k) of equal rows, or t itself if no two rows are equal. The mean of
// equal targets is exact.
func (r *Rows) Mean(t *mat.Dense) *mat.Dense {
	if r.Index == nil {
		return t
	}
	out := linalg.Rows(t, r.First)
	sums := make([]float64, len(r.First))
	for i, at := range r.Index {
		w := weights.Weight(r.given, i)
		sums[at] += w
		row := out.RawRowView(at)
		for j, v := range t.RawRowView(i) {
			row[j] += (v - row[j]) * (w / sums[at])
		}
	}
	return out
}

// Means returns the weighted means (m) of a target (n) of equal rows, in new memory. It also returns the weighted mean square of
// the deviations from the means.
func (r *Rows) Means(target []float64) (mean []float64, within float64) {
	given := mat.NewDense(len(target), 1, slices.Clone(target))
	means := r.Mean(given)
	return means.RawMatrix().Data, r.MeanSquareWithin(given, means)[0]
}

// MostFrequent returns for each distinct row the label with the largest total weight among its copies, and the smallest label in a
// tie.
func (r *Rows) MostFrequent(labels []int) []int {
	names := classes.Distinct(labels)
	sums := mat.NewDense(r.Len(), len(names), nil)
	for i, at := range classes.Positions(names, labels) {
		sums.RawRowView(r.Index[i])[at] += weights.Weight(r.GivenWeights(), i)
	}
	out := make([]int, r.Len())
	for i := range out {
		out[i] = names[classes.Largest(sums.RawRowView(i))]
	}
	return out
}

// CountEach returns the weights (m) for a likelihood of classes. The argument given holds the targets ±1 of the original rows
// (n×k), and mean holds their means (m×k). The weights are those of Relative. If equal rows are separate observations and not
// Copies, each row counts, and the weights are multiplied by n/m. If all weights are 1, it returns nil.
func (r *Rows) CountEach(given, mean *mat.Dense) []float64 {
	if r.Copies(given, mean) {
		return r.Weights
	}
	n, _ := given.Dims()
	out := slices.Repeat([]float64{float64(n) / float64(r.m)}, r.m)
	for i, w := range r.Weights {
		out[i] *= w
	}
	return out
}

// CountInClass returns the weights (m) for a likelihood of classes from which a kernel is learnt. They are the weights of
// CountEach. For Copies the weights are divided by their mean in the class. Otherwise, if each row of a class occurred eight times,
// the likelihood would count that class eight times. The kernel would become so short that each of its rows would form a peak.
// Class weights should move the border between classes, not the kernel.
func (r *Rows) CountInClass(given, mean *mat.Dense) []float64 {
	if r.Weights == nil || !r.Copies(given, mean) {
		return r.CountEach(given, mean)
	}
	at := Merge(mean, nil).Index
	if at == nil {
		at = make([]int, r.m) // each row is a class of its own
		for i := range at {
			at[i] = i
		}
	}
	return classes.InClass(at, r.Weights)
}

// agreeing is the fraction of the spread of independent observations below which equal rows count as copies.
const agreeing = 0.5

// Copies reports whether equal rows are copies rather than separate observations. They are copies if the targets given (n×k) differ
// from their means (m×k) by less than half as much as independent observations would. If no two rows are equal, it returns true.
func (r *Rows) Copies(given, mean *mat.Dense) bool {
	if r.Index == nil {
		return true
	}
	all := &Rows{Index: make([]int, len(r.Index)), First: []int{0}, given: r.given, m: 1}
	independent := floats.Sum(all.MeanSquareWithin(given, all.Mean(given))) * (1 - float64(r.m)/float64(len(r.Index)))
	return floats.Sum(r.MeanSquareWithin(given, mean)) <= agreeing*independent
}

// MeanSquareWithin returns for each column of the targets t (n×k) the weighted mean square of the deviations from their means
// (m×k).
func (r *Rows) MeanSquareWithin(t, mean *mat.Dense) []float64 {
	_, k := t.Dims()
	out := make([]float64, k)
	if r.Index == nil {
		return out
	}
	total := 0.0
	for i, at := range r.Index {
		w := weights.Weight(r.given, i)
		total += w
		for j, v := range t.RawRowView(i) {
			d := v - mean.At(at, j)
			out[j] += w * d * d
		}
	}
	floats.Scale(1/total, out)
	return out
}

// Spread returns a matrix (n×k) with a copy of the row of v (m×k) for each original row. If no two rows are equal, it returns v
// itself.
func (r *Rows) Spread(v *mat.Dense) *mat.Dense {
	if r.Index == nil || v == nil {
		return v
	}
	return linalg.Rows(v, r.Index)
}

// Kernel returns the kernel matrix (m×m) of the distinct rows, copied from that of all rows (n×n).
func (r *Rows) Kernel(k mat.Symmetric) *mat.SymDense {
	out := mat.NewSymDense(r.m, nil)
	if r.First == nil {
		out.CopySym(k)
		return out
	}
	for a, i := range r.First {
		for b := a; b < r.m; b++ {
			out.SetSym(a, b, k.At(i, r.First[b]))
		}
	}
	return out
}

// Groups returns the distinct rows of each group, given the group of each of the n rows. Groups that share a distinct row are
// joined, and groups with a single distinct row are left out. It returns an ErrShape error if groups does not have n entries, or if
// one group contains all rows. If groups is nil, it returns nil.
func (r *Rows) Groups(groups []int, n int) ([][]int, error) {
	if groups == nil {
		return nil, nil
	}
	if len(groups) != n {
		return nil, fault.Shape("Groups has", len(groups), "entries", "x has %d rows", n)
	}
	parent := make([]int, r.m)
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	leader := map[int]int{} // one distinct row of each group
	for i, g := range groups {
		at := i
		if r.Index != nil {
			at = r.Index[i]
		}
		other, found := leader[g]
		if !found {
			leader[g] = at
			continue
		}
		a, b := root(at), root(other)
		parent[max(a, b)] = min(a, b) // the first row is the root
	}
	members := make([][]int, r.m)
	for i := range r.m {
		members[root(i)] = append(members[root(i)], i)
	}
	members = slices.DeleteFunc(members, func(m []int) bool { return len(m) < 2 })
	if len(members) == 1 && len(members[0]) == r.m {
		return nil, fault.Shape("Groups has", 1, "group of distinct rows", "want at least 2, so that one can be left out")
	}
	return members, nil
}

// Originals returns the positions of the rows of x (n×d) without copies, and their weights. Rows are copies if they are equal and
// have the same target. first holds the position of the first row of each set of copies. own holds the mean weight of the set, or
// is nil if weights is nil. If more sets of equal rows have several targets than one target, equal rows are separate observations.
// In this case first is nil, which stands for all rows.
func Originals[T float64 | int](x *mat.Dense, target []T, weights []float64) (first []int, own []float64) {
	rows := Merge(x, nil)
	if !rows.Repeated() {
		return nil, weights
	}
	several := make([]bool, rows.m)
	for i, at := range rows.Index {
		several[at] = several[at] || target[i] != target[rows.First[at]]
	}
	copied, observed := 0, 0
	for at, count := range rows.Weights {
		switch {
		case several[at]:
			observed++
		case count > 1:
			copied++
		}
	}
	if observed > copied {
		return nil, weights
	}
	whole := MergePairs(x, target, nil)
	if weights == nil {
		return whole.First, nil
	}
	own, _ = whole.Means(weights)
	return whole.First, own
}
