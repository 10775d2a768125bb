package weights

import "math"

// Counts are how often each row counts in a likelihood that is a product over the rows. For
// a normal one a row of weight w is a row of weight 1 with all that it has, that of the
// column of ones too, times √w.
type Counts struct {
	Roots []float64 // of the weights; nil where all are 1
	Total float64   // of the weights
}

// NewCounts returns those of n rows, of which nil weights are 1 each. Cost O(n).
func NewCounts(weights []float64, n int) Counts {
	if weights == nil {
		return Counts{Total: float64(n)}
	}
	c := Counts{Roots: make([]float64, n)}
	for i, w := range weights {
		c.Roots[i] = math.Sqrt(w)
		c.Total += w
	}
	return c
}

// Root is what row i is multiplied by.
func (c Counts) Root(i int) float64 {
	if c.Roots == nil {
		return 1
	}
	return c.Roots[i]
}

// Weight is that of row i.
func (c Counts) Weight(i int) float64 { return c.Root(i) * c.Root(i) }

// Apply multiplies a column.
func (c Counts) Apply(v []float64) {
	for i, r := range c.Roots {
		v[i] *= r
	}
}

// Undo divides a column.
func (c Counts) Undo(v []float64) {
	for i, r := range c.Roots {
		v[i] /= r
	}
}

// mean is that of the rows of a multiplied column.
func (c Counts) mean(v []float64) float64 {
	mean := 0.0
	for i, a := range v {
		mean += c.Root(i) * a / c.Total
	}
	return mean
}

// Subtract takes a number off the rows of a multiplied column.
func (c Counts) Subtract(v []float64, number float64) {
	for i := range v {
		v[i] -= c.Root(i) * number
	}
}

// Centre takes their mean off the rows of a multiplied column, and returns it.
func (c Counts) Centre(v []float64) float64 {
	mean := c.mean(v)
	c.Subtract(v, mean)
	rest := c.mean(v)
	c.Subtract(v, rest)
	return mean + rest
}
