// Package targets checks several targets of each row, and takes them to one scale and back.
package targets

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Check returns the rows x of Fit and their targets y, n×k, as dense matrices that are not to be written to.
func Check(x, y mat.Matrix) (xd, yd *mat.Dense, err error) {
	if xd, err = check.Dense("x", x); err != nil {
		return nil, nil, err
	}
	if yd, err = CheckFor(xd, y); err != nil {
		return nil, nil, err
	}
	return xd, yd, nil
}

// CheckFor returns the targets of rows that were checked before.
func CheckFor(rows, y mat.Matrix) (*mat.Dense, error) {
	yd, err := check.Dense("y", y)
	if err != nil {
		return nil, err
	}
	n, _ := rows.Dims()
	if r, _ := yd.Dims(); r != n {
		return nil, fault.Shape("y has", r, "rows", "x has %d rows", n)
	}
	return yd, nil
}

// Unit returns the power of two at or below the largest of |values|; 1 where all are 0. Division by it is exact, but for
// numbers that become denormal, so that what is learnt in such units is the same to the bit for targets times any power of
// two.
func Unit(values []float64) float64 {
	largest := 0.0
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	if !(largest > 0) || math.IsInf(largest, 1) {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, exponent-1)
}

// Divided returns a copy of values over a unit.
func Divided(values []float64, unit float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / unit
	}
	return out
}

// Centred returns values less their mean, over the Unit of what is left: what an evidence or an error is taken of, which
// knows neither the constant nor the unit of the targets, by a method that ends by comparing its changes with its values.
func Centred(values []float64) []float64 {
	out := Divided(values, Unit(values))
	floats.AddConst(-out[0], out) // of a large constant first, whose mean would be rounded
	floats.AddConst(-stat.Mean(out, nil), out)
	return Divided(out, Unit(out))
}

// Units are where the values of targets lie, and how far they spread: a target t stands for Mean + Spread·t.
type Units struct {
	Mean   []float64 // zeros where nothing is to be centred
	Spread []float64 // 1 for a target that is constant to rounding
}

// constant is the deviation from the mean, over the largest value, up to which a target is constant to rounding.
const constant = 1e-15

// Standard returns a copy of y in units of its own: less the weighted mean, unless nothing is to be centred, and over
// the root of the weighted mean square of the rest. The weights may be nil for all 1. No square of a value is taken
// before it is divided by the largest, so that nothing overflows here. Where a value, or a difference, does, and where the targets of a
// column spread by less than has a square, the error names the column.
func Standard(typ string, y *mat.Dense, weights []float64, centre bool) (*mat.Dense, *Units, error) {
	n, k := y.Dims()
	out := mat.DenseCopyOf(y)
	u := &Units{Mean: make([]float64, k), Spread: make([]float64, k)}
	at := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	total := 0.0
	for i := range n {
		total += at(i)
	}
	for j := range k {
		size := 0.0
		for i := range n {
			size = max(size, math.Abs(y.At(i, j)))
		}
		for range 2 { // the second time what rounding left of a large offset
			if !centre {
				break
			}
			mean := 0.0
			for i := range n {
				mean += at(i) / total * out.At(i, j)
			}
			u.Mean[j] += mean
			for i := range n {
				out.Set(i, j, out.At(i, j)-mean)
			}
		}
		largest := 0.0
		for i := range n {
			largest = max(largest, math.Abs(out.At(i, j)))
		}
		if math.IsInf(largest, 1) || largest != largest {
			return nil, nil, TooLarge(typ, j)
		}
		if !(largest > constant*size) {
			u.Spread[j] = 1
			continue
		}
		if err := check.SpreadOf(typ, fmt.Sprintf("the spread of column %d of y", j), largest); err != nil {
			return nil, nil, err
		}
		square := 0.0
		for i := range n {
			v := out.At(i, j) / largest
			square += at(i) / total * v * v
		}
		u.Spread[j] = largest * math.Sqrt(square)
		if !(u.Spread[j] > 0) { // a denormal, or a weight that is next to none
			u.Spread[j] = largest
		}
		for i := range n {
			out.Set(i, j, out.At(i, j)/u.Spread[j])
		}
	}
	return out, u, nil
}

// TooLarge is the error of a target whose values, or their squares, overflow.
func TooLarge(typ string, column int) error {
	return fmt.Errorf("%s: column %d of y is too large, its squares overflow: %w", typ, column, fault.ErrNotFinite)
}

// Rescale multiplies each column of a matrix by its target's spread: what was made of targets, without their place.
func (u *Units) Rescale(m *mat.Dense) {
	if m == nil {
		return
	}
	n, _ := m.Dims()
	for i := range n {
		for j, v := range m.RawRowView(i) {
			m.Set(i, j, v*u.Spread[j])
		}
	}
}

// Restore takes values, one of each target, to the targets' places.
func (u *Units) Restore(values []float64) {
	for j, v := range values {
		values[j] = u.Mean[j] + u.Spread[j]*v
	}
}

// Squares multiplies variances, one of each target, by the squares of the spreads.
func (u *Units) Squares(variances []float64) {
	for j := range variances {
		variances[j] = variances[j] * u.Spread[j] * u.Spread[j]
	}
}

// Finite returns an error that names the first target of which a value is not finite: values have a row for each of
// some quantities and a column for each target.
func Finite(typ string, values ...[]float64) error {
	for _, row := range values {
		for j, v := range row {
			if v-v != 0 {
				return TooLarge(typ, j)
			}
		}
	}
	return nil
}

// FiniteColumns is Finite of a matrix with a column for each target.
func FiniteColumns(typ string, m *mat.Dense) error {
	if m == nil {
		return nil
	}
	n, _ := m.Dims()
	for i := range n {
		if err := Finite(typ, m.RawRowView(i)); err != nil {
			return err
		}
	}
	return nil
}
