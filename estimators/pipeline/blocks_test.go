package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// longRows returns rows with a category, some gaps and a long tail, together with targets and weights.
func longRows(n int) (x *mat.Dense, y []float64, w []float64) {
	rng := rand.New(rand.NewPCG(11, 0))
	x, y, w = mat.NewDense(n, 4, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		a, tail, kind := rng.NormFloat64(), math.Exp(rng.NormFloat64()), float64(rng.IntN(3))
		x.SetRow(i, []float64{1000 * a, tail, kind, rng.Float64()})
		y[i], w[i] = math.Sin(2*a)+kind-math.Log(tail)+.1*rng.NormFloat64(), 1+rng.Float64()
		if rng.IntN(10) == 0 {
			x.Set(i, 3, math.NaN())
		}
	}
	return x, y, w
}

// inBlocks yields blocks of rows that share their memory.
func inBlocks[Y float64 | int](x *mat.Dense, y []Y, w []float64, size int) iter.Seq2[streaming.Block[Y], error] {
	return func(yield func(streaming.Block[Y], error) bool) {
		var rows mat.Dense
		n, d := x.Dims()
		for i := 0; i < n; i += size {
			to := min(i+size, n)
			rows.Reset()
			rows.CloneFrom(x.Slice(i, to, 0, d))
			b := streaming.Block[Y]{X: &rows, Y: y[i:to]}
			if w != nil {
				b.Weights = w[i:to]
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// streamingPipeline returns a pipeline whose steps are the same whether they are fitted to a stream or to a matrix.
func streamingPipeline(final *falkon.Regressor) *pipeline.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{
		&columnwise.Imputer{Statistic: columnwise.Median, Indicators: true},
		&columnwise.OneHot{Columns: []int{2}},
		&pipeline.Transformer{Steps: []transformers.Transformer{&columnwise.Winsorizer{}, &scalers.StandardScaler{}}},
	}, Final: final}
}

func bytesOf(t *testing.T, v any) []byte {
	data, err := v.(interface{ MarshalBinary() ([]byte, error) }).MarshalBinary()
	require.NoError(t, err)
	return data
}

// A pipeline fitted to a stream is bit-identical to one fitted to the rows in memory, for blocks of any size.
func TestFitBlocksIsFit(t *testing.T) {
	x, y, w := longRows(12_000)
	for _, solver := range []falkon.Solver{falkon.Direct, falkon.ConjugateGradients} {
		want := streamingPipeline(&falkon.Regressor{Components: 30, Solver: solver, Ridge: .1})
		require.NoError(t, want.FitWeighted(ctx, x, y, w))
		for _, size := range []int{999, 5000, 12_000} {
			got := estimators.Clone(want)
			require.NoError(t, got.FitBlocks(ctx, inBlocks(x, y, w, size)))
			assert.True(t, bytes.Equal(bytesOf(t, want), bytesOf(t, got)), "%v, %d", solver, size)
		}
	}
	labels := make([]int, len(y))
	for i, v := range y {
		if v > 1 {
			labels[i] = 5
		}
	}
	want := &pipeline.Classifier{Steps: streamingPipeline(nil).Steps, Final: &falkon.Classifier{Components: 30, Ridge: .1, Balanced: true}}
	require.NoError(t, want.Fit(ctx, x, labels))
	got := estimators.Clone(want)
	require.NoError(t, got.FitBlocks(ctx, inBlocks(x, labels, nil, 777)))
	assert.True(t, bytes.Equal(bytesOf(t, want), bytesOf(t, got)))
	assert.Equal(t, []int{0, 5}, got.Classes())

	none := &pipeline.Regressor{Final: &falkon.Regressor{Components: 30}}
	filled := x.Slice(0, 12_000, 0, 3).(*mat.Dense)
	require.NoError(t, none.FitBlocks(ctx, inBlocks(filled, y, nil, 777)))
	whole := estimators.Clone(none)
	require.NoError(t, whole.Fit(ctx, filled, y))
	assert.True(t, bytes.Equal(bytesOf(t, whole), bytesOf(t, none)))
}

var errReading = errors.New("the query broke off")

// An error in a stream names the part and the row of the stream, and leaves the previous fit unchanged.
func TestFitBlocksErrors(t *testing.T) {
	x, y, _ := longRows(9000)
	p := streamingPipeline(&falkon.Regressor{Components: 20, Ridge: .1})
	require.NoError(t, p.Fit(ctx, x, y))
	before := bytesOf(t, p)
	with := func(change func(x *mat.Dense, y []float64)) iter.Seq2[streaming.Block[float64], error] {
		x, y := mat.DenseCopyOf(x), append([]float64{}, y...)
		change(x, y)
		return inBlocks(x, y, nil, 2000)
	}
	one := func(b streaming.Block[float64]) iter.Seq2[streaming.Block[float64], error] {
		return func(yield func(streaming.Block[float64], error) bool) { yield(b, nil) }
	}
	short := x.Slice(0, 5, 0, 4).(*mat.Dense)
	for name, c := range map[string]struct {
		blocks iter.Seq2[streaming.Block[float64], error]
		kind   error
		text   string
	}{
		"nil":              {nil, estimators.ErrParam, "pipeline: Regressor: blocks"},
		"no blocks":        {func(func(streaming.Block[float64], error) bool) {}, estimators.ErrShape, "step 0 (Imputer)"},
		"an infinity":      {with(func(x *mat.Dense, _ []float64) { x.Set(7010, 1, math.Inf(1)) }), estimators.ErrNotFinite, "step 0 (Imputer): columnwise: Imputer: the block after 6000 rows: x[7010,1] is +Inf"},
		"a gap that stays": {with(func(x *mat.Dense, _ []float64) { x.Set(0, 2, math.NaN()) }), nil, ""},
		"an infinite y":    {with(func(_ *mat.Dense, y []float64) { y[7010] = math.Inf(-1) }), estimators.ErrNotFinite, "final (falkon.Regressor): falkon: Regressor: the block after 6000 rows: y[7010] is -Inf"},
		"a short y":        {one(streaming.Block[float64]{X: short, Y: y[:4]}), estimators.ErrShape, "y has 4 entries"},
		"too many weights": {one(streaming.Block[float64]{X: short, Y: y[:5], Weights: y[:6]}), estimators.ErrShape, "weights has 6 entries"},
		"weights below 0":  {one(streaming.Block[float64]{X: short, Y: y[:5], Weights: []float64{1, 1, 1, 1, -1}}), estimators.ErrParam, "weights = -1"},
		"a nil x":          {one(streaming.Block[float64]{Y: y[:5]}), estimators.ErrShape, "the block after 0 rows"},
		"an error": {func(yield func(streaming.Block[float64], error) bool) {
			yield(streaming.Block[float64]{}, errReading)
		}, errReading, "the block after 0 rows"},
		"a narrower block": {func(yield func(streaming.Block[float64], error) bool) {
			_ = yield(streaming.Block[float64]{X: short, Y: y[:5]}, nil) && yield(streaming.Block[float64]{X: short.Slice(0, 5, 0, 3).(*mat.Dense), Y: y[:5]}, nil)
		}, estimators.ErrShape, "after 5 rows: x has 3 columns"},
		"rows that changed": {changing(x, y), estimators.ErrParam, "changed between two passes"},
	} {
		err := p.FitBlocks(ctx, c.blocks)
		if c.kind == nil {
			require.NoError(t, err, name)
			require.NoError(t, p.UnmarshalBinary(before))
			continue
		}
		assert.ErrorIs(t, err, c.kind, name)
		assert.ErrorContains(t, err, c.text, name)
		assert.True(t, bytes.Equal(before, bytesOf(t, p)), name)
	}

	// The error also names the row if only a step makes a value infinite.
	far := mat.NewDense(3000, 1, nil)
	for i := range 3000 {
		far.Set(i, 0, 1e-300*float64(i%2))
	}
	steps := &pipeline.Transformer{Steps: []transformers.Transformer{&scalers.StandardScaler{}, &scalers.RMSScaler{}}}
	times := 0
	err := steps.FitBlocks(ctx, func(yield func(streaming.Block[streaming.None], error) bool) {
		times++
		if times > 2 { // the third pass, in which the second step is fitted
			far = mat.DenseCopyOf(far)
			far.Set(2345, 0, 1e300)
		}
		_ = yield(streaming.Rows(far.Slice(0, 2000, 0, 1).(*mat.Dense)), nil) && yield(streaming.Rows(far.Slice(2000, 3000, 0, 1).(*mat.Dense)), nil)
	})
	assert.ErrorContains(t, err, "step 0 (StandardScaler): scalers: StandardScaler: result[2345,0] is +Inf")

	for _, final := range []estimators.Regressor{&lssvm.Regressor{}, &falkon.Regressor{}} {
		q := &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.Nystroem{}}, Final: final}
		assert.ErrorIs(t, q.FitBlocks(ctx, inBlocks(x, y, nil, 2000)), errors.ErrUnsupported)
	}
	summing := &pipeline.Regressor{Final: &ridge.Regressor{}}
	err = summing.FitBlocks(ctx, inBlocks(x, y, nil, 2000))
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "use NewStages and FitStages", "it names the alternative")
	assert.ErrorIs(t, (&pipeline.Regressor{}).FitBlocks(ctx, inBlocks(x, y, nil, 2000)), estimators.ErrParam)
}

