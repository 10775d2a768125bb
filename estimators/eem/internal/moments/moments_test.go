package moments_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments/momentstest"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

type ledoitWolf struct {
	H       [][]float64
	Rho, Mu float64
	Cov     [][]float64
	Mean    []float64
	C2      [][]float64
	C3      []float64
	C4      float64
}

func TestLedoitWolfReference(t *testing.T) {
	var cases []ledoitWolf
	golden.Load(t, "ledoit_wolf.json", &cases)
	for i, c := range cases {
		s := momentstest.Sum(t, golden.Dense(c.H))
		assert.LessOrEqual(t, golden.MaxError(s.Means, c.Mean), 1e-9, i)
		assert.LessOrEqual(t, golden.MaxError(momentstest.Flat(s.C2), momentstest.Flat(golden.Dense(c.C2))), 1e-9, i)
		assert.LessOrEqual(t, golden.MaxError(s.C3, c.C3), 1e-9, i)
		assert.InDelta(t, c.C4, s.C4, 1e-9, i)
		cov, rho := s.LedoitWolf()
		assert.InDelta(t, c.Rho, rho, 1e-12, i)
		assert.LessOrEqual(t, golden.MaxError(momentstest.Flat(cov), momentstest.Flat(golden.Dense(c.Cov))), 1e-9, i)
	}
}

// The shrinkage agrees with its definition. ρ is the ratio of two squared distances, divided by n. The first is the mean squared
// distance of the products yy' from their mean. The second is the squared distance of this mean from the nearest multiple of I.
func TestLedoitWolfDefinition(t *testing.T) {
	for _, c := range [][2]int{{20, 3}, {8, 12}, {200, 5}} {
		x := momentstest.Random(c[0], c[1], 3)
		s := momentstest.Sum(t, x)
		n, h := float64(c[0]), c[1]
		cov := s.Covariance()
		mu := mat.Trace(cov) / float64(h)
		distance := func(a, b func(i, j int) float64) (sum float64) {
			for i := range h {
				for j := range h {
					d := a(i, j) - b(i, j)
					sum += d * d / float64(h)
				}
			}
			return sum
		}
		spread := 0.0
		for k := range c[0] {
			row := x.RawRowView(k)
			spread += distance(func(i, j int) float64 { return (row[i] - s.Means[i]) * (row[j] - s.Means[j]) }, cov.At) / n / n
		}
		delta := distance(cov.At, func(i, j int) float64 {
			if i == j {
				return mu
			}
			return 0
		})
		_, rho := s.LedoitWolf()
		assert.InDelta(t, min(spread, delta)/delta, rho, 1e-10)
	}
}

func TestMergeReference(t *testing.T) {
	var c struct {
		A, B    [][]float64
		AM      []float64   `json:"a_m"`
		AC2     [][]float64 `json:"a_C2"`
		AC3     []float64   `json:"a_C3"`
		AC4     float64     `json:"a_C4"`
		MM      []float64   `json:"merged_m"`
		MC2     [][]float64 `json:"merged_C2"`
		MC3     []float64   `json:"merged_C3"`
		MC4     float64     `json:"merged_C4"`
		MergedN float64     `json:"merged_n"`
		Rho     float64     `json:"lw_rho"`
	}
	golden.Load(t, "merge.json", &c)
	a, b := momentstest.Sum(t, golden.Dense(c.A)), momentstest.Sum(t, golden.Dense(c.B))
	assert.LessOrEqual(t, golden.MaxError(momentstest.Flat(a.C2), momentstest.Flat(golden.Dense(c.AC2))), 1e-9)
	assert.LessOrEqual(t, golden.MaxError(a.C3, c.AC3), 1e-9)
	assert.InDelta(t, c.AC4, a.C4, 1e-9)
	require.NoError(t, a.Merge(b))
	assert.Equal(t, c.MergedN, a.Weight)
	assert.LessOrEqual(t, golden.MaxError(a.Means, c.MM), 1e-9)
	assert.LessOrEqual(t, golden.MaxError(momentstest.Flat(a.C2), momentstest.Flat(golden.Dense(c.MC2))), 1e-9)
	assert.LessOrEqual(t, golden.MaxError(a.C3, c.MC3), 1e-9)
	assert.InDelta(t, c.MC4, a.C4, 1e-9)
	_, rho := a.LedoitWolf()
	assert.InDelta(t, c.Rho, rho, 1e-12)
}

