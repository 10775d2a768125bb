package measures

import (
	"math"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
)

// grouping describes the rows by their targets. With labels there are several classes, numbered in ascending order. With real
// targets there is one class, and the values are kept.
type grouping struct {
	of    []int // class of each row
	sizes []int // class sizes
	// target holds the real targets minus their mean, times a power of two. The field mean is their mean in the same unit. With
	// labels, target is nil.
	target []float64
	mean   float64
}

func (g *grouping) rows() int    { return len(g.of) }
func (g *grouping) classes() int { return len(g.sizes) }

// byLabel groups n rows by their labels.
func byLabel(y []int, n int) (grouping, error) {
	if err := check.Rows("y", len(y), n); err != nil {
		return grouping{}, err
	}
	labels, of, err := classes.Distinguish(y)
	if err != nil {
		return grouping{}, err
	}
	g := grouping{of: of, sizes: make([]int, len(labels))}
	for _, c := range of {
		g.sizes[c]++
	}
	return g, nil
}

// byTarget puts n rows into one class and centres their targets.
func byTarget(y []float64, n int) (grouping, error) {
	if err := check.Rows("y", len(y), n); err != nil {
		return grouping{}, err
	}
	if err := check.Vector("y", y); err != nil {
		return grouping{}, err
	}
	g := grouping{of: make([]int, n), sizes: []int{n}, target: make([]float64, n)}
	scale := powerOfTwo(y)
	for i, v := range y {
		g.target[i] = scale * v
		g.mean += g.target[i] / float64(n)
	}
	for i := range g.target {
		g.target[i] -= g.mean
	}
	return g, nil
}

// split returns the means and standard deviations of f over class c and over all other rows. The denominator is n-1, and the
// deviation of a single row is 0. It sums differences from the first row of each side, so that equal values have deviation 0.
func (g *grouping) split(f []float64, c int) (mean, sd [2]float64) {
	count := [2]int{g.sizes[c], g.rows() - g.sizes[c]}
	var first, gap [2]float64
	for i := len(f) - 1; i >= 0; i-- {
		first[g.side(i, c)] = f[i]
	}
	for i, v := range f {
		s := g.side(i, c)
		gap[s] += (v - first[s]) / float64(count[s])
	}
	for i, v := range f {
		s := g.side(i, c)
		d := v - first[s] - gap[s]
		sd[s] += d * d
	}
	for s := range sd {
		mean[s] = first[s] + gap[s]
		sd[s] = math.Sqrt(sd[s] / float64(max(count[s]-1, 1)))
	}
	return mean, sd
}

// members returns, for each class except the last, the positions of its rows in a range of count rows that begins at from.
func (g *grouping) members(from, count int) [][]int {
	out := make([][]int, g.classes())
	for j, c := range g.of[from : from+count] {
		out[c] = append(out[c], j)
	}
	return out[:len(out)-1]
}

// side returns 0 for a row of class c and 1 for any other.
func (g *grouping) side(i, c int) int {
	if g.of[i] == c {
		return 0
	}
	return 1
}
