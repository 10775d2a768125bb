package transformers

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// summed sums up the rows in so many parts, and merges them in an order of their own.
func summed(t *testing.T, of StatisticsFitter, x *mat.Dense, parts int, seed uint64) Statistics {
	n, _ := x.Dims()
	rng := rand.New(rand.NewPCG(seed, uint64(parts)))
	rows := rng.Perm(n)
	var all []Statistics
	for k := range parts {
		s, err := of.NewStatistics()
		require.NoError(t, err)
		if some := rows[k*n/parts : (k+1)*n/parts]; len(some) > 0 {
			require.NoError(t, s.AddBlock(context.Background(), pick(x, some)))
		}
		all = append(all, s)
	}
	for len(all) > 1 {
		i := rng.IntN(len(all) - 1)
		require.NoError(t, all[i].Merge(all[len(all)-1]))
		all = all[:len(all)-1]
	}
	require.Equal(t, n, all[0].Rows())
	return all[0]
}

func pick(x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	out := mat.NewDense(len(rows), d, nil)
	for i, r := range rows {
		out.SetRow(i, x.RawRowView(r))
	}
	return out
}

// far are rows around a million, the last column of few values.
func far(n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(3, 9))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		x.SetRow(i, []float64{1e6 + rng.NormFloat64(), -1e6 + rng.ExpFloat64(), float64(rng.IntN(5))})
	}
	return x
}

