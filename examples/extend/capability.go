package extend

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

// RowWeigher is a custom capability of a model: it returns the weights that the training rows have in a prediction.
type RowWeigher interface {
	// RowWeights returns, for each row of x (m×d), weights that sum to 1. The result has a column for each training row.
	RowWeights(x mat.Matrix) (*mat.Dense, error)
}

// RowWeights calls RowWeights of a model. If the model is a pipeline or a search, which does not have the method, it calls
// RowWeights of the estimator with which the model predicts.
func RowWeights(model any, x mat.Matrix) (weights *mat.Dense, err error) {
	err = estimators.Call(model, x, func(w RowWeigher, z mat.Matrix) (err error) {
		weights, err = w.RowWeights(z)
		return err
	})
	return weights, err
}

// RowWeights implements [RowWeigher]. If no row is close enough, all weights are equal.
func (s *Smoother) RowWeights(x mat.Matrix) (*mat.Dense, error) {
	if s.m == nil {
		return nil, &estimators.NotFittedError{Type: smootherType}
	}
	_, width := s.m.x.Dims()
	rows, err := estimators.CheckRows(x, width)
	if err != nil {
		return nil, err
	}
	k, err := kernels.Cross(context.Background(), s.m.kernel, rows, s.m.x, &kernels.Options{Workers: s.Workers})
	if err != nil {
		return nil, err
	}
	n, _ := rows.Dims()
	for i := range n {
		row := k.RawRowView(i)
		floats.Mul(row, s.m.w)
		if floats.Sum(row) == 0 {
			copy(row, s.m.w)
		}
		floats.Scale(1/floats.Sum(row), row)
	}
	return k, nil
}
