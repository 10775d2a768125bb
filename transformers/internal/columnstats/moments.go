package columnstats

import (
	"context"
	"math"

	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// Centre computes the mean of values that arrive in parts. Its unit is 2^e, where e is the exponent of the largest value so far. A
// larger unit only changes the exponents of the sums. The result is therefore bit-identical for any parts, unless some numbers are
// 10^300 times as large as others.
type Centre struct {
	N          int
	largest    float64 // largest |v|
	Exponent   int
	first, sum float64 // first value, and sum of the differences from it; a large common offset costs no digits
}

func (c *Centre) Add(v []float64) {
	if len(v) == 0 {
		return
	}
	c.resize(v)
	a, b := units(c.Exponent)
	if c.N == 0 {
		c.first = v[0] * a * b
	}
	for _, x := range v {
		c.sum += x*a*b - c.first
	}
	c.N += len(v)
}

// resize chooses a unit in which the values are below 1.
func (c *Centre) resize(v []float64) {
	if l := LargestMagnitude(v); l > c.largest || c.N == 0 {
		_, e := math.Frexp(l)
		c.first, c.sum = math.Ldexp(c.first, c.Exponent-e), math.Ldexp(c.sum, c.Exponent-e)
		c.largest, c.Exponent = l, e
	}
}

func (c *Centre) shift() float64 { return c.sum / float64(c.N) }

// Mean returns the mean of all values, or 0 if there are none.
func (c *Centre) Mean() float64 {
	if c.N == 0 {
		return 0
	}
	return math.Ldexp(c.first+c.shift(), c.Exponent)
}

// Spread computes the sum of squared differences from the mean, in a second pass over the values.
type Spread struct {
	Centre
	squares, rest float64
}

func (s *Spread) Add(v []float64) {
	a, b := units(s.Exponent)
	shift := s.shift()
	for _, x := range v {
		d := (x*a*b - s.first) - shift
		s.squares += d * d
		s.rest += d
	}
}

// Total returns the sum of the squares, in units of 2^2e.
func (s *Spread) Total() float64 {
	// The second term corrects the rounding error of the mean.
	return s.squares - s.rest*s.rest/float64(s.N)
}

// Deviation returns the standard deviation with divisor n-1, or 1 if all values are equal.
func (s *Spread) Deviation() float64 {
	squares := s.Total()
	if !(squares > 0) {
		return 1
	}
	return positive(math.Sqrt(squares/float64(s.N-1)), s.Exponent)
}

// NewSpread returns the spread of a column, which must not be empty.
func NewSpread(v []float64) (s Spread) {
	s.Centre.Add(v)
	s.Add(v)
	return s
}

// ReadSpreads returns the spreads of the columns of a stream in two passes. The function keep returns the values of column j that
// count.
func ReadSpreads(ctx context.Context, rows *rowmap.Stream, workers int, keep func(j int, values []float64) []float64) ([]*Spread, error) {
	type of struct {
		j int
		*Spread
	}
	columns, err := ReadColumns(ctx, rows, workers, func(j int) of { return of{j, &Spread{}} }, func(c *of, values []float64) error {
		c.Centre.Add(keep(c.j, values))
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]*Spread, len(columns))
	for j, c := range columns {
		out[j] = c.Spread
	}
	_, err = ReadColumns(ctx, rows, workers, func(j int) of { return of{j, out[j]} }, func(c *of, values []float64) error {
		c.Add(keep(c.j, values))
		return nil
	})
	return out, err
}

// MeanAndDeviation returns the mean of a column and its standard deviation with divisor n-1, or 1 if all values are equal.
func MeanAndDeviation(column []float64) (mean, deviation float64) {
	s := NewSpread(column)
	return s.Mean(), s.Deviation()
}

// Magnitude computes the sum of the squares of values that arrive in parts, in units of 2^2e, where e is the exponent of the
// largest value so far.
type Magnitude struct {
	n       int
	largest float64
	e       int
	squares float64
}

func (m *Magnitude) Add(v []float64) {
	if l := LargestMagnitude(v); l > m.largest || m.n == 0 {
		_, e := math.Frexp(l)
		m.squares = math.Ldexp(m.squares, 2*(m.e-e))
		m.largest, m.e = l, e
	}
	for _, x := range v {
		u := math.Ldexp(x, -m.e)
		m.squares += u * u
	}
	m.n += len(v)
}

// RootMeanSquare returns sqrt(Σv²/max(1, n-1)), or 1 if all values are zero.
func (m *Magnitude) RootMeanSquare() float64 {
	if m.squares == 0 {
		return 1
	}
	return positive(math.Sqrt(m.squares/math.Max(1, float64(m.n-1))), m.e)
}

// RootMeanSquare returns the root mean square of a column.
func RootMeanSquare(column []float64) float64 {
	var m Magnitude
	m.Add(column)
	return m.RootMeanSquare()
}

// SparseRootMeanSquare returns the root mean square of a column of n values, computed from its nonzero values.
func SparseRootMeanSquare(nonzero []float64, n int) float64 {
	var m Magnitude
	m.Add(nonzero)
	m.n = n
	return m.RootMeanSquare()
}
