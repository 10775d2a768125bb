package scalers

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

func TestMinMaxScalerDefinition(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 5, 2, 5, 5, 5})
	s := &MinMaxScaler{}
	assert.Equal(t, []float64{0, 0, 0.25, 0, 1, 0}, maptest.FitTransform(t, s, x).RawMatrix().Data, "a constant column goes to Low")
	assert.Equal(t, []float64{1, 5}, s.Min())
	assert.Equal(t, []float64{5, 5}, s.Max())

	s = &MinMaxScaler{Low: -1, High: 1}
	assert.Equal(t, []float64{-1, -1, -0.5, -1, 1, -1}, maptest.FitTransform(t, s, x).RawMatrix().Data)
	beyond := mat.NewDense(2, 2, []float64{-3, 5, 9, 5})
	z, err := s.Transform(beyond)
	require.NoError(t, err)
	assert.Equal(t, []float64{-3, -1, 3, -1}, z.RawMatrix().Data, "new rows are not clipped")
	s.Clip = true
	z, err = s.Transform(beyond)
	require.NoError(t, err)
	assert.Equal(t, -3.0, z.At(0, 0), "a field counts at the next Fit")
	maptest.FitTransform(t, s, x)
	z, err = s.Transform(beyond)
	require.NoError(t, err)
	assert.Equal(t, []float64{-1, -1, 1, -1}, z.RawMatrix().Data)
}

func TestMinMaxScalerErrors(t *testing.T) {
	for _, s := range []*MinMaxScaler{{Low: 1}, {Low: 2, High: 2}, {High: math.NaN()}, {Low: math.Inf(-1)}, {High: math.Inf(1)}} {
		err := s.Fit(context.Background(), maptest.Table)
		require.ErrorIs(t, err, fault.ErrParam)
		assert.ErrorContains(t, err, "scalers: MinMaxScaler: High = ")
	}
	s := &MinMaxScaler{}
	require.NoError(t, s.Fit(context.Background(), mat.NewDense(2, 1, []float64{0, math.SmallestNonzeroFloat64})))
	_, err := s.Transform(mat.NewDense(1, 1, []float64{1}))
	require.ErrorIs(t, err, fault.ErrNotFinite, "where 0·Inf would be NaN")
	assert.ErrorContains(t, err, "scalers: MinMaxScaler: result[0,0]")
}

// For any numbers, the ends of each column are mapped exactly to Low and High, and no training row is mapped beyond them.
func TestMinMaxScalerKeepsItsRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		finite := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)
		x := mat.NewDense(n, 1, rapid.SliceOfN(finite, n, n).Draw(t, "x"))
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		s := &MinMaxScaler{Low: low, High: low + rapid.Float64Range(1, 1e6).Draw(t, "width")}
		z := maptest.FitTransform(t, s, x)
		low, high, err := s.limits()
		require.NoError(t, err)
		tol := 1e-15 * (math.Abs(low) + math.Abs(high))
		for i := range n {
			v, w := x.At(i, 0), z.At(i, 0)
			assert.True(t, w >= low-tol && w <= high+tol, "%v", w)
			switch v {
			case s.Min()[0]:
				assert.Equal(t, low, w)
			case s.Max()[0]:
				assert.Equal(t, high, w)
			}
		}
	})
}
