package transformers_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// The results of scalers, encoders and maps are bit-identical for any parts in any order. They agree with those of Fit up to
// rounding, also for many rows.
func TestStatisticsToTheBit(t *testing.T) {
	x, ctx := maptest.FarRows(20_000), context.Background()
	for _, c := range []struct {
		build func() transformers.Transformer
		asFit float64 // tolerance of the comparison with Fit; 0: the results may differ
	}{
		{build: func() transformers.Transformer { return &scalers.StandardScaler{} }, asFit: 1e-9},
		{build: func() transformers.Transformer { return &scalers.RMSScaler{} }, asFit: 1e-9},
		{build: func() transformers.Transformer { return &scalers.MinMaxScaler{} }, asFit: 1e-9},
		{build: func() transformers.Transformer { return &columnwise.Imputer{} }, asFit: 1e-9},
		{build: func() transformers.Transformer { return &columnwise.Imputer{Statistic: columnwise.MostFrequent} }, asFit: 1e-9},
		{build: func() transformers.Transformer { return &columnwise.OneHot{Columns: []int{2}} }, asFit: 1e-9},
		{build: func() transformers.Transformer {
			return &featuremap.RandomFourier{Kernel: kernels.RBF{Gamma: .1}, Components: 4}
		}, asFit: 1e-6},
		{build: func() transformers.Transformer { return &featuremap.RandomFourier{Components: 4} }},
		{build: func() transformers.Transformer { return &featuremap.LocallyStationaryFourier{Components: 4} }},
		{build: func() transformers.Transformer { return &featuremap.RandomHidden{Units: 5} }},
		{build: func() transformers.Transformer { return &featuremap.Nystroem{Components: 5} }},
	} {
		rows := x
		if im, ok := c.build().(*columnwise.Imputer); ok && im.Statistic == columnwise.MostFrequent {
			rows = mat.DenseCopyOf(x.Slice(0, 20_000, 2, 3))
		}
		var want []byte
		for _, parts := range []int{1, 4, 64} {
			got := c.build()
			require.NoError(t, got.(streaming.StatisticsFitter[streaming.None]).FitStatistics(ctx, maptest.SumParts(t, got.(streaming.StatisticsFitter[streaming.None]), rows, parts, 1)))
			data, err := got.(interface{ MarshalBinary() ([]byte, error) }).MarshalBinary()
			require.NoError(t, err)
			if want == nil {
				want = data
			}
			assert.Equal(t, want, data, "%T, %d parts", got, parts)
			if c.asFit == 0 {
				continue
			}
			fitted := c.build()
			require.NoError(t, fitted.Fit(ctx, rows))
			a, err := fitted.Transform(rows)
			require.NoError(t, err)
			b, err := got.Transform(rows)
			require.NoError(t, err)
			assert.True(t, mat.EqualApprox(a, b, c.asFit), "%T", got)
		}
	}
}

// Removing rows leaves exactly the statistics of the remaining rows. If that is impossible, Unmerge returns an error and changes
// nothing.
func TestUnmerge(t *testing.T) {
	ctx, x := context.Background(), maptest.FarRows(600)
	few := mat.DenseCopyOf(x.Slice(0, 600, 2, 3))
	for _, c := range []struct {
		of streaming.StatisticsFitter[streaming.None]
		x  *mat.Dense
	}{
		{&scalers.StandardScaler{}, x},
		{&scalers.RMSScaler{}, x},
		{&scalers.UnitRows{}, x},
		{&columnwise.Imputer{}, x},
		{&columnwise.Imputer{Statistic: columnwise.MostFrequent}, few},
	} {
		_, d := c.x.Dims()
		bytes := func(s streaming.Statistics[streaming.None]) []byte {
			data, err := s.MarshalBinary()
			require.NoError(t, err)
			return data
		}
		old := maptest.SumParts(t, c.of, mat.DenseCopyOf(c.x.Slice(0, 200, 0, d)), 3, 1)
		rest := maptest.SumParts(t, c.of, mat.DenseCopyOf(c.x.Slice(200, 600, 0, d)), 5, 2)
		all := maptest.SumParts(t, c.of, c.x, 7, 3)
		require.NoError(t, all.(streaming.Unmerger[streaming.None]).Unmerge(old))
		assert.Equal(t, bytes(rest), bytes(all), "%T", c.of)
		assert.Equal(t, 400, all.Rows())

		assert.ErrorIs(t, old.(streaming.Unmerger[streaming.None]).Unmerge(rest), fault.ErrShape, "%T", c.of)
		empty, err := c.of.NewStatistics()
		require.NoError(t, err)
		require.NoError(t, all.(streaming.Unmerger[streaming.None]).Unmerge(empty))
		require.NoError(t, all.(streaming.Unmerger[streaming.None]).Unmerge(all))
		assert.Equal(t, bytes(empty), bytes(all), "%T", c.of)
		if _, ok := c.of.(*scalers.UnitRows); !ok { // it stores no sums
			never, err := c.of.NewStatistics()
			require.NoError(t, err)
			far := mat.NewDense(3, d, nil)
			far.Apply(func(int, int, float64) float64 { return 1e9 }, far)
			require.NoError(t, never.AddBlock(ctx, streaming.Rows(far)))
			before := bytes(rest)
			assert.ErrorIs(t, rest.(streaming.Unmerger[streaming.None]).Unmerge(never), fault.ErrParam, "%T", c.of)
			assert.Equal(t, before, bytes(rest))
		}
	}
	_, can := maptest.SumParts(t, &featuremap.Nystroem{Components: 4}, x, 2, 1).(streaming.Unmerger[streaming.None])
	assert.False(t, can)
	s := maptest.SumParts(t, &scalers.MinMaxScaler{}, x, 2, 1)
	assert.ErrorIs(t, s.(streaming.Unmerger[streaming.None]).Unmerge(maptest.SumParts(t, &scalers.MinMaxScaler{}, maptest.PickRows(x, []int{1}), 1, 1)), errors.ErrUnsupported)
	assert.ErrorIs(t, s.(streaming.Unmerger[streaming.None]).Unmerge(maptest.SumParts(t, &scalers.StandardScaler{}, x, 2, 1)), fault.ErrParam)
	assert.Equal(t, 600, s.Rows())
}

