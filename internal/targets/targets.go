// Package targets checks the targets of rows, and converts them to a standard scale and back.
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

// Check returns the rows x and targets y (n×k) that Fit receives as dense matrices, which must not be modified.
func Check(x, y mat.Matrix) (xd, yd *mat.Dense, err error) {
	if xd, err = check.Dense("x", x); err != nil {
		return nil, nil, err
	}
	if yd, err = CheckFor(xd, y); err != nil {
		return nil, nil, err
	}
	return xd, yd, nil
}

// CheckFor returns the targets y as a dense matrix, for rows that were checked before.
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

// Unit returns the largest power of two that is at most the largest absolute value, or 1 if all values are 0. Division by it is
// exact, except for numbers that become subnormal. Therefore results in these units are bit-identical if the targets are multiplied
// by a power of two.
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

// Divided returns a copy of values divided by a unit.
func Divided(values []float64, unit float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / unit
	}
	return out
}

// Centred returns values minus their mean, divided by the Unit of the differences. Evidences and errors depend neither on the
// constant nor on the unit of the targets, but minimisers compare changes with values when they decide to stop.
func Centred(values []float64) []float64 {
	out := Divided(values, Unit(values))
	floats.AddConst(-out[0], out) // first subtract a large constant, whose mean would be rounded
	floats.AddConst(-stat.Mean(out, nil), out)
	return Divided(out, Unit(out))
}

// Units holds the location and scale of targets: the original target is Mean + Spread·t.
type Units struct {
	Mean   []float64 // zeros without centring
	Spread []float64 // 1 for a target that is constant up to rounding
}

// A target counts as constant if the ratio of its deviation to its largest value is at most constant.
const constant = 1e-15

// Standard returns a copy of y in standard units. It subtracts the weighted mean if centre is set, and divides by the weighted root
// mean square of the result. If weights is nil, each weight is 1. Values are divided by the largest before they are squared, so
// that squares do not overflow. If a value or a difference overflows, or the spread of a column is too small to be squared, the
// error names the column.
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
		for range 2 { // the second pass removes the rounding errors of a large offset
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
		if !(u.Spread[j] > 0) { // a subnormal spread, or a negligible weight
			u.Spread[j] = largest
		}
		for i := range n {
			out.Set(i, j, out.At(i, j)/u.Spread[j])
		}
	}
	return out, u, nil
}

// TooLarge returns the error for a target whose values, or their squares, overflow.
func TooLarge(typ string, column int) error {
	return fmt.Errorf("%s: column %d of y is too large, its squares overflow: %w", typ, column, fault.ErrNotFinite)
}

// Rescale multiplies each column of a matrix by its target's spread. It is for linear functions of the targets, without their
// location.
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

// Restore converts values, one per target, to the original scale and location.
func (u *Units) Restore(values []float64) {
	for j, v := range values {
		values[j] = u.Mean[j] + u.Spread[j]*v
	}
}

// Squares multiplies variances, one per target, by the squares of the spreads.
func (u *Units) Squares(variances []float64) {
	for j := range variances {
		variances[j] = variances[j] * u.Spread[j] * u.Spread[j]
	}
}

// Finite returns an error that names the first target with a value that is not finite. Each slice of values has one element per
// target.
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

// FiniteColumns is like Finite, for a matrix with one column per target.
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