// Scalers, encoders and maps give the same bits from any parts in any order, and what Fit gives to rounding, of many rows
// too.
func TestStatisticsToTheBit(t *testing.T) {
	x, ctx := far(20_000), context.Background()
	for _, c := range []struct {
		build func() Transformer
		asFit float64 // how near Fit; 0: others
	}{
		{build: func() Transformer { return &StandardScaler{} }, asFit: 1e-9},
		{build: func() Transformer { return &RMSScaler{} }, asFit: 1e-9},
		{build: func() Transformer { return &MinMaxScaler{} }, asFit: 1e-9},
		{build: func() Transformer { return &Imputer{} }, asFit: 1e-9},
		{build: func() Transformer { return &Imputer{Statistic: MostFrequent} }, asFit: 1e-9},
		{build: func() Transformer { return &OneHot{Columns: []int{2}} }, asFit: 1e-9},
		{build: func() Transformer { return &RandomFourier{Kernel: kernels.RBF{Gamma: .1}, Components: 4} }, asFit: 1e-6},
		{build: func() Transformer { return &RandomFourier{Components: 4} }},
		{build: func() Transformer { return &LocallyStationaryFourier{Components: 4} }},
		{build: func() Transformer { return &RandomHidden{Units: 5} }},
		{build: func() Transformer { return &Nystroem{Components: 5} }},
	} {
		rows := x
		if im, ok := c.build().(*Imputer); ok && im.Statistic == MostFrequent {
			rows = mat.DenseCopyOf(x.Slice(0, 20_000, 2, 3))
		}
		var want []byte
		for _, parts := range []int{1, 4, 64} {
			got := c.build()
			require.NoError(t, got.(StatisticsFitter).FitStatistics(ctx, summed(t, got.(StatisticsFitter), rows, parts, 1)))
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

// Rows that are taken out leave the bits of those that are left, or an error that leaves all.
func TestUnmerge(t *testing.T) {
	ctx, x := context.Background(), far(600)
	few := mat.DenseCopyOf(x.Slice(0, 600, 2, 3))
	for _, c := range []struct {
		of StatisticsFitter
		x  *mat.Dense
	}{
		{&StandardScaler{}, x},
		{&RMSScaler{}, x},
		{&UnitRows{}, x},
		{&Imputer{}, x},
		{&Imputer{Statistic: MostFrequent}, few},
	} {
		_, d := c.x.Dims()
		bytes := func(s Statistics) []byte {
			data, err := s.MarshalBinary()
			require.NoError(t, err)
			return data
		}
		old := summed(t, c.of, mat.DenseCopyOf(c.x.Slice(0, 200, 0, d)), 3, 1)
		rest := summed(t, c.of, mat.DenseCopyOf(c.x.Slice(200, 600, 0, d)), 5, 2)
		all := summed(t, c.of, c.x, 7, 3)
		require.NoError(t, all.(Unmerger).Unmerge(old))
		assert.Equal(t, bytes(rest), bytes(all), "%T", c.of)
		assert.Equal(t, 400, all.Rows())

		assert.ErrorIs(t, old.(Unmerger).Unmerge(rest), fault.ErrShape, "%T", c.of)
		empty, err := c.of.NewStatistics()
		require.NoError(t, err)
		require.NoError(t, all.(Unmerger).Unmerge(empty))
		require.NoError(t, all.(Unmerger).Unmerge(all))
		assert.Equal(t, bytes(empty), bytes(all), "%T", c.of)
		if _, ok := c.of.(*UnitRows); !ok { // which keeps no sums
			never, err := c.of.NewStatistics()
			require.NoError(t, err)
			far := mat.NewDense(3, d, nil)
			far.Apply(func(int, int, float64) float64 { return 1e9 }, far)
			require.NoError(t, never.AddBlock(ctx, far))
			before := bytes(rest)
			assert.ErrorIs(t, rest.(Unmerger).Unmerge(never), fault.ErrParam, "%T", c.of)
			assert.Equal(t, before, bytes(rest))
		}
	}
	_, can := summed(t, &Nystroem{Components: 4}, x, 2, 1).(Unmerger)
	assert.False(t, can)
	s := summed(t, &MinMaxScaler{}, x, 2, 1)
	assert.ErrorIs(t, s.(Unmerger).Unmerge(summed(t, &MinMaxScaler{}, pick(x, []int{1}), 1, 1)), errors.ErrUnsupported)
	assert.ErrorIs(t, s.(Unmerger).Unmerge(summed(t, &StandardScaler{}, x, 2, 1)), fault.ErrParam)
	assert.Equal(t, 600, s.Rows())
}

// A sketch that was merged of any parts has ranks within the bound that it counts, which is within the one that is
// proven.
func TestMergedSketches(t *testing.T) {
	const n = 300_000
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Exp(3 * rng.NormFloat64())
	}
	sorted := slices.Sorted(slices.Values(values))
	for name, order := range map[string]func(){
		"drawn": func() {}, "ascending": func() { copy(values, sorted) },
	} {
		order()
		for _, parts := range []int{1, 4, 64, 1000} {
			sketches := make([]*sketch, parts)
			for k := range sketches {
				sketches[k] = &sketch{}
				sketches[k].add(slices.Clone(values[k*n/parts : (k+1)*n/parts]))
			}
			for len(sketches) > 1 {
				i := rng.IntN(len(sketches) - 1)
				sketches[i].merge(sketches[len(sketches)-1])
				sketches = sketches[:len(sketches)-1]
			}
			s := sketches[0]
			r := s.ranked()
			assert.Equal(t, n, r.upTo[len(r.upTo)-1], "no weight is lost")
			assert.Equal(t, [2]float64{sorted[0], sorted[n-1]}, [2]float64{s.least, s.largest})
			assert.LessOrEqual(t, float64(s.missed()), n*(math.Log2(n/sketchBuffer)+1)/sketchBuffer)
			for k, v := range r.values {
				upTo, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
				assert.LessOrEqual(t, max(upTo-r.upTo[k], r.upTo[k]-upTo), s.missed(), "%s, %d parts, %v", name, parts, v)
			}
			for _, l := range s.levels {
				assert.Less(t, len(l.values), sketchBuffer)
			}
		}
	}
}

// What is learnt of a sketch of more values than it keeps has ranks near Fit's: a median, bounds, quantiles and a power.
func TestStatisticsOfRanks(t *testing.T) {
	const n = 60_000
	rng := rand.New(rand.NewPCG(2, 2))
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, math.Exp(rng.NormFloat64()))
	}
	ctx, sorted := context.Background(), slices.Sorted(slices.Values(mat.Col(nil, 0, x)))
	rank := func(v float64) float64 {
		k, _ := slices.BinarySearch(sorted, v)
		return float64(k)
	}
	bound := n*(math.Log2(n/sketchBuffer)+1)/sketchBuffer + 1
	for _, parts := range []int{1, 4, 64} {
		median := &Imputer{Statistic: Median}
		require.NoError(t, median.FitStatistics(ctx, summed(t, median, x, parts, 2)))
		assert.InDelta(t, n/2, rank(median.Values()[0]), bound)
		winsor := &Winsorizer{}
		require.NoError(t, winsor.FitStatistics(ctx, summed(t, winsor, x, parts, 3)))
		low, high := winsor.Bounds()
		assert.InDelta(t, .01*n, rank(low[0]), bound)
		assert.InDelta(t, .99*n, rank(high[0]), bound)
		quantiles := &QuantileTransformer{Quantiles: 11}
		require.NoError(t, quantiles.FitStatistics(ctx, summed(t, quantiles, x, parts, 4)))
		for i, v := range quantiles.ColumnQuantiles().RawRowView(0) {
			assert.InDelta(t, float64(i)/10*(n-1), rank(v), bound)
		}
		power, whole := &PowerTransformer{}, &PowerTransformer{}
		require.NoError(t, power.FitStatistics(ctx, summed(t, power, x, parts, 5)))
		require.NoError(t, whole.Fit(ctx, x))
		assert.InDelta(t, whole.Lambdas()[0], power.Lambdas()[0], .004, "a standard error of Fit's")
		assert.InDelta(t, whole.fitted.Means[0], power.fitted.Means[0], .005)
		assert.InEpsilon(t, whole.fitted.Scales[0], power.fitted.Scales[0], .005)
	}
}

