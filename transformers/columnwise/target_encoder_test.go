package columnwise

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// The targets of the three levels are {1, 3}, {2, 6} and {10}. Their means, 2, 4 and 10, are shrunk towards the overall mean,
// 4.4.
func TestTargetEncoder(t *testing.T) {
	x := mat.NewDense(5, 2, []float64{7, 1, 7, 2, nan, 3, nan, 4, -1, 5})
	y := mat.NewDense(5, 1, []float64{1, 3, 2, 6, 10})
	at := mat.NewDense(4, 2, []float64{7, 1, nan, 2, -1, 3, 8, 4})
	encode := func(e *TargetEncoder) []float64 {
		t.Helper()
		_, err := e.FitTransformTargets(context.Background(), x, y)
		require.NoError(t, err)
		z, err := e.Transform(at)
		require.NoError(t, err)
		assert.Equal(t, []float64{1, 2, 3, 4}, mat.Col(nil, 1, z), "not encoded")
		return mat.Col(nil, 0, z)
	}
	assert.InDeltaSlice(t, []float64{(2*2 + 2*4.4) / 4, (2*4 + 2*4.4) / 4, (10 + 2*4.4) / 3, 4.4},
		encode(&TargetEncoder{Columns: []int{0}, Smoothing: 2}), 1e-14)
	// The sums of squares are 10 within and 43.2 between levels. The variances are 10/2 and (43.2 - 2*5)/(5 - 9/5).
	m := 5 / (33.2 / 3.2)
	assert.InDeltaSlice(t, []float64{4.4 - 2.4*2/(2+m), 4.4 - .4*2/(2+m), 4.4 + 5.6/(1+m), 4.4}, encode(&TargetEncoder{Columns: []int{0}}), 1e-14)
}

// The encoding of a training row does not depend on the row's own target.
func TestTargetEncoderLeavesFoldsOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	n := 60
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		x.Set(i, 0, float64(rng.IntN(15)))
		y.SetRow(i, []float64{rng.NormFloat64(), 5 + rng.NormFloat64()})
	}
	for _, e := range []*TargetEncoder{{}, {Folds: 2, Seed: 3}, {Folds: 500}, {Smoothing: 1}} {
		first, err := e.FitTransformTargets(context.Background(), x, y)
		require.NoError(t, err)
		require.Equal(t, 2, first.RawMatrix().Cols)
		changed := 0
		for i := range n {
			other := mat.DenseCopyOf(y)
			other.Set(i, 0, 100)
			second, err := e.FitTransformTargets(context.Background(), x, other)
			require.NoError(t, err)
			assert.Equal(t, first.RawRowView(i), second.RawRowView(i))
			assert.Equal(t, mat.Col(nil, 1, first), mat.Col(nil, 1, second), "another target")
			if !mat.Equal(first, second) {
				changed++
			}
		}
		assert.Equal(t, n, changed)
	}
}

// If a level is unrelated to the target, so is its encoding in the rows to which an estimator is fitted.
func TestTargetEncoderOfNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	n := 2000
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(rng.IntN(500)))
		y.Set(i, 0, rng.NormFloat64())
	}
	e := &TargetEncoder{Smoothing: .01}
	z, err := e.FitTransformTargets(context.Background(), x, y)
	require.NoError(t, err)
	correlation := func(z *mat.Dense) float64 { return stat.Correlation(mat.Col(nil, 0, z), mat.Col(nil, 0, y), nil) }
	assert.InDelta(t, 0, correlation(z), .07)
	z, err = e.Transform(x)
	require.NoError(t, err)
	assert.Greater(t, correlation(z), .4, "with their own targets in them")

	var none TargetEncoder // the smoothing depends on chance alone
	_, err = none.FitTransformTargets(context.Background(), x, y)
	require.NoError(t, err)
	z, err = none.Transform(x)
	require.NoError(t, err)
	assert.Less(t, stat.StdDev(mat.Col(nil, 0, z), nil), .15)
}

func TestTargetEncoderErrors(t *testing.T) {
	x, y := mat.NewDense(3, 2, []float64{1, 1, 2, 2, 1, 3}), mat.NewDense(3, 1, []float64{1, 2, 3})
	ctx := context.Background()
	fit := func(e *TargetEncoder, x, y mat.Matrix) error {
		_, err := e.FitTransformTargets(ctx, x, y)
		return err
	}
	err := (&TargetEncoder{}).Fit(ctx, x)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "a step of a pipeline")
	assert.ErrorIs(t, fit(&TargetEncoder{Columns: []int{2}}, x, y), fault.ErrParam)
	assert.ErrorIs(t, fit(&TargetEncoder{Folds: 1}, x, y), fault.ErrParam)
	assert.ErrorIs(t, fit(&TargetEncoder{Smoothing: -1}, x, y), fault.ErrParam)
	assert.ErrorIs(t, fit(&TargetEncoder{}, x, nil), fault.ErrShape)
	assert.ErrorIs(t, fit(&TargetEncoder{}, x, mat.NewDense(2, 1, nil)), fault.ErrShape)
	assert.ErrorIs(t, fit(&TargetEncoder{}, x, mat.NewDense(3, 1, []float64{1, nan, 2})), fault.ErrNotFinite)
	assert.ErrorIs(t, fit(&TargetEncoder{Columns: []int{0}}, mat.NewDense(1, 2, []float64{1, nan}), mat.NewDense(1, 1, nil)), fault.ErrNotFinite)

	// One row, and the largest possible targets, can be encoded.
	one := &TargetEncoder{}
	require.NoError(t, fit(one, mat.NewDense(1, 1, []float64{4}), mat.NewDense(1, 1, []float64{2})))
	z, err := one.Transform(mat.NewDense(2, 1, []float64{4, 5}))
	require.NoError(t, err)
	assert.Equal(t, []float64{2, 2}, mat.Col(nil, 0, z))
	require.NoError(t, fit(one, x, mat.NewDense(3, 1, []float64{-math.MaxFloat64, math.MaxFloat64, math.MaxFloat64})))
	z, err = one.Transform(x)
	require.NoError(t, err)
	assert.Less(t, math.Abs(z.At(0, 0))/math.MaxFloat64, 1.)
	assert.Equal(t, z.At(0, 0), z.At(2, 0), "rows 0 and 2 have the same level")
	assert.False(t, math.IsInf(z.At(1, 1), 0))
}
