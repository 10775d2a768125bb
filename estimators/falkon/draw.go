package falkon

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// drawStream is the stream "landmark".
const drawStream = 0x6c616e646d61726b

// drawnRows returns count of the numbers 0 to n-1 without replacement, in the order drawn, each
// such sequence equally likely. Cost O(count), whatever n is.
func drawnRows(n, count int, rng *rand.Rand) []int {
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

// drawnGroups is drawnRows for rows that are drawn with all of their group, one after the other. The last group may be cut.
func drawnGroups(g []int, count int, rng *rand.Rand) []int {
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

// gather returns the rows of these numbers, in this order, with their targets and weights.
func (s *source) gather(ctx context.Context, numbers []int) (batch, error) {
	order := make([]int, len(numbers)) // places in numbers, by row
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	out := batch{x: mat.NewDense(len(numbers), s.d, nil), y: mat.NewDense(len(numbers), s.k, nil)}
	next := 0
	err := s.read(ctx, 64*blockRows, func(b batch) error {
		if b.w != nil && out.w == nil {
			out.w = make([]float64, len(numbers))
		}
		if b.g != nil && out.g == nil {
			out.g = make([]int, len(numbers))
		}
		for ; next < len(order) && numbers[order[next]] < b.first+b.rows(); next++ {
			i := numbers[order[next]] - b.first
			out.x.SetRow(order[next], b.x.RawRowView(i))
			out.y.SetRow(order[next], b.y.RawRowView(i))
			if b.w != nil {
				out.w[order[next]] = b.w[i]
			}
			if b.g != nil {
				out.g[order[next]] = b.g[i]
			}
		}
		return nil
	})
	return out, err
}

// weightedDraw returns count of the numbers 0 to len(scores)-1, drawn one after the other in
// proportion to their scores, which are above 0: those of the least exponential variables
// with these rates (P. Efraimidis and P. Spirakis, Information Processing Letters 97, 2006).
func weightedDraw(scores []float64, count int, rng *rand.Rand) []int {
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