// Statistics of another type or other settings are an error that names both; of a file too.
func TestOtherStatistics(t *testing.T) {
	mean, err := (&Imputer{}).NewStatistics()
	require.NoError(t, err)
	median, err := (&Imputer{Statistic: Median}).NewStatistics()
	require.NoError(t, err)
	frequent, err := (&Imputer{Statistic: MostFrequent}).NewStatistics()
	require.NoError(t, err)
	scaler, err := (&StandardScaler{}).NewStatistics()
	require.NoError(t, err)
	five, err := (&OneHot{MaxCategories: 5}).NewStatistics()
	require.NoError(t, err)
	six, err := (&OneHot{MaxCategories: 6}).NewStatistics()
	require.NoError(t, err)
	seed, err := (&Nystroem{Seed: 1}).NewStatistics()
	require.NoError(t, err)
	seeds, err := (&Nystroem{Seed: 2}).NewStatistics()
	require.NoError(t, err)
	for _, c := range []struct {
		a, b Statistics
		says []string
	}{
		{mean, median, []string{"Imputer (Median)", "Imputer (Mean)"}},
		{median, frequent, []string{"MostFrequent", "Median"}},
		{scaler, mean, []string{"Imputer (Mean)", "StandardScaler"}},
		{five, six, []string{"MaxCategories 6", "MaxCategories 5"}},
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
	assert.ErrorIs(t, (&StandardScaler{}).FitStatistics(context.Background(), mean), fault.ErrParam)
	assert.ErrorIs(t, (&StandardScaler{}).FitStatistics(context.Background(), scaler), fault.ErrShape)
	_, err = (&Imputer{Statistic: 9}).NewStatistics()
	assert.ErrorIs(t, err, fault.ErrParam)
	_, err = (&Nystroem{Components: -1}).NewStatistics()
	assert.ErrorIs(t, err, fault.ErrParam)
}

// Too many categories, or different values, are found wherever they come together, and leave the statistics.
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
		of    StatisticsFitter
		limit int
	}{{&OneHot{MaxCategories: 5}, 5}, {&Imputer{Statistic: MostFrequent}, mostCounted}} {
		a, err := c.of.NewStatistics()
		require.NoError(t, err)
		b, err := c.of.NewStatistics()
		require.NoError(t, err)
		require.NoError(t, a.AddBlock(ctx, codes(0, c.limit-1)))
		require.NoError(t, b.AddBlock(ctx, codes(c.limit-1, c.limit+1)))
		want, err := a.MarshalBinary()
		require.NoError(t, err)
		assert.ErrorIs(t, a.AddBlock(ctx, codes(c.limit-1, c.limit+1)), fault.ErrTooLarge)
		err = a.Merge(b)
		assert.ErrorIs(t, err, fault.ErrTooLarge)
		assert.ErrorContains(t, err, "column 0")
		got, err := a.MarshalBinary()
		require.NoError(t, err)
		assert.Equal(t, want, got)
		require.NoError(t, a.AddBlock(ctx, codes(0, c.limit)))
		require.NoError(t, c.of.FitStatistics(ctx, a))
	}
}

