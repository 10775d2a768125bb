package transformers_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// blockFitters lists all transformers that fit from blocks, with their settings. It also holds how often each of them reads a
// stream that is too long for a sketch to hold completely.
var blockFitters = []struct {
	name   string
	passes int
	gaps   bool
	make   func(workers int) transformers.Transformer
}{
	{"StandardScaler", 2, false, func(int) transformers.Transformer { return &scalers.StandardScaler{Clip: true} }},
	{"RMSScaler", 1, false, func(int) transformers.Transformer { return &scalers.RMSScaler{} }},
	{"MinMaxScaler", 1, false, func(int) transformers.Transformer { return &scalers.MinMaxScaler{Low: -1, High: 3} }},
	{"UnitRows", 1, false, func(int) transformers.Transformer { return &scalers.UnitRows{} }},
	{"Imputer Mean", 1, true, func(int) transformers.Transformer { return &columnwise.Imputer{Indicators: true} }},
	{"Imputer Median", 2, true, func(int) transformers.Transformer { return &columnwise.Imputer{Statistic: columnwise.Median} }},
	{"Imputer MostFrequent", 1, true, func(int) transformers.Transformer {
		return &columnwise.Imputer{Statistic: columnwise.MostFrequent, Indicators: true}
	}},
	{"Imputer Constant", 1, true, func(int) transformers.Transformer {
		return &columnwise.Imputer{Statistic: columnwise.Constant, Value: -1, Indicators: true}
	}},
	{"OneHot", 1, true, func(int) transformers.Transformer {
		return &columnwise.OneHot{Columns: []int{3, 4}, Gaps: true, Drop: columnwise.DropBinary}
	}},
	{"PCA", 1, false, func(w int) transformers.Transformer { return &pca.PCA{Workers: w} }},
	{"Winsorizer", 2, true, func(w int) transformers.Transformer { return &columnwise.Winsorizer{Gaps: true, Workers: w} }},
	{"Winsorizer with one bound", 2, true, func(w int) transformers.Transformer {
		return &columnwise.Winsorizer{Lower: .5, NoUpper: true, Gaps: true, Workers: w}
	}},
	{"Winsorizer to the end", 2, true, func(w int) transformers.Transformer { return &columnwise.Winsorizer{Upper: 1, Gaps: true, Workers: w} }},
	{"PowerTransformer", 4, true, func(w int) transformers.Transformer { return &columnwise.PowerTransformer{Gaps: true, Workers: w} }},
	{"QuantileTransformer", 1, true, func(w int) transformers.Transformer { return &columnwise.QuantileTransformer{Gaps: true, Workers: w} }},
}

func learnt(t *testing.T, tr transformers.Transformer) []byte {
	data, err := tr.(interface{ MarshalBinary() ([]byte, error) }).MarshalBinary()
	require.NoError(t, err)
	return data
}

// The result of FitBlocks is bit-identical to that of Fit, for any blocks and workers. With few rows, this holds for every
// transformer, and with many rows for those that are exact.
func TestFitBlocksIsFit(t *testing.T) {
	sketched := []string{"PowerTransformer", "QuantileTransformer"}
	for _, n := range []int{1, 2, 5, 900, 20_000} {
		for _, c := range blockFitters {
			x := maptest.MixedRows(n, c.gaps)
			if c.name == "OneHot" { // only OneHot has gaps, because it can encode them
				x = x.Slice(0, n, 0, 5).(*mat.Dense)
			}
			want := c.make(1)
			require.NoError(t, want.Fit(context.Background(), x))
			var first []byte
			for _, size := range []int{7, 6000, n} {
				times := 0
				got := c.make(1 + size%3)
				require.NoError(t, got.(streaming.BlockFitter[streaming.None]).FitBlocks(context.Background(), maptest.InBlocks(x, size, &times)))
				if first == nil {
					first = learnt(t, got)
				}
				assert.True(t, bytes.Equal(first, learnt(t, got)), "%s of %d rows, %d at a time", c.name, n, size)
				if n > columnstats.SketchBuffer {
					assert.Equal(t, c.passes, times, c.name)
				}
			}
			if n > columnstats.SketchBuffer && slices.Contains(sketched, c.name) {
				continue
			}
			if c.name == "PowerTransformer" { // the terms of its likelihood are added in another order
				got := &columnwise.PowerTransformer{}
				require.NoError(t, got.UnmarshalBinary(first))
				for j, lambda := range want.(*columnwise.PowerTransformer).Lambdas() {
					assert.InDelta(t, lambda, got.Lambdas()[j], 1e-7*max(10, math.Abs(lambda)))
				}
				continue
			}
			assert.True(t, bytes.Equal(learnt(t, want), first), "%s of %d rows", c.name, n)
		}
	}
}

