package transformers

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	unitRowsName = "transformers: UnitRows"
	unitRowsKind = "transformers.UnitRows"
)

// UnitRows scales each row to Euclidean length 1; a row of zeros stays zero:
//
//	z[i,:] = x[i,:] / ‖x[i,:]‖₂
//
// It learns nothing from the rows of Fit but their width. No finite row
// overflows or underflows.
//
// The zero value is ready to use. Fit and Transform cost O(nd).
type UnitRows struct {
	fitted *unitRowsModel
}

type unitRowsModel struct {
	Width int
}

var (
	_ Transformer = (*UnitRows)(nil)
	_ Cloner      = (*UnitRows)(nil)
)

// Fit keeps the width of x (n×d).
func (u *UnitRows) Fit(ctx context.Context, x mat.Matrix) error {
	in, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, d := in.Dims()
	u.fitted = &unitRowsModel{Width: d}
	return nil
}

// Transform returns the rows of x (m×d) scaled to length 1, m×d.
func (u *UnitRows) Transform(x mat.Matrix) (*mat.Dense, error) {
	return transformed(u.TransformTo, x)
}

// TransformTo implements TransformerTo.
func (u *UnitRows) TransformTo(dst *mat.Dense, x mat.Matrix) error {
	if u.fitted == nil {
		return fault.NotFitted(unitRowsName)
	}
	in, err := check.Wide("x", x, u.fitted.Width)
	if err != nil {
		return err
	}
	n, d := in.Dims()
	if err := fits(dst, n, d); err != nil {
		return err
	}
	for i := range n {
		row := dst.RawRowView(i)
		copy(row, in.RawRowView(i))
		toUnitLength(row)
	}
	return nil
}

func toUnitLength(row []float64) {
	e := exponent(row)
	squares := 0.0
	for j, v := range row {
		row[j] = math.Ldexp(v, -e)
		squares += row[j] * row[j]
	}
	if squares == 0 {
		return
	}
	length := math.Sqrt(squares)
	for j := range row {
		row[j] /= length
	}
}

// Clone returns an unfitted UnitRows.
func (u *UnitRows) Clone() Transformer { return &UnitRows{} }

// MarshalBinary implements encoding.BinaryMarshaler. It is ErrNotFitted before
// Fit.
func (u *UnitRows) MarshalBinary() ([]byte, error) {
	return marshal(unitRowsName, unitRowsKind, u.fitted)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are
// ErrBadModel and leave u as it was.
func (u *UnitRows) UnmarshalBinary(data []byte) error {
	return unmarshal(data, unitRowsKind, &u.fitted, (*unitRowsModel).valid)
}

func (m *unitRowsModel) valid() error {
	if m.Width < 1 {
		return fmt.Errorf("width %d, want >= 1", m.Width)
	}
	return nil
}
