package ridge

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/streaming"
)

// drawn returns rows around an offset, correlated targets, and weights. The rows are in the order of a column that drifts.
func drawn(n, d int, offset float64) (*mat.Dense, []float64, []float64) {
	rng := rand.New(rand.NewPCG(7, 7))
	x, y, w := mat.NewDense(n, d, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, offset+rng.NormFloat64()+3*float64(i)/float64(n))
		}
		y[i] = offset + x.At(i, 0) - x.At(i, d-1)/2 + rng.NormFloat64()
		w[i] = .5 + rng.Float64()
	}
	return x, y, w
}

// inShards adds contiguous parts to separate statistics, and merges these in a random order.
func inShards(t *testing.T, x *mat.Dense, y, w []float64, parts int) streaming.Statistics[float64] {
	n, d := x.Dims()
	all := make([]*statistics, parts)
	for k := range all {
		all[k] = &statistics{}
		from, to := k*n/parts, (k+1)*n/parts
		for ; from < to; from += 100 {
			b := streaming.Block[float64]{X: x.Slice(from, min(to, from+100), 0, d).(*mat.Dense), Y: y[from:min(to, from+100)]}
			if w != nil {
				b.Weights = w[from:min(to, from+100)]
			}
			require.NoError(t, all[k].AddBlock(context.Background(), b))
		}
	}
	rand.New(rand.NewPCG(uint64(parts), 2)).Shuffle(parts, func(i, j int) { all[i], all[j] = all[j], all[i] })
	out := &statistics{}
	for _, s := range all {
		data, err := s.MarshalBinary()
		require.NoError(t, err)
		travelled := &statistics{}
		require.NoError(t, travelled.UnmarshalBinary(data))
		require.NoError(t, out.Merge(travelled))
	}
	require.Equal(t, n, out.Rows())
	return out
}

// If the ridge is set, the coefficients from 1, 4 and 64 shards in any order agree with one Fit in memory to 1e-10. This holds at
// any offset, for few rows and for many columns. If the ridge is chosen, the coefficients agree with those from one shard.
func TestShardsAreFit(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		n, d                int
		offset              float64
		weighted, intercept bool
	}{
		{3000, 6, 0, false, true}, {3000, 6, 1e6, false, true}, {3000, 6, 1e6, true, true}, {500, 4, 0, true, false}, {30, 50, 0, false, true}, {30, 50, 1e6, true, true},
	} {
		x, y, w := drawn(c.n, c.d, c.offset)
		if !c.weighted {
			w = nil
		}
		want := &Regressor{Ridge: .7, NoIntercept: !c.intercept}
		if w == nil {
			require.NoError(t, want.Fit(ctx, x, y))
		} else {
			require.NoError(t, want.FitWeighted(ctx, x, y, w))
		}
		chosen := &Regressor{NoIntercept: !c.intercept}
		require.NoError(t, chosen.FitStatistics(ctx, inShards(t, x, y, w, 1)))
		for _, parts := range []int{1, 4, 64} {
			s := inShards(t, x, y, w, parts)
			got := &Regressor{Ridge: .7, NoIntercept: !c.intercept}
			require.NoError(t, got.FitStatistics(ctx, s))
			relative(t, want.Coefficients(), got.Coefficients(), "%+v in %d parts, beside Fit", c, parts)
			assert.InEpsilon(t, want.m.target[0]+1, got.m.target[0]+1, 1e-12)
			again := &Regressor{NoIntercept: !c.intercept}
			require.NoError(t, again.FitStatistics(ctx, s))
			relative(t, chosen.Coefficients(), again.Coefficients(), "%+v in %d parts, a chosen ridge", c, parts)
		}
	}
}

// relative asserts that the coefficients agree to 1e-10 times the largest one.
func relative(t *testing.T, want, got []float64, format string, args ...any) {
	largest := 0.0
	for _, v := range want {
		largest = max(largest, v, -v)
	}
	assert.InDeltaSlice(t, want, got, 1e-10*largest, append([]any{format}, args...)...)
}

