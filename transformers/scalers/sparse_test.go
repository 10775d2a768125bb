package scalers_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// For sparse rows, a scaler returns sparse rows, with the same numbers as for their dense copy.
func TestSparseScalers(t *testing.T) {
	dense := mat.NewDense(4, 3, []float64{3, 0, 0, 0, 1e300, 0, -4, 1e300, 0, 0, 0, 0})
	x, err := sparse.From("x", dense)
	require.NoError(t, err)
	ctx := context.Background()
	for _, pair := range [][2]transformers.Transformer{
		{&scalers.RMSScaler{}, &scalers.RMSScaler{}}, {&scalers.UnitRows{}, &scalers.UnitRows{}},
	} {
		want, got := pair[0], pair[1]
		keeper, ok := transformers.KeepSparse(got, x)
		require.True(t, ok)
		_, err := keeper.TransformSparse(x)
		assert.ErrorIs(t, err, fault.ErrNotFitted)
		require.NoError(t, want.Fit(ctx, dense))
		require.NoError(t, got.Fit(ctx, x))
		z, err := want.Transform(dense)
		require.NoError(t, err)
		own, err := keeper.TransformSparse(x)
		require.NoError(t, err)
		assert.True(t, mat.Equal(z, own), "%T", got)
		_, err = keeper.TransformSparse(mat.NewBandDense(3, 4, 1, 1, nil))
		assert.ErrorIs(t, err, fault.ErrShape)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		assert.ErrorIs(t, got.Fit(ended, x), context.Canceled)
		assert.ErrorIs(t, got.Fit(ctx, bad{x}), fault.ErrNotFinite)
	}
	_, ok := transformers.KeepSparse(&scalers.RMSScaler{}, dense)
	assert.False(t, ok, "rows that are not sparse")
	_, ok = transformers.KeepSparse(&scalers.StandardScaler{}, x)
	assert.False(t, ok, "a scaler that centres")
	tiny := &scalers.RMSScaler{}
	require.NoError(t, tiny.Fit(ctx, mat.NewDense(1, 1, []float64{1e-300})))
	huge, err := sparse.NewRows(1, []int{0, 1}, []int{0}, []float64{1e300})
	require.NoError(t, err)
	_, err = tiny.TransformSparse(huge)
	assert.ErrorIs(t, err, fault.ErrNotFinite)
}

// bad has a NaN as an entry in each row.
type bad struct{ *sparse.Rows }

func (b bad) DoRowNonZero(i int, f func(i, j int, v float64)) { f(i, 0, math.NaN()) }
