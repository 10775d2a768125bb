package measures

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
)

// The bounds hold for any kernel, rows and pivots. If all rows are pivots, both bounds are equal.
func TestLowRankBoundsHold(t *testing.T) {
	families := []families.Family{families.RBF{}, families.Laplacian{}, families.Matern{}, families.Polynomial{}, families.ELM{}}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(t, "n")
		x := normal(n, 3, rapid.Uint64().Draw(t, "seed"))
		for i := range n { // some rows are equal, and possibly all
			if rapid.IntRange(0, 3).Draw(t, "equal") == 0 {
				x.SetRow(i, x.RawRowView(i/2))
			}
		}
		family := rapid.SampledFrom(families).Draw(t, "family")
		lo, hi := family.Bounds()
		param := math.Exp(rapid.Float64Range(math.Log(max(lo, 1e-6)), math.Log(min(hi, 1e3))).Draw(t, "ln param"))
		if family.Integer() {
			param = math.Round(param)
		}
		k, err := kernels.Matrix(ctx, family.Kernel(param), x, nil)
		require.NoError(t, err)
		exact, err := Entropy(ctx, k)
		require.NoError(t, err)
		most := rapid.IntRange(1, n).Draw(t, "pivots")
		l, err := LowRankEntropy(ctx, family.Kernel(param), x, &LowRankOptions{MaxRank: most, Seed: rapid.Uint64().Draw(t, "pivot seed")})
		require.NoError(t, err)
		if !covers(l.Bounds, exact.Entropy) || l.Rank > most || l.Residual < 0 || l.Residual > 1 {
			t.Fatalf("%v at %v: %v with %d rows, not in %v to %v of %d pivots", family, param, exact.Entropy, n, l.Low.Entropy, l.High.Entropy, l.Rank)
		}
		whole, err := LowRankEntropy(ctx, family.Kernel(param), x, &LowRankOptions{MaxRank: n, Decided: func(Bounds) bool { return false }})
		require.NoError(t, err)
		if math.Abs(whole.Point.Entropy-exact.Entropy) > 1e-6 {
			t.Fatalf("%v at %v: %v of all rows, %v exact", family, param, whole.Point.Entropy, exact.Entropy)
		}
		var product, rest mat.Dense
		if whole.Factor != nil {
			product.Mul(whole.Factor.T(), whole.Factor)
			rest.Sub(k, &product)
			if mat.Norm(&rest, 2) > 1e-6*(1+mat.Trace(k)) {
				t.Fatalf("F'F is not K: %v", mat.Norm(&rest, 2))
			}
		}
	})
}

// The factorisation stops as requested, and reports whether the bounds sufficed. The result does not depend on the number of
// workers.
func TestLowRankStops(t *testing.T) {
	x := normal(1500, 4, 3)
	k := kernels.RBF{Gamma: 0.02}
	var last Bounds
	l, err := LowRankEntropy(ctx, k, x, &LowRankOptions{Decided: func(b Bounds) bool { last = b; return b.High.Entropy < .5 }})
	require.NoError(t, err)
	assert.True(t, l.Decided)
	assert.Equal(t, last, l.Bounds)
	assert.Less(t, l.Rank, 200)
	close, err := LowRankEntropy(ctx, k, x, &LowRankOptions{Workers: 1})
	require.NoError(t, err)
	assert.LessOrEqual(t, close.High.Entropy-close.Low.Entropy, defaultTolerance)
	assert.True(t, covers(l.Bounds, close.Point.Entropy))
	again, err := LowRankEntropy(ctx, k, x, &LowRankOptions{Workers: 3})
	require.NoError(t, err)
	assert.Equal(t, close.Bounds, again.Bounds)
	narrow, err := LowRankEntropy(ctx, kernels.RBF{Gamma: 50}, x, &LowRankOptions{MaxRank: 100})
	require.NoError(t, err)
	assert.False(t, narrow.Decided)
	assert.Equal(t, 100, narrow.Rank)

	_, err = LowRankEntropy(ctx, k, x, &LowRankOptions{MaxRank: -1})
	require.ErrorIs(t, err, fault.ErrParam)
	_, err = LowRankEntropy(ctx, k, x, &LowRankOptions{Tolerance: -1})
	require.ErrorIs(t, err, fault.ErrParam)
	_, err = LowRankEntropy(ctx, kernels.RBF{Gamma: -1}, x, nil)
	require.ErrorIs(t, err, fault.ErrParam)
	_, err = LowRankEntropy(ctx, k, nil, nil)
	require.ErrorIs(t, err, fault.ErrShape)
}

// BenchmarkLowRank reports the ratio of the time for all eigenvalues to the time for bounds of width 0.01, for an entropy of about
// a quarter.
func BenchmarkLowRank(b *testing.B) {
	const n = 4000
	x := normal(n, 8, 1)
	k := kernels.RBF{Gamma: 0.008}
	var low, exact time.Duration
	var l *LowRank
	b.ReportAllocs()
	for b.Loop() {
		begin := time.Now()
		var err error
		if l, err = LowRankEntropy(ctx, k, x, nil); err != nil {
			b.Fatal(err)
		}
		low += time.Since(begin)
		begin = time.Now()
		m, err := kernels.Matrix(ctx, k, x, nil)
		if err != nil {
			b.Fatal(err)
		}
		w, err := linalg.Eigenvalues(ctx, m)
		require.NoError(b, err)
		s := EntropyOfEigenvalues(w)
		exact += time.Since(begin)
		b.ReportMetric(s.Entropy, "entropy")
		b.ReportMetric(l.Point.Entropy, "estimate")
	}
	b.ReportMetric(exact.Seconds()/low.Seconds(), "exact/low-rank")
	b.ReportMetric(float64(l.Rank), "pivots")
}
