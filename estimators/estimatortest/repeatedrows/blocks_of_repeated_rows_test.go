package repeatedrows_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
)

// Fits that keep no rows count each row that they receive. If the ridge is set, they give the same model as Fit. If they choose the
// ridge and each row is repeated four times, the ridge is smaller relative to the weights. The ridge that Fit chooses does not
// change.
func TestBlocksAndStatisticsCountRows(t *testing.T) {
	const n = 300
	ctx := context.Background()
	x, y := wave(n, 15)
	probe, _ := wave(20, 16)
	x4, y4 := repeat(x, y, slices.Repeat([]int{4}, n), 1)
	blocks := func(x *mat.Dense, y []float64) iter.Seq2[streaming.Block[float64], error] {
		return func(yield func(streaming.Block[float64], error) bool) {
			yield(streaming.Block[float64]{X: x, Y: y}, nil)
		}
	}
	predict := func(r estimators.Regressor) []float64 {
		p, err := r.Predict(probe)
		require.NoError(t, err)
		return p
	}

	kernel := kernels.RBF{Gamma: .5}
	landmarks := x.Slice(0, 100, 0, 2).(*mat.Dense)
	whole, parts := &falkon.Regressor{Kernel: kernel, Landmarks: landmarks, Ridge: 1}, &falkon.Regressor{Kernel: kernel, Landmarks: landmarks, Ridge: 1}
	require.NoError(t, whole.Fit(ctx, x4, y4))
	require.NoError(t, parts.FitBlocks(ctx, blocks(x4, y4)))
	assert.InDeltaSlice(t, predict(whole), predict(parts), 1e-6)
	chosen := func(x *mat.Dense, y []float64, byBlocks bool) float64 {
		r := &falkon.Regressor{Kernel: kernel, Landmarks: landmarks}
		if byBlocks {
			require.NoError(t, r.FitBlocks(ctx, blocks(x, y)))
		} else {
			require.NoError(t, r.Fit(ctx, x, y))
		}
		return r.Details().Ridge
	}
	assert.InEpsilon(t, chosen(x, y, false), chosen(x, y, true), 1e-6)
	assert.InEpsilon(t, 4*chosen(x, y, false), chosen(x4, y4, false), 1e-6, "the same, for the sum of four losses")
	assert.Less(t, chosen(x4, y4, true), 2*chosen(x, y, true))

	sums := func(r *ridge.Regressor, x *mat.Dense, y []float64) *ridge.Regressor {
		s, err := r.NewStatistics()
		require.NoError(t, err)
		require.NoError(t, s.AddBlock(ctx, streaming.Block[float64]{X: x, Y: y}))
		require.NoError(t, r.FitStatistics(ctx, s))
		return r
	}
	given := &ridge.Regressor{Ridge: 3}
	require.NoError(t, given.Fit(ctx, x4, y4))
	assert.InDeltaSlice(t, predict(given), predict(sums(&ridge.Regressor{Ridge: 3}, x4, y4)), 1e-9)
	own, once := &ridge.Regressor{}, &ridge.Regressor{}
	require.NoError(t, own.Fit(ctx, x4, y4))
	require.NoError(t, once.Fit(ctx, x, y))
	assert.InEpsilon(t, 4*once.ChosenRidge(), own.ChosenRidge(), 1e-6)
	counted := sums(&ridge.Regressor{}, x4, y4).ChosenRidge() / sums(&ridge.Regressor{}, x, y).ChosenRidge()
	assert.Less(t, counted, 2.0, "each of four equal rows counts")
}
