package weights

import "math"

// Counts holds the number of times that each row counts in a likelihood that is a product over rows. In a normal likelihood, a row
// of weight w is equivalent to a row of weight 1 whose elements are multiplied by √w, including the element in the column of ones.
type Counts struct {
	Roots []float64 // square roots of the weights; nil if all are 1
	Total float64   // sum of the weights
}

// NewCounts returns the counts of n rows. If weights is nil, each weight is 1. It costs O(n).
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

// Root returns the square root of the weight of row i, which is its factor.
func (c Counts) Root(i int) float64 {
	if c.Roots == nil {
		return 1
	}
	return c.Roots[i]
}

// Weight returns the weight of row i.
func (c Counts) Weight(i int) float64 { return c.Root(i) * c.Root(i) }

// Apply multiplies the elements of a column by the factors of their rows.
func (c Counts) Apply(v []float64) {
	for i, r := range c.Roots {
		v[i] *= r
	}
}

// Undo divides the elements of a column by the factors of their rows.
func (c Counts) Undo(v []float64) {
	for i, r := range c.Roots {
		v[i] /= r
	}
}

// mean returns the weighted mean of a column, given the column after Apply.
func (c Counts) mean(v []float64) float64 {
	mean := 0.0
	for i, a := range v {
		mean += c.Root(i) * a / c.Total
	}
	return mean
}

// Subtract subtracts a number from the elements of a column, given the column after Apply.
func (c Counts) Subtract(v []float64, number float64) {
	for i := range v {
		v[i] -= c.Root(i) * number
	}
}

// Centre subtracts the weighted mean from a column, given the column after Apply, and returns the mean.
func (c Counts) Centre(v []float64) float64 {
	mean := c.mean(v)
	c.Subtract(v, mean)
	rest := c.mean(v)
	c.Subtract(v, rest)
	return mean + rest
}