// Statistics of another type or with other settings are an error that names both, also if they were decoded from a file.
func TestOtherStatistics(t *testing.T) {
	mean, err := (&columnwise.Imputer{}).NewStatistics()
	require.NoError(t, err)
	median, err := (&columnwise.Imputer{Statistic: columnwise.Median}).NewStatistics()
	require.NoError(t, err)
	frequent, err := (&columnwise.Imputer{Statistic: columnwise.MostFrequent}).NewStatistics()
	require.NoError(t, err)
	scaler, err := (&scalers.StandardScaler{}).NewStatistics()
	require.NoError(t, err)
	five, err := (&columnwise.OneHot{MaxLevels: 5}).NewStatistics()
	require.NoError(t, err)
	six, err := (&columnwise.OneHot{MaxLevels: 6}).NewStatistics()
	require.NoError(t, err)
	seed, err := (&featuremap.Nystroem{Seed: 1}).NewStatistics()
	require.NoError(t, err)
	seeds, err := (&featuremap.Nystroem{Seed: 2}).NewStatistics()
	require.NoError(t, err)
	for _, c := range []struct {
		a, b streaming.Statistics[streaming.None]
		says []string
	}{
		{mean, median, []string{"Imputer (Median)", "Imputer (Mean)"}},
		{median, frequent, []string{"MostFrequent", "Median"}},
		{scaler, mean, []string{"Imputer (Mean)", "StandardScaler"}},
		{five, six, []string{"MaxLevels 6", "MaxLevels 5"}},
		{seed, seeds, []string{"Seed 2", "Seed 1"}},
		{mean, seed, []string{"Nystroem", "Imputer"}},
	} {
		err := c.a.Merge(c.b)
		require.ErrorIs(t, err, fault.ErrParam)
		for _, s := range c.says {
			assert.ErrorContains(t, err, s)
		}
		data, err := c.b.MarshalBinary()
		require.NoError(t, err)
		assert.ErrorIs(t, c.a.UnmarshalBinary(data), fault.ErrBadModel)
	}
	assert.ErrorIs(t, (&scalers.StandardScaler{}).FitStatistics(context.Background(), mean), fault.ErrParam)
	assert.ErrorIs(t, (&scalers.StandardScaler{}).FitStatistics(context.Background(), scaler), fault.ErrShape)
	_, err = (&columnwise.Imputer{Statistic: 9}).NewStatistics()
	assert.ErrorIs(t, err, fault.ErrParam)
	_, err = (&featuremap.Nystroem{Components: -1}).NewStatistics()
	assert.ErrorIs(t, err, fault.ErrParam)
}

// If there are too many categories or distinct values, AddBlock and Merge return an error, and the statistics stay unchanged.
func TestStatisticsTooLarge(t *testing.T) {
	ctx := context.Background()
	codes := func(from, to int) *mat.Dense {
		x := mat.NewDense(to-from, 1, nil)
		for i := range to - from {
			x.Set(i, 0, float64(from+i))
		}
		return x
	}
	for _, c := range []struct {
		of    streaming.StatisticsFitter[streaming.None]
		limit int
	}{{&columnwise.OneHot{MaxLevels: 5}, 5}, {&columnwise.Imputer{Statistic: columnwise.MostFrequent}, columnstats.MostCounted}} {
		a, err := c.of.NewStatistics()
		require.NoError(t, err)
		b, err := c.of.NewStatistics()
		require.NoError(t, err)
		require.NoError(t, a.AddBlock(ctx, streaming.Rows(codes(0, c.limit-1))))
		require.NoError(t, b.AddBlock(ctx, streaming.Rows(codes(c.limit-1, c.limit+1))))
		want, err := a.MarshalBinary()
		require.NoError(t, err)
		assert.ErrorIs(t, a.AddBlock(ctx, streaming.Rows(codes(c.limit-1, c.limit+1))), fault.ErrTooLarge)
		err = a.Merge(b)
		assert.ErrorIs(t, err, fault.ErrTooLarge)
		assert.ErrorContains(t, err, "column 0")
		got, err := a.MarshalBinary()
		require.NoError(t, err)
		assert.Equal(t, want, got)
		require.NoError(t, a.AddBlock(ctx, streaming.Rows(codes(0, c.limit))))
		require.NoError(t, c.of.FitStatistics(ctx, a))
	}
}

