package methods

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// MeanRegressor predicts the mean of the training targets and their variance. A useful method has a smaller error.
type MeanRegressor struct{ Mean, Variance float64 }

func (m *MeanRegressor) Fit(_ context.Context, _ mat.Matrix, y []float64) error {
	if len(y) < 2 {
		return errors.New("mean: fewer than two rows")
	}
	m.Mean, m.Variance = stat.MeanVariance(y, nil)
	return nil
}

func (m *MeanRegressor) Predict(x mat.Matrix) ([]float64, error) {
	n, _ := x.Dims()
	return slices.Repeat([]float64{m.Mean}, n), nil
}

func (m *MeanRegressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	mean, err = m.Predict(x)
	return mean, slices.Repeat([]float64{m.Variance}, len(mean)), err
}

func (m *MeanRegressor) MarshalBinary() ([]byte, error) { return json.Marshal(*m) }

// majorityClassifier predicts the largest class. Its probabilities are the shares of the classes in the training rows.
type majorityClassifier struct {
	Labels []int // ascending
	Shares []float64
}

func (m *majorityClassifier) Fit(_ context.Context, _ mat.Matrix, y []int) error {
	if len(y) == 0 {
		return errors.New("majority: no rows")
	}
	labels := slices.Clone(y)
	slices.Sort(labels)
	m.Labels = slices.Compact(labels)
	m.Shares = make([]float64, len(m.Labels))
	for _, v := range y {
		m.Shares[slices.Index(m.Labels, v)] += 1 / float64(len(y))
	}
	return nil
}

func (m *majorityClassifier) Predict(x mat.Matrix) ([]int, error) {
	n, _ := x.Dims()
	return slices.Repeat([]int{m.Labels[slices.Index(m.Shares, slices.Max(m.Shares))]}, n), nil
}

func (m *majorityClassifier) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	n, _ := x.Dims()
	return mat.NewDense(n, len(m.Shares), slices.Repeat(m.Shares, n)), nil
}

func (m *majorityClassifier) Classes() []int { return slices.Clone(m.Labels) }

func (m *majorityClassifier) MarshalBinary() ([]byte, error) { return json.Marshal(*m) }
