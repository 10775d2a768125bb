package estimators_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

// counted returns n rows with one column, which holds the row's number.
func counted(n int) *mat.Dense {
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i))
	}
	return x
}

func TestInBlocks(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ n, rows, blocks int }{{1, 0, 1}, {10, 3, 3}, {10, 10, 1}, {10, 100, 1}, {5000, 0, 2}} {
		next, blocks := 0, 0
		require.NoError(t, estimators.InBlocks(ctx, counted(c.n), c.rows, func(first int, block *mat.Dense) error {
			assert.Equal(t, next, first)
			n, _ := block.Dims()
			for i := range n {
				assert.Equal(t, float64(first+i), block.At(i, 0))
			}
			next, blocks = next+n, blocks+1
			return nil
		}))
		assert.Equal(t, []int{c.n, c.blocks}, []int{next, blocks}, "%+v", c)
	}
	nothing := func(int, *mat.Dense) error { return nil }
	assert.ErrorIs(t, estimators.InBlocks(ctx, nil, 0, nothing), estimators.ErrShape)
	assert.ErrorIs(t, estimators.InBlocks(ctx, &mat.Dense{}, 0, nothing), estimators.ErrShape)
	assert.ErrorIs(t, estimators.InBlocks(ctx, counted(3), -1, nothing), estimators.ErrParam)

	// An error stops the computation, and its row number refers to x.
	place := &estimators.NotFiniteError{Name: "x", Row: 1, Col: 0}
	err := estimators.InBlocks(ctx, counted(9), 3, func(first int, _ *mat.Dense) error {
		if first == 3 {
			return place
		}
		assert.Zero(t, first)
		return nil
	})
	var found *estimators.NotFiniteError
	require.ErrorAs(t, err, &found)
	assert.Equal(t, 4, found.Row)
	assert.Equal(t, 1, place.Row, "the function's error stays as it is")

	stopping, stop := context.WithCancel(ctx)
	blocks := 0
	err = estimators.InBlocks(stopping, counted(9), 3, func(int, *mat.Dense) error { blocks++; stop(); return nil })
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, blocks)
}

func TestPredictContext(t *testing.T) {
	x := counted(5000)
	r := &ridge.Regressor{Ridge: 1}
	_, err := estimators.PredictContext(context.Background(), r, x)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, r.Fit(context.Background(), counted(20), mat.Col(nil, 0, counted(20))))
	want, err := r.Predict(x)
	require.NoError(t, err)
	got, err := estimators.PredictContext(context.Background(), r, x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, 1e-9)

	stopped, stop := context.WithCancel(context.Background())
	stop()
	_, err = estimators.PredictContext(stopped, r, x)
	assert.True(t, errors.Is(err, context.Canceled))
	_, err = estimators.PredictContext[float64](context.Background(), nil, x)
	assert.ErrorIs(t, err, estimators.ErrParam)
}
