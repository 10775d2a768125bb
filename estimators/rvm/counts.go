package rvm

import "math"

// counts are how often each row counts. Rows of weight w, whose noise is as often there, are
// rows of weight 1 with all they have, the column of ones too, times √w.
type counts struct {
	roots []float64 // of the weights; nil where all are 1
	total float64   // of the weights
}

func newCounts(weights []float64, n int) counts {
	if weights == nil {
		return counts{total: float64(n)}
	}
	c := counts{roots: make([]float64, n)}
	for i, w := range weights {
		c.roots[i] = math.Sqrt(w)
		c.total += w
	}
	return c
}

// root is what row i is multiplied by.
func (c counts) root(i int) float64 {
	if c.roots == nil {
		return 1
	}
	return c.roots[i]
}

// share is the weight of row i in that of all.
func (c counts) share(i int) float64 { return c.root(i) * c.root(i) / c.total }

// apply multiplies a column.
func (c counts) apply(v []float64) {
	for i, r := range c.roots {
		v[i] *= r
	}
}

// undo divides a column.
func (c counts) undo(v []float64) {
	for i, r := range c.roots {
		v[i] /= r
	}
}

// mean is that of the rows of a multiplied column.
func (c counts) mean(v []float64) float64 {
	mean := 0.0
	for i, a := range v {
		mean += c.root(i) * a / c.total
	}
	return mean
}

// subtract takes a number off the rows of a multiplied column.
func (c counts) subtract(v []float64, number float64) {
	for i := range v {
		v[i] -= c.root(i) * number
	}
}

// centre takes their mean off the rows of a multiplied column, and returns it.
func (c counts) centre(v []float64) float64 {
	mean := c.mean(v)
	c.subtract(v, mean)
	rest := c.mean(v)
	c.subtract(v, rest)
	return mean + rest
}