// Any grouping and order of blocks gives the same moments as one pass over all rows. Removing a block undoes adding it. This also
// holds if all rows have a common offset of a million.
func TestMergeAndUnmerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, h := rapid.IntRange(4, 60).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "h")
		x := momentstest.Random(n, h, rapid.Uint64().Draw(t, "seed"))
		cut, second := rapid.IntRange(1, n-2).Draw(t, "cut"), 0
		second = rapid.IntRange(cut+1, n-1).Draw(t, "second")
		for offset, tolerance := range map[float64]float64{0: 1e-10, 1e6: 1e-7} {
			shifted := mat.DenseCopyOf(x)
			shifted.Apply(func(_, _ int, v float64) float64 { return v + offset }, shifted)
			part := func(from, to int) *mat.Dense { return shifted.Slice(from, to, 0, h).(*mat.Dense) }
			a, b, c := part(0, cut), part(cut, second), part(second, n)
			whole := momentstest.Sum(t, shifted)
			momentstest.Near(t, whole, momentstest.Sum(t, a, b, c), tolerance)
			bc, a1 := momentstest.Sum(t, c, b), momentstest.Sum(t, a)
			require.NoError(t, bc.Merge(a1))
			momentstest.Near(t, whole, bc, tolerance)

			require.NoError(t, bc.Unmerge(a1))
			if offset == 0 {
				// The tolerance is relative to the sums before the removal, because the remainder may be much smaller.
				got, want := bc, momentstest.Sum(t, b, c)
				require.Equal(t, want.Weight, got.Weight)
				assert.InDeltaSlice(t, want.Means, got.Means, 1e-10*(1+float64(n)))
				assert.InDeltaSlice(t, momentstest.Flat(want.C2), momentstest.Flat(got.C2), 1e-10*(1+mat.Trace(whole.C2)))
				assert.InDelta(t, want.C4, got.C4, 1e-10*(1+whole.C4))
			}
		}
	})
}

func TestErrors(t *testing.T) {
	s := momentstest.Sum(t, momentstest.Random(5, 3, 1))
	assert.ErrorIs(t, s.Add(momentstest.Random(5, 2, 1)), estimators.ErrShape)
	assert.ErrorIs(t, s.Add(nil), estimators.ErrShape)
	assert.ErrorIs(t, s.Add(mat.NewDense(1, 3, []float64{1, math.NaN(), 2})), estimators.ErrNotFinite)
	assert.ErrorIs(t, s.Add(mat.NewDense(2, 3, []float64{1, 1e200, 2, 0, 0, 0})), estimators.ErrNotFinite)
	assert.ErrorIs(t, s.Merge(momentstest.Sum(t, momentstest.Random(5, 2, 1))), estimators.ErrShape)
	assert.ErrorIs(t, s.Unmerge(momentstest.Sum(t, momentstest.Random(5, 2, 1))), estimators.ErrShape)
	assert.ErrorIs(t, s.Unmerge(momentstest.Sum(t, momentstest.Random(6, 3, 1))), estimators.ErrShape)
	assert.EqualValues(t, 5, s.Weight)
	assert.Len(t, s.Means, 3)
	require.NoError(t, s.Merge(nil))
	require.NoError(t, s.Unmerge(&moments.Moments{}))
	require.NoError(t, s.Unmerge(s.Clone()))
	assert.Zero(t, s.Weight)
	cov, rho := s.LedoitWolf()
	assert.Nil(t, cov)
	assert.Zero(t, rho)
}
