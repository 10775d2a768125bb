package calibration

import (
	"cmp"
	"slices"
	"sort"

	"github.com/kernelearn/kernelearn/internal/weights"
)

// steps is a nondecreasing function with the values P at the ascending scores X. It is linear between them and constant beyond the
// first and the last.
type steps struct{ X, P []float64 }

// value returns the value at a score.
func (s steps) value(f float64) float64 {
	i := sort.SearchFloat64s(s.X, f)
	switch {
	case i == len(s.X):
		return s.P[i-1]
	case i == 0 || s.X[i] == f:
		return s.P[i]
	}
	share := (f - s.X[i-1]) / (s.X[i] - s.X[i-1])
	return s.P[i-1] + share*(s.P[i]-s.P[i-1])
}

// block is a run of neighbouring scores that share a value.
type block struct {
	low, high    float64
	hits, weight float64
}

func (b block) value() float64 { return b.hits / b.weight }

// fitSteps returns the nondecreasing function with the smallest weighted squared error for the indicator of a class, computed by
// the pool adjacent violators algorithm. The argument own holds the weights. If they sum to n, the values stay at least 1/(n+2)
// away from 0 and 1, because n rows do not support more extreme probabilities. Rows with equal scores share a value. It costs O(n
// log n).
func fitSteps(f []float64, at []int, class int, own []float64) steps {
	order := make([]int, len(f))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f[a], f[b]) })
	var blocks []block
	for _, i := range order {
		w, hit := weights.Weight(own, i), 0.0
		if at[i] == class {
			hit = w
		}
		if n := len(blocks); n > 0 && blocks[n-1].low == f[i] { // the score equals the last one, which is not yet pooled with lower scores
			blocks[n-1].hits += hit
			blocks[n-1].weight += w
			continue
		}
		blocks = append(blocks, block{low: f[i], high: f[i], hits: hit, weight: w})
	}
	var pooled []block
	for _, b := range blocks {
		for n := len(pooled); n > 0 && pooled[n-1].value() >= b.value(); n = len(pooled) {
			last := pooled[n-1]
			b = block{low: last.low, high: b.high, hits: last.hits + b.hits, weight: last.weight + b.weight}
			pooled = pooled[:n-1]
		}
		pooled = append(pooled, b)
	}
	total := 0.0
	for _, b := range pooled {
		total += b.weight
	}
	least := 1 / (total + 2)
	var out steps
	for _, b := range pooled {
		p := min(max(b.value(), least), 1-least)
		out.X, out.P = append(out.X, b.low), append(out.P, p)
		if b.high > b.low {
			out.X, out.P = append(out.X, b.high), append(out.P, p)
		}
	}
	return out
}