// changing yields rows, one of which is different in the seventh pass, the second of the third step.
func changing(x *mat.Dense, y []float64) iter.Seq2[streaming.Block[float64], error] {
	times := 0
	return func(yield func(streaming.Block[float64], error) bool) {
		if times++; times == 7 {
			x = mat.DenseCopyOf(x)
			x.Set(1234, 1, 77)
		}
		inBlocks(x, y, nil, 2000)(yield)
	}
}

// counted is a context that is cancelled after a number of checks.
type counted struct {
	context.Context
	left *atomic.Int64
}

func (c counted) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// FitBlocks stops at any check at which it is cancelled, also within a large block. If conjugate gradients have begun, the fit can
// be resumed from the stream, and results in the same model as an uninterrupted fit.
func TestFitBlocksCancelledAndResumed(t *testing.T) {
	x, y, _ := longRows(10_000)
	build := func() *pipeline.Regressor {
		return streamingPipeline(&falkon.Regressor{Components: 30, Solver: falkon.ConjugateGradients, Ridge: 1e-3, Tolerance: 1e-7, Workers: 1})
	}
	want := build()
	look := &atomic.Int64{}
	look.Store(math.MaxInt64)
	require.NoError(t, want.FitBlocks(counted{ctx, look}, inBlocks(x, y, nil, 10_000)))
	looks := math.MaxInt64 - look.Load()
	assert.Greater(t, looks, int64(300))
	resumed := 0
	for part := range int64(7) {
		look := &atomic.Int64{}
		look.Store(part * looks / 7)
		p := build()
		var last *falkon.State
		p.Final.(*falkon.Regressor).Checkpoint = func(s *falkon.State) { last = s }
		require.ErrorIs(t, p.FitBlocks(counted{ctx, look}, inBlocks(x, y, nil, 10_000)), context.Canceled, "part %d", part)
		assert.GreaterOrEqual(t, look.Load(), int64(-60), "it looked on after it was cancelled")
		if last == nil {
			continue
		}
		resumed++
		final := p.Final.(*falkon.Regressor)
		final.Checkpoint, final.Resume = nil, last
		require.NoError(t, p.FitBlocks(ctx, inBlocks(x, y, nil, 3000)))
		got, whole := p.FittedFinal().(*falkon.Regressor), want.FittedFinal().(*falkon.Regressor)
		assert.Equal(t, whole.Coefficients(), got.Coefficients(), "resumed after %d iterations", last.Iteration)
		assert.Less(t, got.Details().Passes, whole.Details().Passes)
	}
	assert.GreaterOrEqual(t, resumed, 2)
}
