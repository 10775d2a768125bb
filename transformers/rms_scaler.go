package transformers

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	rmsScalerName = "transformers: RMSScaler"
	rmsScalerKind = "transformers.RMSScaler"
)

// RMSScaler divides each column by its root mean square and does not centre it:
//
//	z[i,j] = x[i,j] / rms[j],  rms[j]² = Σᵢ x[i,j]² / max(1, n-1)
//
// That is scale(x, center = FALSE) of the language R, whose n-1 makes it equal
// to StandardScaler on a column of mean 0. It differs from R where a column is
// all zero: R divides by zero, here rms = 1 and the column is left as it is.
// A zero stays a zero, so it suits sparse columns. No finite column overflows.
//
// The zero value is ready to use. Fit and Transform cost O(nd). Besides the
// errors of Transformer, a row of Transform whose scaled value overflows is
// ErrNotFinite.
type RMSScaler struct {
	fitted *rmsScalerModel
}

type rmsScalerModel struct {
	Scales codec.Floats
}

var (
	_ Transformer = (*RMSScaler)(nil)
	_ Cloner      = (*RMSScaler)(nil)
)

// Fit takes the root mean square of each column of x (n×d).
func (s *RMSScaler) Fit(ctx context.Context, x mat.Matrix) error {
	in, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	_, d := in.Dims()
	m := &rmsScalerModel{Scales: make(codec.Floats, d)}
	err = eachColumn(ctx, in, func(j int, column []float64) {
		m.Scales[j] = rootMeanSquare(column)
	})
	if err != nil {
		return err
	}
	s.fitted = m
	return nil
}

// Transform returns the scaled rows of x (m×d), m×d.
func (s *RMSScaler) Transform(x mat.Matrix) (*mat.Dense, error) {
	return transformed(s.TransformTo, x)
}

// TransformTo implements TransformerTo.
func (s *RMSScaler) TransformTo(dst *mat.Dense, x mat.Matrix) error {
	if s.fitted == nil {
		return fault.NotFitted(rmsScalerName)
	}
	return scaleColumns(rmsScalerName, dst, x, nil, s.fitted.Scales)
}

// Scales returns the d numbers that the columns are divided by, or nil before
// Fit.
func (s *RMSScaler) Scales() []float64 {
	if s.fitted == nil {
		return nil
	}
	return slices.Clone(s.fitted.Scales)
}

// Clone returns an unfitted RMSScaler.
func (s *RMSScaler) Clone() Transformer { return &RMSScaler{} }

// MarshalBinary implements encoding.BinaryMarshaler. It is ErrNotFitted before
// Fit.
func (s *RMSScaler) MarshalBinary() ([]byte, error) {
	return marshal(rmsScalerName, rmsScalerKind, s.fitted)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are
// ErrBadModel and leave s as it was.
func (s *RMSScaler) UnmarshalBinary(data []byte) error {
	return unmarshal(data, rmsScalerKind, &s.fitted, (*rmsScalerModel).valid)
}

func (m *rmsScalerModel) valid() error {
	return validScales(m.Scales)
}
