package extend

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

// Points adapts a regressor to code that holds its rows as slices, such as a plotting program. The field Estimator can be any
// estimator of kernelearn, or a custom one.
type Points struct{ Estimator estimators.Regressor }

// Fit fits the estimator to rows of the same length and their targets.
func (p *Points) Fit(ctx context.Context, rows [][]float64, y []float64) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	x, err := dense(rows)
	if err != nil {
		return err
	}
	return p.Estimator.Fit(ctx, x, y)
}

// Predict returns a prediction for each row.
func (p *Points) Predict(rows [][]float64) ([]float64, error) {
	x, err := dense(rows)
	if err != nil {
		return nil, err
	}
	return p.Estimator.Predict(x)
}

// dense returns the rows as a matrix. The estimator checks their values.
func dense(rows [][]float64) (*mat.Dense, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, fmt.Errorf("extend: Points: %d rows of no columns: %w", len(rows), estimators.ErrShape)
	}
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, fmt.Errorf("extend: Points: row %d has %d columns, the first has %d: %w", i, len(row), len(rows[0]),
				estimators.ErrShape)
		}
		x.SetRow(i, row)
	}
	return x, nil
}