// PartialFit goes on from PartialFit and FitStatistics, and from nothing else.
func TestPartialFit(t *testing.T) {
	ctx, x := context.Background(), far(300)
	a, b := x.Slice(0, 100, 0, 3).(*mat.Dense), x.Slice(100, 300, 0, 3).(*mat.Dense)
	whole := &StandardScaler{}
	require.NoError(t, whole.FitStatistics(ctx, summed(t, whole, x, 4, 1)))
	s := &StandardScaler{}
	require.NoError(t, s.PartialFit(ctx, a))
	require.NoError(t, s.PartialFit(ctx, b.T().T()))
	assert.Equal(t, whole.model(), s.model())
	s = &StandardScaler{}
	require.NoError(t, s.FitStatistics(ctx, summed(t, s, a, 3, 1)))
	require.NoError(t, s.PartialFit(ctx, b))
	assert.Equal(t, whole.model(), s.model())
	clone := s.Clone().(*StandardScaler)
	assert.Nil(t, clone.sums)
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, clone.UnmarshalBinary(data))
	assert.ErrorIs(t, clone.PartialFit(ctx, b), fault.ErrNotFitted)
	require.NoError(t, s.Fit(ctx, a))
	assert.ErrorIs(t, s.PartialFit(ctx, b), fault.ErrNotFitted)
	im := &Imputer{}
	require.NoError(t, im.PartialFit(ctx, a))
	im.Statistic = Median
	assert.ErrorIs(t, im.PartialFit(ctx, a), fault.ErrParam, "the settings have changed")
}

// Gaps count where they are known, and are an error elsewhere.
func TestStatisticsWithGaps(t *testing.T) {
	ctx, x := context.Background(), far(50)
	x.Set(7, 1, math.NaN())
	for _, of := range []StatisticsFitter{&Imputer{Indicators: true}, &Imputer{Indicators: true, Statistic: Median}, &Winsorizer{Gaps: true}, &QuantileTransformer{Gaps: true}, &PowerTransformer{Gaps: true}, &OneHot{Gaps: true, MaxCategories: 60}} {
		fitted := of.(Cloner).Clone()
		require.NoError(t, fitted.Fit(ctx, x))
		require.NoError(t, of.FitStatistics(ctx, summed(t, of, x, 4, 3)))
		a, err := fitted.Transform(x)
		require.NoError(t, err)
		b, err := of.(Transformer).Transform(x)
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
	s, err := (&StandardScaler{}).NewStatistics()
	require.NoError(t, err)
	assert.EqualError(t, s.AddBlock(ctx, x), "transformers: StandardScaler: x[7,1] is NaN (counted from 0): fill gaps with transformers.Imputer")
}

// Statistics of every version so far can be read.
func TestGoldenStatistics(t *testing.T) {
	x := far(40)
	for name, of := range map[string]StatisticsFitter{
		"sums": &StandardScaler{}, "extremes": &MinMaxScaler{}, "nothing": &UnitRows{}, "categories": &OneHot{}, "counts": &Imputer{Statistic: MostFrequent},
		"ranks": &QuantileTransformer{}, "sample": &RandomFourier{Components: 4},
	} {
		want := summed(t, of, x, 1, 1)
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