// Errors state the row of the stream, and the earlier model is kept.
func TestFitBlocksErrors(t *testing.T) {
	errReading := errors.New("the disk is gone")
	for _, c := range blockFitters {
		t.Run(c.name, func(t *testing.T) {
			tr := c.make(2)
			b := tr.(streaming.BlockFitter[streaming.None])
			x := maptest.MixedRows(12_000, false)
			require.NoError(t, tr.Fit(context.Background(), x.Slice(0, 50, 0, 8)))
			before := learnt(t, tr)

			assert.ErrorIs(t, b.FitBlocks(context.Background(), nil), fault.ErrParam)
			assert.ErrorIs(t, b.FitBlocks(context.Background(), func(func(streaming.Block[streaming.None], error) bool) {}), fault.ErrShape)
			then := func(block *mat.Dense, err error) iter.Seq2[streaming.Block[streaming.None], error] {
				return func(yield func(streaming.Block[streaming.None], error) bool) {
					if yield(streaming.Rows(x), nil) {
						yield(streaming.Rows(block), err)
					}
				}
			}
			assert.ErrorIs(t, b.FitBlocks(context.Background(), then(nil, errReading)), errReading)
			for _, block := range []*mat.Dense{nil, {}, mat.NewDense(2, 7, nil)} {
				err := b.FitBlocks(context.Background(), then(block, nil))
				assert.ErrorIs(t, err, fault.ErrShape)
				assert.ErrorContains(t, err, "the block after 12000 rows")
			}
			bad := mat.DenseCopyOf(x.Slice(0, 10_000, 0, 8))
			bad.Set(9000, 2, math.Inf(1))
			err := b.FitBlocks(context.Background(), then(bad, nil))
			var place *fault.NotFiniteError
			require.ErrorAs(t, err, &place)
			assert.Equal(t, [2]int{21_000, 2}, [2]int{place.Row, place.Col})
			assert.Contains(t, err.Error(), "the block after 12000 rows: x[21000,2] is +Inf")
			assert.True(t, bytes.Equal(before, learnt(t, tr)))
		})
	}
}

// If a stream is longer, shorter or changed in a single value when it is read again, FitBlocks returns an error.
func TestFitBlocksChanged(t *testing.T) {
	x := maptest.MixedRows(9000, false)
	other := mat.DenseCopyOf(x)
	other.Set(8765, 1, 3)
	for _, c := range blockFitters {
		if c.passes == 1 {
			continue
		}
		for _, second := range []*mat.Dense{other, x.Slice(0, 8999, 0, 8).(*mat.Dense), maptest.MixedRows(9001, false)} {
			times := 0
			err := c.make(2).(streaming.BlockFitter[streaming.None]).FitBlocks(context.Background(), func(yield func(streaming.Block[streaming.None], error) bool) {
				rows := x
				if times > 0 {
					rows = second
				}
				maptest.InBlocks(rows, 5000, &times)(yield)
			})
			assert.ErrorIs(t, err, fault.ErrParam, c.name)
			assert.ErrorContains(t, err, "changed between two passes", c.name)
		}
	}
}

// counted is a context that is cancelled after a number of checks.
type counted struct {
	context.Context
	left *int
}

