package validation_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// sparseOnly is a regressor that panics for rows that are not sparse.
type sparseOnly struct{ toy.Ridge }

func (s *sparseOnly) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	if _, ok := x.(*sparse.Rows); !ok {
		panic("the rows of Fit are not sparse")
	}
	return s.Ridge.Fit(ctx, x, y)
}

func (s *sparseOnly) Predict(x mat.Matrix) ([]float64, error) {
	if _, ok := x.(*sparse.Rows); !ok {
		panic("the rows of Predict are not sparse")
	}
	return s.Ridge.Predict(x)
}

// The scores of sparse rows equal those of the dense copy. The estimator receives sparse rows, also behind steps that keep rows
// sparse.
func TestSparseRowsStaySparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	x, y := mat.NewDense(40, 6, nil), make([]float64, 40)
	for i := range y {
		for range 2 {
			x.Set(i, rng.IntN(6), float64(1+rng.IntN(2)))
		}
		y[i] = x.At(i, 0) - x.At(i, 3) + .1*rng.NormFloat64()
	}
	rows, err := sparse.From("x", x)
	require.NoError(t, err)
	ctx := context.Background()
	steps := []transformers.Transformer{&scalers.RMSScaler{}, &scalers.UnitRows{}}
	want, err := validation.CrossValidateRegressor(ctx, &pipeline.Regressor{Steps: steps, Final: &toy.Ridge{}}, x, y, nil)
	require.NoError(t, err)
	for _, model := range []estimators.Regressor{
		&pipeline.Regressor{Steps: steps, Final: &sparseOnly{}},
		&pipeline.Regressor{Steps: steps, Final: &toy.Ridge{}},
	} {
		got, err := validation.CrossValidateRegressor(ctx, model, rows, y, nil)
		require.NoError(t, err)
		assert.Equal(t, want.TestRows, got.TestRows)
		assert.InDeltaSlice(t, want.Values[0], got.Values[0], 1e-12)
	}
	bare := &pipeline.Regressor{Final: &sparseOnly{}}
	require.NoError(t, bare.Fit(ctx, rows, y))
	scored, err := validation.ScoreRegressor(bare, metrics.ForRegression(), rows, y, nil)
	require.NoError(t, err)
	dense := &toy.Ridge{}
	require.NoError(t, dense.Fit(ctx, x, y))
	asDense, err := validation.ScoreRegressor(dense, metrics.ForRegression(), x, y, nil)
	require.NoError(t, err)
	assert.InDelta(t, asDense, scored, 1e-12)
}
