package falkon

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/streaming"
)

// blocksOf yields the rows in blocks of the given size, and counts the passes in times.
func blocksOf[Y float64 | int](x *mat.Dense, y []Y, w []float64, size int, times *int) iter.Seq2[streaming.Block[Y], error] {
	return func(yield func(streaming.Block[Y], error) bool) {
		*times++
		buffer := &mat.Dense{}
		for i := 0; i < len(y); i += size {
			to := min(i+size, len(y))
			buffer.Reset()
			buffer.CloneFrom(rows.Window(x, i, to)) // reuses the memory of the previous block
			b := streaming.Block[Y]{X: buffer, Y: y[i:to]}
			if w != nil {
				b.Weights = w[i:to]
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// FitBlocks gives bit-identical models to Fit on the same rows in memory, whatever the sizes of the blocks.
func TestFitBlocksIsFit(t *testing.T) {
	x, y, _ := friedman(5000, 4, 1, 1)
	w := make([]float64, len(y))
	for i := range w {
		w[i] = 1 + float64(i%5)/3
	}
	labels := threeClasses(y)
	for _, size := range []int{7, 1000, 9000} {
		for _, solver := range []Solver{Direct, ConjugateGradients} {
			times := 0
			want := &Regressor{Components: 50, Solver: solver}
			got := estimators.Clone(want)
			require.NoError(t, want.FitWeighted(ctx, x, y, w))
			require.NoError(t, got.FitBlocks(ctx, blocksOf(x, y, w, size, &times)))
			assert.Equal(t, marshalled(t, want), marshalled(t, got))
			assert.Equal(t, got.Details().Passes+2, times)

			c := &Classifier{Components: 50, Solver: solver, Balanced: true, Ridge: .1}
			d := estimators.Clone(c)
			require.NoError(t, c.FitWeighted(ctx, x, labels, w))
			times = 0
			require.NoError(t, d.FitBlocks(ctx, blocksOf(x, labels, w, size, &times)))
			assert.Equal(t, marshalled(t, c), marshalled(t, d))
			assert.Equal(t, d.Details().Passes+3, times)
		}
	}
	c := &Classifier{Components: 20, Loss: LogisticLoss, Ridge: .1}
	d := estimators.Clone(c)
	two, times := make([]int, len(y)), 0
	for i, v := range y {
		if v > 14 {
			two[i] = 1
		}
	}
	require.NoError(t, c.Fit(ctx, x, two))
	require.NoError(t, d.FitBlocks(ctx, blocksOf(x, two, nil, 400, &times)))
	assert.Equal(t, marshalled(t, c), marshalled(t, d))
}

// If a stream has an error, the error of FitBlocks names the block, and no goroutine remains.
func TestFitBlocksErrors(t *testing.T) {
	x, y, _ := friedman(3000, 4, 1, 1)
	r := &Regressor{Components: 20}
	one := func(b streaming.Block[float64], err error) iter.Seq2[streaming.Block[float64], error] {
		return func(yield func(streaming.Block[float64], error) bool) {
			if yield(streaming.Block[float64]{X: rows.Window(x, 0, 9), Y: y[:9]}, nil) {
				yield(b, err)
			}
		}
	}
	assert.ErrorIs(t, r.FitBlocks(ctx, nil), estimators.ErrParam)
	assert.ErrorIs(t, r.FitBlocks(ctx, func(func(streaming.Block[float64], error) bool) {}), estimators.ErrShape)
	for want, b := range map[error]streaming.Block[float64]{
		estimators.ErrShape:     {X: mat.NewDense(1, 3, nil), Y: []float64{1}},
		estimators.ErrNotFinite: {X: rows.Window(x, 0, 1), Y: []float64{inf}},
		estimators.ErrParam:     {X: rows.Window(x, 0, 1), Y: []float64{1}, Weights: []float64{0}},
	} {
		err := r.FitBlocks(ctx, one(b, nil))
		assert.ErrorIs(t, err, want)
		assert.ErrorContains(t, err, "the block after 9 rows")
	}
	far := mat.DenseCopyOf(rows.Window(x, 0, 4))
	far.Set(2, 1, inf)
	assert.ErrorContains(t, r.FitBlocks(ctx, one(streaming.Block[float64]{X: far, Y: y[:4]}, nil)), "x[11,1] is +Inf")
	assert.ErrorContains(t, r.FitBlocks(ctx, one(streaming.Block[float64]{X: rows.Window(x, 0, 2), Y: []float64{1, inf}}, nil)), "y[10] is +Inf")
	assert.ErrorIs(t, r.FitBlocks(ctx, one(streaming.Block[float64]{}, nil)), estimators.ErrShape)
	assert.ErrorIs(t, r.FitBlocks(ctx, one(streaming.Block[float64]{}, errReading)), errReading)
	var panicked *estimators.PanicError
	require.ErrorAs(t, r.FitBlocks(ctx, func(func(streaming.Block[float64], error) bool) { panic("of the caller's") }), &panicked)
	assert.Equal(t, "of the caller's", panicked.Value)
	assert.ErrorIs(t, (&Classifier{}).FitBlocks(ctx, func(yield func(streaming.Block[int], error) bool) {
		yield(streaming.Block[int]{X: rows.Window(x, 0, 2), Y: []int{1, 1}}, nil)
	}), estimators.ErrShape)
	assert.Nil(t, r.m)

	// In a later pass, the rows change, or their number is larger or smaller.
	for _, change := range []func(){func() { x, y = rows.Window(x, 0, 2900), y[:2900] }, func() { x = mat.DenseCopyOf(x); x.Set(77, 1, 5) }, func() { x, y, _ = friedman(4000, 4, 1, 1) }} {
		times := 0
		changing := func(yield func(streaming.Block[float64], error) bool) {
			if times == 3 {
				change()
			}
			blocksOf(x, y, nil, 500, &times)(yield)
		}
		err := r.FitBlocks(ctx, changing)
		assert.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, "changed between two passes")
	}
}

// If a fit is cancelled, the goroutine that reads the stream ends.
func TestFitBlocksCancelled(t *testing.T) {
	x, y, _ := friedman(3000, 4, 1, 1)
	for _, at := range []int{1, 2, 3, 5} {
		stop, cancel := context.WithCancel(ctx)
		times := 0
		blocks := func(yield func(streaming.Block[float64], error) bool) {
			if times == at {
				cancel()
			}
			blocksOf(x, y, nil, 500, &times)(yield)
		}
		assert.ErrorIs(t, (&Regressor{Components: 20, Solver: ConjugateGradients}).FitBlocks(stop, blocks), context.Canceled)
		cancel()
	}
}