func (c counted) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Whenever the context is cancelled, FitBlocks soon returns its error: within a block of 40 000 rows it checks the context ten
// times.
func TestFitBlocksCancelled(t *testing.T) {
	x := maptest.MixedRows(40_000, false)
	x.Apply(func(_, _ int, v float64) float64 { return float64(float32(math.Mod(v, 64))) }, x)
	for _, c := range blockFitters {
		tr := c.make(1)
		whole := math.MaxInt
		times := 0
		require.NoError(t, tr.(streaming.BlockFitter[streaming.None]).FitBlocks(counted{context.Background(), &whole}, maptest.InBlocks(x, 40_000, &times)), c.name)
		looks := math.MaxInt - whole
		assert.GreaterOrEqual(t, looks, 10*times, c.name)
		before := learnt(t, tr)
		for _, after := range []int{0, 1, looks / 2, looks - 1} {
			left := after
			assert.ErrorIs(t, tr.(streaming.BlockFitter[streaming.None]).FitBlocks(counted{context.Background(), &left}, maptest.InBlocks(x, 40_000, &times)), context.Canceled, "%s after %d looks", c.name, after)
			assert.True(t, bytes.Equal(before, learnt(t, tr)))
		}
	}
}

// If there are too many categories, or if a column has no frequent value, FitBlocks returns an error while it reads the stream.
func TestFitBlocksOfTooManyValues(t *testing.T) {
	n := columnstats.MostCounted + 5
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i*7919%n))
	}
	times := 0
	err := (&columnwise.OneHot{}).FitBlocks(context.Background(), maptest.InBlocks(x, 5000, &times))
	assert.ErrorIs(t, err, fault.ErrTooLarge)
	assert.ErrorContains(t, err, "column 0 has more than 1000 levels")
	err = (&columnwise.Imputer{Statistic: columnwise.MostFrequent}).FitBlocks(context.Background(), maptest.InBlocks(x, 5000, &times))
	assert.ErrorIs(t, err, fault.ErrTooLarge)
	assert.ErrorContains(t, err, "column 0 has more than 65536 values")

	// Two values are equally frequent and a little more frequent than all others. The smaller one is chosen.
	for _, i := range []int{100, 4000, n - 1} {
		x.Set(i, 0, 17)
		x.Set(i-1, 0, 16)
	}
	p := &columnwise.Imputer{Statistic: columnwise.MostFrequent}
	require.NoError(t, p.FitBlocks(context.Background(), maptest.InBlocks(x, 5000, &times)))
	assert.Equal(t, []float64{16}, p.Values())
}

// The quantiles of a long stream are within the documented distance of the exact ranks.
func TestFitBlocksQuantiles(t *testing.T) {
	const n = 300_000
	rng := rand.New(rand.NewPCG(3, 0))
	x := mat.NewDense(n, 4, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), float64(i), float64(n - i), float64(rng.IntN(5))}) // rising, falling, ties
	}
	bound := n * (math.Log2(float64(n)/columnstats.SketchBuffer) + 3) / (2 * columnstats.SketchBuffer)
	assert.Less(t, bound/n, .00051)
	times := 0
	q := &columnwise.QuantileTransformer{}
	require.NoError(t, q.FitBlocks(context.Background(), maptest.InBlocks(x, 10_000, &times)))
	far := 0.0
	for j := range 4 {
		column := mat.Col(nil, j, x)
		slices.Sort(column)
		got := q.ColumnQuantiles().RawRowView(j)
		require.Len(t, got, 1000)
		assert.Equal(t, column[0], got[0])
		assert.Equal(t, column[n-1], got[999])
		for k, v := range got {
			rank := float64(k) / 999 * (n - 1)
			below, _ := slices.BinarySearch(column, v)
			above, _ := slices.BinarySearchFunc(column, v, func(a, v float64) int {
				if a <= v {
					return -1
				}
				return 1
			})
			off := max(0, float64(below)-rank, rank-float64(above))
			far = max(far, off)
			require.LessOrEqual(t, off, bound+1, "column %d, quantile %d", j, k)
		}
	}
	t.Logf("at most %.0f ranks off, bound %.0f", far, bound)
}
