package transformers

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	standardScalerName = "transformers: StandardScaler"
	standardScalerKind = "transformers.StandardScaler"
)

// StandardScaler centres each column and divides it by its standard deviation:
//
//	z[i,j] = (x[i,j] - mean[j]) / sd[j],  sd[j]² = Σᵢ (x[i,j] - mean[j])² / (n-1)
//
// A column whose values are all the same, and so every column of a single row,
// has sd = 1: it is only centred. The statistics are those of the rows that Fit
// saw; new rows are mapped with them. They are computed without loss to a large
// common offset, and without overflow or underflow for any finite column.
//
// The zero value is ready to use. Fit and Transform cost O(nd). Besides the
// errors of Transformer, a row of Transform that is so far from the rows of Fit
// that its scaled value overflows is ErrNotFinite.
type StandardScaler struct {
	fitted *standardScalerModel
}

type standardScalerModel struct {
	Means, Scales codec.Floats
}

var (
	_ Transformer = (*StandardScaler)(nil)
	_ Cloner      = (*StandardScaler)(nil)
)

// Fit takes the mean and the standard deviation of each column of x (n×d).
func (s *StandardScaler) Fit(ctx context.Context, x mat.Matrix) error {
	in, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	_, d := in.Dims()
	m := &standardScalerModel{Means: make(codec.Floats, d), Scales: make(codec.Floats, d)}
	err = eachColumn(ctx, in, func(j int, column []float64) {
		m.Means[j], m.Scales[j] = meanAndDeviation(column)
	})
	if err != nil {
		return err
	}
	s.fitted = m
	return nil
}

// Transform returns the scaled rows of x (m×d), m×d.
func (s *StandardScaler) Transform(x mat.Matrix) (*mat.Dense, error) {
	return transformed(s.TransformTo, x)
}

// TransformTo implements TransformerTo.
func (s *StandardScaler) TransformTo(dst *mat.Dense, x mat.Matrix) error {
	if s.fitted == nil {
		return fault.NotFitted(standardScalerName)
	}
	return scaleColumns(standardScalerName, dst, x, s.fitted.Means, s.fitted.Scales)
}

// Means returns the d column means, or nil before Fit.
func (s *StandardScaler) Means() []float64 {
	if s.fitted == nil {
		return nil
	}
	return slices.Clone(s.fitted.Means)
}

// Scales returns the d numbers that the columns are divided by, or nil before
// Fit.
func (s *StandardScaler) Scales() []float64 {
	if s.fitted == nil {
		return nil
	}
	return slices.Clone(s.fitted.Scales)
}

// Clone returns an unfitted StandardScaler.
func (s *StandardScaler) Clone() Transformer { return &StandardScaler{} }

// MarshalBinary implements encoding.BinaryMarshaler. It is ErrNotFitted before
// Fit.
func (s *StandardScaler) MarshalBinary() ([]byte, error) {
	return marshal(standardScalerName, standardScalerKind, s.fitted)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are
// ErrBadModel and leave s as it was.
func (s *StandardScaler) UnmarshalBinary(data []byte) error {
	return unmarshal(data, standardScalerKind, &s.fitted, (*standardScalerModel).valid)
}

func (m *standardScalerModel) valid() error {
	if err := validScales(m.Scales); err != nil {
		return err
	}
	if len(m.Means) != len(m.Scales) || !m.Means.Finite() {
		return fmt.Errorf("%d means for %d scales, want as many and finite", len(m.Means), len(m.Scales))
	}
	return nil
}