// s² from sums differs from that of Fit only because of the leverages. If the leverages are equal, so are s² and the intervals.
func TestNoiseOfSums(t *testing.T) {
	ctx := context.Background()
	x, y := mat.NewDense(8, 3, nil), make([]float64, 8) // a factorial design, whose rows have equal leverages
	for i := range 8 {
		x.SetRow(i, []float64{float64(i&1)*2 - 1, float64(i&2) - 1, float64(i&4)/2 - 1})
		y[i] = float64(i*i%5) + x.At(i, 0)
	}
	fit, sums := &Regressor{Ridge: .5}, &Regressor{Ridge: .5}
	require.NoError(t, fit.Fit(ctx, x, y))
	require.NoError(t, sums.FitStatistics(ctx, inShards(t, x, y, nil, 3)))
	lowA, highA, err := fit.PredictInterval(x, .9)
	require.NoError(t, err)
	lowB, highB, err := sums.PredictInterval(x, .9)
	require.NoError(t, err)
	assert.InDeltaSlice(t, lowA, lowB, 1e-10)
	assert.InDeltaSlice(t, highA, highB, 1e-10)
	assert.InEpsilon(t, fit.PriorVariance(), sums.PriorVariance(), 1e-10)
}

// Methods that need single rows return an error. PartialFit can continue a model that was fitted to sums, but not after the model
// was read from a file.
func TestModelOfSums(t *testing.T) {
	ctx := context.Background()
	x, y, _ := drawn(400, 3, 0)
	first, rest := x.Slice(0, 150, 0, 3), x.Slice(150, 400, 0, 3)
	r, whole := &Regressor{}, &Regressor{}
	require.NoError(t, r.PartialFit(ctx, first, y[:150]))
	require.NoError(t, r.PartialFit(ctx, rest, y[150:]))
	require.NoError(t, whole.FitStatistics(ctx, inShards(t, x, y, nil, 5)))
	relative(t, whole.Coefficients(), r.Coefficients(), "PartialFit")
	_, err := r.LeaveOneOutResiduals(ctx)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.NotZero(t, r.Report().Objective)
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	read := &Regressor{}
	require.NoError(t, read.UnmarshalBinary(data))
	_, err = read.LeaveOneOutResiduals(ctx)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorIs(t, read.PartialFit(ctx, rest, y[150:]), estimators.ErrNotFitted)
	require.NoError(t, read.Fit(ctx, x, y))
	_, err = read.LeaveOneOutResiduals(ctx)
	assert.NoError(t, err)
	assert.ErrorIs(t, read.PartialFit(ctx, rest, y[150:]), estimators.ErrNotFitted)
	assert.Nil(t, estimators.Clone(r).m)

	one := &Regressor{}
	require.NoError(t, one.PartialFit(ctx, x.Slice(0, 1, 0, 3), y[:1]))
	p, err := one.Predict(x.Slice(0, 1, 0, 3))
	require.NoError(t, err)
	assert.InDelta(t, y[0], p[0], 1e-12)
	constant := make([]float64, 400)
	require.NoError(t, one.FitStatistics(ctx, inShards(t, x, constant, nil, 4)))
	assert.InDeltaSlice(t, []float64{0, 0, 0}, one.Coefficients(), 0)
}

// Squares that overflow, and products of columns that do not fit into memory, are errors.
func TestStatisticsOfLargeRows(t *testing.T) {
	ctx, s := context.Background(), &statistics{}
	huge := mat.NewDense(2, 2, []float64{1e200, 0, -1e200, 1})
	assert.ErrorIs(t, s.AddBlock(ctx, streaming.Block[float64]{X: huge, Y: []float64{1, 2}}), estimators.ErrNotFinite)
	assert.ErrorIs(t, s.AddBlock(ctx, streaming.Block[float64]{X: mat.NewDense(1, 100_000, nil), Y: []float64{1}}), estimators.ErrTooLarge)
	assert.Zero(t, s.Rows())
}

// Statistics of every version stay readable.
func TestGoldenStatistics(t *testing.T) {
	x, y, w := drawn(30, 3, 1e6)
	want, read := inShards(t, x, y, w, 2), &statistics{}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "statistics-v1.keln", want.MarshalBinary)))
	a, b := &Regressor{Ridge: 1}, &Regressor{Ridge: 1}
	require.NoError(t, a.FitStatistics(context.Background(), want))
	require.NoError(t, b.FitStatistics(context.Background(), read))
	relative(t, a.Coefficients(), b.Coefficients(), "of a file")
}
