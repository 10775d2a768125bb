package arrow

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// someShards returns shards of 700 rows in all three formats. The second one has no rows.
func someShards(t *testing.T) []Shard {
	return []Shard{
		inMemory("1.parquet", parquetBytes(t, numbered(t, 0, 200), numbered(t, 200, 100))),
		inMemory("2.parquet", parquetBytes(t, numbered(t, 0, 1).NewSlice(0, 0))),
		inMemory("3.arrow", ipcBytes(t, false, numbered(t, 300, 150), numbered(t, 450, 50))),
		given("4", numbered(t, 500, 200)),
	}
}

func scaledFalkon() *pipeline.Regressor {
	return &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}},
		Final: &falkon.Regressor{Kernel: kernels.RBF{Gamma: .5}, Ridge: 1e-3},
	}
}

// FitBlocks on shards gives bit-identical results to Fit on the same rows in memory.
func TestFitBlocksIsFit(t *testing.T) {
	shards := someShards(t)
	rows := Source(counted(checked(t), shards)...)
	all, err := rows.Table(ctx, &table.Options{Target: "y", Drop: []string{"c"}})
	require.NoError(t, err)
	require.Len(t, all.Targets, 700)
	s, err := rows.Learn(ctx, &table.Options{Target: "y", Drop: []string{"c"}})
	require.NoError(t, err)
	assert.Equal(t, all.Schema, s)
	inMemory, streamed := scaledFalkon(), scaledFalkon()
	require.NoError(t, inMemory.Fit(ctx, all.X, all.Targets))
	require.NoError(t, streamed.FitBlocks(ctx, table.Blocks[float64](ctx, rows, s, 64)))
	want, err := inMemory.Predict(all.X)
	require.NoError(t, err)
	got, err := streamed.Predict(all.X)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.NotEqual(t, got[0], got[1])

	var scaler scalers.StandardScaler
	require.NoError(t, scaler.FitBlocks(ctx, table.Blocks[streaming.None](ctx, rows, s, 64)))
	var fitted scalers.StandardScaler
	require.NoError(t, fitted.Fit(ctx, all.X))
	assert.Equal(t, fitted.Means(), scaler.Means())
}

// A pipeline that is fitted to blocks with categories, gaps and labels predicts the same classes as one fitted in memory.
func TestFitBlocksOfClasses(t *testing.T) {
	shard := inMemory("a.csv", []byte("x,color,label\n1,red,yes\n2,,no\n,blue,yes\n4,red,no\n1.5,blue,yes\n3,red,no\n2.5,blue,no\n0,red,yes\n"))
	all, err := Source(shard).Table(ctx, &table.Options{Target: "label"})
	require.NoError(t, err)
	model := func() *pipeline.Classifier {
		return &pipeline.Classifier{
			Steps: []transformers.Transformer{&columnwise.OneHot{Columns: []int{1}, Gaps: true}, &columnwise.Imputer{}},
			Final: &falkon.Classifier{Kernel: kernels.RBF{Gamma: .5}, Ridge: 1e-3},
		}
	}
	streamed, fitted := model(), model()
	// OneHot does not support gaps in other columns, so the gap in x is filled first.
	streamed.Steps[0], streamed.Steps[1] = &columnwise.Imputer{Statistic: columnwise.MostFrequent}, &columnwise.OneHot{Columns: []int{1}}
	fitted.Steps[0], fitted.Steps[1] = &columnwise.Imputer{Statistic: columnwise.MostFrequent}, &columnwise.OneHot{Columns: []int{1}}
	require.NoError(t, fitted.Fit(ctx, all.X, all.Labels))
	require.NoError(t, streamed.FitBlocks(ctx, table.Blocks[int](ctx, Source(shard), all.Schema, 3)))
	want, err := fitted.Predict(all.X)
	require.NoError(t, err)
	got, err := streamed.Predict(all.X)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, []int{0, 1}, streamed.Classes())
}

func TestPartialFitIsFit(t *testing.T) {
	shards := someShards(t)
	all, err := Source(shards...).Table(ctx, &table.Options{Target: "c", Drop: []string{"y"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"no", "yes"}, all.Schema.Classes())
	chunks, once := &eem.Classifier{Units: 20, Activation: featuremap.Tanh, Seed: 3, Labels: []int{0, 1}}, &eem.Classifier{Units: 20, Activation: featuremap.Tanh, Seed: 3, Labels: []int{0, 1}}
	blocks := 0
	for b, err := range table.Blocks[int](ctx, Source(shards...), all.Schema, 90) {
		require.NoError(t, err)
		require.NoError(t, chunks.PartialFit(ctx, b.X, b.Y))
		blocks++
	}
	assert.Equal(t, 8, blocks)
	require.NoError(t, once.Fit(ctx, all.X, all.Labels))
	want, err := once.PredictProba(all.X)
	require.NoError(t, err)
	got, err := chunks.PredictProba(all.X)
	require.NoError(t, err)
	var diff mat.Dense
	diff.Sub(want, got)
	assert.InDelta(t, 0, mat.Norm(&diff, math.Inf(1)), 1e-7)
}

// FitBlocks returns ErrParam if the rows change between two passes.
func TestRowsThatChangeBetweenPasses(t *testing.T) {
	a, b := numbered(t, 0, 100), numbered(t, 7, 100)
	s, err := learnt(t, &table.Options{Target: "y", Drop: []string{"c"}}, given("a", a))
	require.NoError(t, err)
	passes := 0
	stream := func(yield func(streaming.Block[float64], error) bool) {
		shard := given("a", a)
		if passes++; passes > 3 {
			shard = given("a", b)
		}
		table.Blocks[float64](ctx, Source(shard), s, 0)(yield)
	}
	assert.ErrorIs(t, scaledFalkon().FitBlocks(ctx, stream), estimators.ErrParam)
}
