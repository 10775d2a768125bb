package eem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

func random(n, h int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := mat.NewDense(n, h, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(1+j)*rng.NormFloat64() + float64(j) }, x)
	return x
}

func of(t require.TestingT, blocks ...mat.Matrix) *Statistics {
	s := &Statistics{}
	for _, b := range blocks {
		require.NoError(t, s.Add(b))
	}
	return s
}

func flat(m mat.Matrix) []float64 { return mat.DenseCopyOf(m).RawMatrix().Data }

// near fails unless two statistics agree, each moment in units of its own size.
func near(t require.TestingT, want, got *Statistics, tolerance float64) {
	require.Equal(t, want.n, got.n)
	for _, pair := range [][2][]float64{{want.mean, got.mean}, {flat(want.c2), flat(got.c2)}, {want.c3, got.c3}, {{want.c4}, {got.c4}}} {
		size, worst := 1e-300, 0.0
		for i, w := range pair[0] {
			size, worst = max(size, math.Abs(w)), max(worst, math.Abs(w-pair[1][i]))
		}
		if !(worst <= tolerance*size) {
			t.Errorf("moments differ by %v of %v", worst, size)
			t.FailNow()
		}
	}
}

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
		s := of(t, golden.Dense(c.H))
		assert.LessOrEqual(t, golden.MaxError(s.Mean(), c.Mean), 1e-9, i)
		assert.LessOrEqual(t, golden.MaxError(flat(s.c2), flat(golden.Dense(c.C2))), 1e-9, i)
		assert.LessOrEqual(t, golden.MaxError(s.c3, c.C3), 1e-9, i)
		assert.InDelta(t, c.C4, s.c4, 1e-9, i)
		cov, rho := s.LedoitWolf()
		assert.InDelta(t, c.Rho, rho, 1e-12, i)
		assert.LessOrEqual(t, golden.MaxError(flat(cov), flat(golden.Dense(c.Cov))), 1e-9, i)
	}
}

// The shrinkage from its definition: ρ is the mean squared distance of single products
// yy' from their mean, over n, to that of the mean from the nearest multiple of I.
func TestLedoitWolfDefinition(t *testing.T) {
	for _, c := range [][2]int{{20, 3}, {8, 12}, {200, 5}} {
		x := random(c[0], c[1], 3)
		s := of(t, x)
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
			spread += distance(func(i, j int) float64 { return (row[i] - s.mean[i]) * (row[j] - s.mean[j]) }, cov.At) / n / n
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
	a, b := of(t, golden.Dense(c.A)), of(t, golden.Dense(c.B))
	assert.LessOrEqual(t, golden.MaxError(flat(a.c2), flat(golden.Dense(c.AC2))), 1e-9)
	assert.LessOrEqual(t, golden.MaxError(a.c3, c.AC3), 1e-9)
	assert.InDelta(t, c.AC4, a.c4, 1e-9)
	require.NoError(t, a.Merge(b))
	assert.Equal(t, c.MergedN, a.n)
	assert.LessOrEqual(t, golden.MaxError(a.Mean(), c.MM), 1e-9)
	assert.LessOrEqual(t, golden.MaxError(flat(a.c2), flat(golden.Dense(c.MC2))), 1e-9)
	assert.LessOrEqual(t, golden.MaxError(a.c3, c.MC3), 1e-9)
	assert.InDelta(t, c.MC4, a.c4, 1e-9)
	_, rho := a.LedoitWolf()
	assert.InDelta(t, c.Rho, rho, 1e-12)
}

// Any grouping and order of blocks is one pass over all rows, and taking a block out
// again undoes putting it in, also with a common offset of a million.
func TestMergeAndUnmerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, h := rapid.IntRange(4, 60).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "h")
		x := random(n, h, rapid.Uint64().Draw(t, "seed"))
		cut, second := rapid.IntRange(1, n-2).Draw(t, "cut"), 0
		second = rapid.IntRange(cut+1, n-1).Draw(t, "second")
		for offset, tolerance := range map[float64]float64{0: 1e-10, 1e6: 1e-7} {
			shifted := mat.DenseCopyOf(x)
			shifted.Apply(func(_, _ int, v float64) float64 { return v + offset }, shifted)
			part := func(from, to int) *mat.Dense { return shifted.Slice(from, to, 0, h).(*mat.Dense) }
			a, b, c := part(0, cut), part(cut, second), part(second, n)
			whole := of(t, shifted)
			near(t, whole, of(t, a, b, c), tolerance)
			bc, a1 := of(t, c, b), of(t, a)
			require.NoError(t, bc.Merge(a1))
			near(t, whole, bc, tolerance)

			require.NoError(t, bc.Unmerge(a1))
			if offset == 0 {
				// In units of what was there: less may be left than was taken out.
				got, want := bc, of(t, b, c)
				require.Equal(t, want.n, got.n)
				assert.InDeltaSlice(t, want.mean, got.mean, 1e-10*(1+float64(n)))
				assert.InDeltaSlice(t, flat(want.c2), flat(got.c2), 1e-10*(1+mat.Trace(whole.c2)))
				assert.InDelta(t, want.c4, got.c4, 1e-10*(1+whole.c4))
			}
		}
	})
}

func TestStatisticsErrors(t *testing.T) {
	s := of(t, random(5, 3, 1))
	assert.ErrorIs(t, s.Add(random(5, 2, 1)), estimators.ErrShape)
	assert.ErrorIs(t, s.Add(nil), estimators.ErrShape)
	assert.ErrorIs(t, s.Add(mat.NewDense(1, 3, []float64{1, math.NaN(), 2})), estimators.ErrNotFinite)
	assert.ErrorIs(t, s.Add(mat.NewDense(2, 3, []float64{1, 1e200, 2, 0, 0, 0})), estimators.ErrNotFinite)
	assert.ErrorIs(t, s.Merge(of(t, random(5, 2, 1))), estimators.ErrShape)
	assert.ErrorIs(t, s.Unmerge(of(t, random(5, 2, 1))), estimators.ErrShape)
	assert.ErrorIs(t, s.Unmerge(of(t, random(6, 3, 1))), estimators.ErrShape)
	assert.EqualValues(t, 5, s.N())
	assert.Equal(t, 3, s.Dim())
	require.NoError(t, s.Merge(nil))
	require.NoError(t, s.Unmerge(&Statistics{}))
	require.NoError(t, s.Unmerge(s.Clone()))
	assert.Zero(t, s.N())
	cov, rho := s.LedoitWolf()
	assert.Nil(t, cov)
	assert.Zero(t, rho)
}

func TestStatisticsInAFile(t *testing.T) {
	for _, s := range []*Statistics{{}, of(t, random(7, 3, 2))} {
		data, err := s.MarshalBinary()
		require.NoError(t, err)
		got := &Statistics{}
		require.NoError(t, got.UnmarshalBinary(data))
		assert.Equal(t, s, got)
		assert.ErrorIs(t, got.UnmarshalBinary(data[:len(data)-1]), estimators.ErrBadModel)
	}
}

func TestGoldenStatistics(t *testing.T) {
	want, got := of(t, mat.NewDense(3, 2, []float64{1, 2, 3, 5, 8, 13})), &Statistics{}
	require.NoError(t, got.UnmarshalBinary(golden.Model(t, "Statistics-v1.keln", want.MarshalBinary)))
	assert.Equal(t, want.N(), got.N())
	assert.InDeltaSlice(t, want.Mean(), got.Mean(), 1e-12)
	assert.True(t, mat.EqualApprox(want.Covariance(), got.Covariance(), 1e-12))
}