// PartialFit continues a fit by PartialFit or FitStatistics, and returns an error after any other fit.
func TestPartialFit(t *testing.T) {
	ctx, x := context.Background(), maptest.FarRows(300)
	a, b := x.Slice(0, 100, 0, 3).(*mat.Dense), x.Slice(100, 300, 0, 3).(*mat.Dense)
	whole := &scalers.StandardScaler{}
	require.NoError(t, whole.FitStatistics(ctx, maptest.SumParts(t, whole, x, 4, 1)))
	s := &scalers.StandardScaler{}
	require.NoError(t, s.PartialFit(ctx, a))
	require.NoError(t, s.PartialFit(ctx, b.T().T()))
	assert.Equal(t, learnt(t, whole), learnt(t, s))
	s = &scalers.StandardScaler{}
	require.NoError(t, s.FitStatistics(ctx, maptest.SumParts(t, s, a, 3, 1)))
	require.NoError(t, s.PartialFit(ctx, b))
	assert.Equal(t, learnt(t, whole), learnt(t, s))
	clone := estimators.Clone(s)
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, clone.UnmarshalBinary(data))
	assert.ErrorIs(t, clone.PartialFit(ctx, b), fault.ErrNotFitted)
	require.NoError(t, s.Fit(ctx, a))
	assert.ErrorIs(t, s.PartialFit(ctx, b), fault.ErrNotFitted)
	im := &columnwise.Imputer{}
	require.NoError(t, im.PartialFit(ctx, a))
	im.Statistic = columnwise.Median
	assert.ErrorIs(t, im.PartialFit(ctx, a), fault.ErrParam, "the settings have changed")
}

// Gaps are ignored where they are allowed, and are an error elsewhere.
func TestStatisticsWithGaps(t *testing.T) {
	ctx, x := context.Background(), maptest.FarRows(50)
	x.Set(7, 1, math.NaN())
	for _, of := range []streaming.StatisticsFitter[streaming.None]{&columnwise.Imputer{Indicators: true}, &columnwise.Imputer{Indicators: true, Statistic: columnwise.Median}, &columnwise.Winsorizer{Gaps: true}, &columnwise.QuantileTransformer{Gaps: true}, &columnwise.PowerTransformer{Gaps: true}, &columnwise.OneHot{Gaps: true, MaxLevels: 60}} {
		fitted := estimators.Clone(of.(transformers.Transformer))
		require.NoError(t, fitted.Fit(ctx, x))
		require.NoError(t, of.FitStatistics(ctx, maptest.SumParts(t, of, x, 4, 3)))
		a, err := fitted.Transform(x)
		require.NoError(t, err)
		b, err := of.(transformers.Transformer).Transform(x)
		require.NoError(t, err)
		n, d := a.Dims()
		for i := range n {
			for j := range d {
				if v := a.At(i, j); math.IsNaN(v) {
					assert.True(t, math.IsNaN(b.At(i, j)))
				} else {
					assert.InDelta(t, v, b.At(i, j), 1e-6, "%T", of)
				}
			}
		}
	}
	s, err := (&scalers.StandardScaler{}).NewStatistics()
	require.NoError(t, err)
	assert.EqualError(t, s.AddBlock(ctx, streaming.Rows(x)), "scalers: StandardScaler: x[7,1] is NaN (counted from 0): fill gaps with columnwise.Imputer")
}

// Statistics of every earlier version can be decoded.
func TestGoldenStatistics(t *testing.T) {
	x := maptest.FarRows(40)
	for name, of := range map[string]streaming.StatisticsFitter[streaming.None]{
		"sums": &scalers.StandardScaler{}, "extremes": &scalers.MinMaxScaler{}, "nothing": &scalers.UnitRows{}, "categories": &columnwise.OneHot{}, "counts": &columnwise.Imputer{Statistic: columnwise.MostFrequent},
		"ranks": &columnwise.QuantileTransformer{}, "sample": &featuremap.RandomFourier{Components: 4},
	} {
		want := maptest.SumParts(t, of, x, 1, 1)
		read, err := of.NewStatistics()
		require.NoError(t, err)
		require.NoError(t, read.UnmarshalBinary(golden.Model(t, "statistics-"+name+"-v1.keln", want.MarshalBinary)), name)
		a, err := want.MarshalBinary()
		require.NoError(t, err)
		b, err := read.MarshalBinary()
		require.NoError(t, err)
		assert.Equal(t, a, b, name)
	}
}
