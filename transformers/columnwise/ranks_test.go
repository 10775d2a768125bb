package columnwise

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

// Medians, bounds, quantiles and powers from a sketch have ranks near those of Fit, although the sketch cannot keep all values.
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
	bound := n*(math.Log2(n/columnstats.SketchBuffer)+1)/columnstats.SketchBuffer + 1
	for _, parts := range []int{1, 4, 64} {
		median := &Imputer{Statistic: Median}
		require.NoError(t, median.FitStatistics(ctx, maptest.SumParts(t, median, x, parts, 2)))
		assert.InDelta(t, n/2, rank(median.Values()[0]), bound)
		winsor := &Winsorizer{}
		require.NoError(t, winsor.FitStatistics(ctx, maptest.SumParts(t, winsor, x, parts, 3)))
		low, high := winsor.Bounds()
		assert.InDelta(t, .01*n, rank(low[0]), bound)
		assert.InDelta(t, .99*n, rank(high[0]), bound)
		quantiles := &QuantileTransformer{Quantiles: 11}
		require.NoError(t, quantiles.FitStatistics(ctx, maptest.SumParts(t, quantiles, x, parts, 4)))
		for i, v := range quantiles.ColumnQuantiles().RawRowView(0) {
			assert.InDelta(t, float64(i)/10*(n-1), rank(v), bound)
		}
		power, whole := &PowerTransformer{}, &PowerTransformer{}
		require.NoError(t, power.FitStatistics(ctx, maptest.SumParts(t, power, x, parts, 5)))
		require.NoError(t, whole.Fit(ctx, x))
		assert.InDelta(t, whole.Lambdas()[0], power.Lambdas()[0], .004, "a standard error of Fit's")
		assert.InDelta(t, whole.state.Fitted.Means[0], power.state.Fitted.Means[0], .005)
		assert.InEpsilon(t, whole.state.Fitted.Scales[0], power.state.Fitted.Scales[0], .005)
	}
}
