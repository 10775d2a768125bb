package measures

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// grouping is the order in which the rows are taken: class by class, so that the
// sums over a class are sums over neighbours. Real targets are one class.
type grouping struct {
	order  []int // the caller's numbers of the rows
	bounds []int // class c is order[bounds[c]:bounds[c+1]]
	of     []int // the class of each in order
	// target holds real targets less their mean, times a power of two, and mean
	// that mean in the same unit; nil for labels.
	target []float64
	mean   float64
}

func (g *grouping) rows() int         { return len(g.order) }
func (g *grouping) classes() int      { return len(g.bounds) - 1 }
func (g *grouping) classOf(i int) int { return g.of[i] }

// size returns the number of rows of class c.
func (g *grouping) size(c int) int { return g.bounds[c+1] - g.bounds[c] }

// byLabel groups n rows by their labels.
func byLabel(y []int, n int) (grouping, error) {
	g := grouping{order: make([]int, len(y)), of: make([]int, len(y))}
	if err := check.Rows("y", len(y), n); err != nil {
		return g, err
	}
	for i := range y {
		g.order[i] = i
	}
	slices.SortStableFunc(g.order, func(a, b int) int { return cmp.Compare(y[a], y[b]) })
	for i, at := range g.order {
		if i == 0 || y[at] != y[g.order[i-1]] {
			g.bounds = append(g.bounds, i)
		}
		g.of[i] = len(g.bounds) - 1
	}
	if len(g.bounds) < 2 {
		return g, fault.Shape("y has", len(g.bounds), "class", "want at least 2")
	}
	g.bounds = append(g.bounds, n)
	return g, nil
}

// byTarget puts n rows into one class and centres their targets.
func byTarget(y []float64, n int) (grouping, error) {
	g := grouping{order: make([]int, len(y)), of: make([]int, len(y)), bounds: []int{0, n}}
	if err := check.Rows("y", len(y), n); err != nil {
		return g, err
	}
	if err := check.Vector("y", y); err != nil {
		return g, err
	}
	scale := powerOfTwo(y)
	g.target = make([]float64, n)
	for i, v := range y {
		g.order[i], g.target[i] = i, scale*v
		g.mean += scale * v / float64(n)
	}
	for i := range g.target {
		g.target[i] -= g.mean
	}
	return g, nil
}

// span is a range of rows.
type span struct{ from, to int }

// meanAndSD returns the mean of f over some ranges of rows and its standard deviation,
// divided by their number less one; 0 for a single row.
func meanAndSD(f []float64, rows []span) (mean, sd float64) {
	n := 0
	for _, r := range rows {
		n += r.to - r.from
		mean += floats.Sum(f[r.from:r.to])
	}
	mean /= float64(n)
	for _, r := range rows {
		for _, v := range f[r.from:r.to] {
			sd += (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(sd / float64(max(n-1, 1)))
}
