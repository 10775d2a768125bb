package rows

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/sparse"
)

// DrawnRows returns count of the numbers from 0 to n-1, drawn without replacement, in the order in which they were drawn. All such
// sequences are equally likely. The cost is O(count), whatever n is.
func DrawnRows(n, count int, rng *rand.Rand) []int {
	moved := map[int]int{} // the first steps of a shuffle of 0 to n-1
	at := func(i int) int {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	out := make([]int, count)
	for i := range out {
		j := i + rng.IntN(n-i)
		out[i] = at(j)
		moved[j] = at(i)
	}
	return out
}

// DrawnGroups is like DrawnRows, but each drawn row is followed by the other rows of its group. The last group may be incomplete.
func DrawnGroups(g []int, count int, rng *rand.Rand) []int {
	var firsts []int
	for i, v := range g {
		if i == 0 || v != g[i-1] {
			firsts = append(firsts, i)
		}
	}
	out := make([]int, 0, count)
	for _, at := range rng.Perm(len(firsts)) {
		for i := firsts[at]; len(out) < count && i < len(g) && g[i] == g[firsts[at]]; i++ {
			out = append(out, i)
		}
	}
	return out
}

// Gather returns the rows with these numbers, in the order of the numbers, with their targets and weights.
func (s *Source) Gather(ctx context.Context, numbers []int) (Batch, error) {
	order := make([]int, len(numbers)) // indices of numbers, in the order of the rows
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	out := Batch{Y: mat.NewDense(len(numbers), s.K, nil)}
	var x *mat.Dense
	if all, ok := s.Whole.X.(*sparse.Rows); ok {
		out.X = all.Pick(numbers)
	} else {
		x = mat.NewDense(len(numbers), s.D, nil)
		out.X = x
	}
	next := 0
	err := s.read(ctx, 64*BlockRows, func(b Batch) error {
		if b.W != nil && out.W == nil {
			out.W = make([]float64, len(numbers))
		}
		if b.G != nil && out.G == nil {
			out.G = make([]int, len(numbers))
		}
		for ; next < len(order) && numbers[order[next]] < b.First+b.Rows(); next++ {
			i := numbers[order[next]] - b.First
			if x != nil {
				x.SetRow(order[next], b.X.(*mat.Dense).RawRowView(i))
			}
			out.Y.SetRow(order[next], b.Y.RawRowView(i))
			if b.W != nil {
				out.W[order[next]] = b.W[i]
			}
			if b.G != nil {
				out.G[order[next]] = b.G[i]
			}
		}
		return nil
	})
	return out, err
}

// WeightedDraw returns count of the numbers from 0 to len(scores)-1, drawn one after the other in proportion to their scores, which
// are positive. It draws an exponential variable for each number, with its score as the rate, and returns the numbers with the
// smallest variables (P. Efraimidis and P. Spirakis, Information Processing Letters 97, 2006).
func WeightedDraw(scores []float64, count int, rng *rand.Rand) []int {
	keys, order := make([]float64, len(scores)), make([]int, len(scores))
	for i, s := range scores {
		keys[i], order[i] = rng.ExpFloat64()/s, i
		if math.IsNaN(keys[i]) {
			keys[i] = math.Inf(1)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case keys[a] < keys[b]:
			return -1
		case keys[a] > keys[b]:
			return 1
		}
		return 0
	})
	return order[:min(count, len(order))]
}
