package columnwise_test

import (
	"context"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// The entries of the sparse result are those of the dense result. This also holds for copied columns, unknown levels and gaps.
func TestSparseOneHot(t *testing.T) {
	ctx := context.Background()
	x := mat.NewDense(4, 3, []float64{1, 2.5, 7, 2, 0, 7, math.NaN(), -1, 8, 1, 3, 9})
	o := &columnwise.OneHot{Columns: []int{0, 2}, Gaps: true, Drop: columnwise.DropFirst}
	_, err := o.TransformSparse(x)
	assert.ErrorIs(t, err, fault.ErrNotFitted)
	require.NoError(t, o.Fit(ctx, x))
	fresh := mat.NewDense(2, 3, []float64{5, 1, 8, math.NaN(), 0, 99})
	for _, rows := range []mat.Matrix{x, fresh} {
		want, err := o.Transform(rows)
		require.NoError(t, err)
		got, err := o.TransformSparse(rows)
		require.NoError(t, err)
		assert.True(t, mat.Equal(want, got))
	}
	_, err = o.TransformSparse(mat.NewDense(1, 2, nil))
	assert.ErrorIs(t, err, fault.ErrShape)
	_, err = o.TransformSparse(mat.NewDense(1, 3, []float64{1, math.NaN(), 7}))
	assert.ErrorIs(t, err, fault.ErrNotFinite)
	_, ok := transformers.KeepSparse(o, x)
	assert.False(t, ok, "dense rows stay dense if Sparse is not set")
}

// A pipeline for 20 000 rows with a column of 3000 levels never allocates the dense matrix, which would take 480 MB.
func TestManyLevels(t *testing.T) {
	const n, levels = 20_000, 3000
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range y {
		level, price := i*i%levels, float64(i%7)
		x.SetRow(i, []float64{float64(level), price})
		y[i] = 5*math.Sin(float64(level)) - price
	}
	model := &pipeline.Regressor{
		Steps: []transformers.Transformer{&columnwise.OneHot{Columns: []int{0}, MaxLevels: levels, Sparse: true}},
		Final: &ridge.Regressor{},
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, model.Fit(context.Background(), x, y))
	p, err := model.Predict(x)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20))
	for i, v := range y {
		require.InDelta(t, v, p[i], .5)
	}
	few := make([]float64, 3)
	require.NoError(t, model.PredictTo(few, x.Slice(0, 3, 0, 2)))
	assert.InDeltaSlice(t, p[:3], few, 1e-10)
}
