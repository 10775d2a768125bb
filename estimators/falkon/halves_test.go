package falkon

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
)

// The preconditioner has its rows, and two a landmark or 4000 of others are outside where so many are
// drawn; fewer are shared out alike, and each row is in one of both.
func TestHalves(t *testing.T) {
	for _, c := range []struct{ m, drawn, sample, outside int }{
		{100, 1000, 400, 600}, {1000, 8000, 4000, 4000}, {2000, 12000, 8000, 4000}, {3000, 18000, 12000, 6000},
		{3000, 9000, 6000, 3000}, {1000, 3000, 1500, 1500}, {500, 5, 3, 2}, {500, 2, 1, 1},
	} {
		d := &drawn{sample: 4 * c.m, outside: outsideFor(c.m), Batch: rows.Batch{X: mat.NewDense(c.drawn, 1, nil), Y: mat.NewDense(c.drawn, 1, nil)}}
		for i := range c.drawn {
			d.X.Set(i, 0, float64(i))
		}
		sample, outside := d.halves()
		assert.Equal(t, []int{c.sample, c.outside}, []int{sample.N, outside.N}, "%d landmarks, %d rows", c.m, c.drawn)
		assert.Equal(t, 0., sample.Whole.X.At(0, 0))
		assert.Equal(t, float64(c.sample), outside.Whole.X.At(0, 0))
	}
}

// The leverages that a sample gives of rows outside it, times the factor, sum to those of all rows to a twentieth, where
// without it they are an eighth too large or more.
func TestOutsideFactor(t *testing.T) {
	const n, m, sample = 12_000, 100, 500
	rng := rand.New(rand.NewPCG(5, 1))
	z := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			z.Set(i, j, rng.NormFloat64()/math.Sqrt(1+float64(j)))
		}
	}
	leverages := func(of *mat.Dense, ridge float64) (sum, effective float64) { // of the last 2000 rows with G of other ones
		rows, _ := of.Dims()
		g := mat.NewSymDense(m, nil)
		g.SymOuterK(1/float64(rows), of.T())
		for j := range m {
			g.SetSym(j, j, g.At(j, j)+ridge)
		}
		var chol mat.Cholesky
		require.True(t, chol.Factorize(g))
		var inverse mat.SymDense
		require.NoError(t, chol.InverseTo(&inverse))
		var zi mat.Dense
		last := z.Slice(n-2000, n, 0, m)
		zi.Mul(last, &inverse)
		zi.MulElem(&zi, last)
		return mat.Sum(&zi), m - ridge*mat.Trace(&inverse)
	}
	const ridge = .003
	few, effective := leverages(z.Slice(0, sample, 0, m).(*mat.Dense), ridge)
	all, _ := leverages(z.Slice(0, n-2000, 0, m).(*mat.Dense), ridge)
	assert.Greater(t, few/all, 1.12)
	assert.InDelta(t, 1, few*outsideFactor(effective, sample)/all, .05)
}

// More rows make a better preconditioner worth its while, more landmarks a smaller one, and it is never
// of more than a quarter of the rows unless those are few.
func TestSampleRows(t *testing.T) {
	var s machineSettings
	for _, c := range []struct{ n, m, d, want int }{
		{100_000, 500, 20, 29}, {1_000_000, 500, 20, 32}, {100_000, 2000, 20, 6}, {1_000_000, 2000, 10, 20},
		{20_000, 1000, 10, 5}, {30_000, 500, 10, 13}, {1_000_000, 5000, 10, 7}, {1000, 500, 10, 4},
	} {
		assert.Equal(t, c.want*c.m, s.sampleRows(c.n, c.m, c.d), "%v", c)
	}
	for m := 300; m < 10_000; m *= 2 {
		last := leastSample * m
		for n := 1000; n < 10_000_000; n *= 2 {
			rows := s.sampleRows(n, m, 10)
			assert.GreaterOrEqual(t, rows, last)
			assert.True(t, rows == leastSample*m || rows <= n/4)
			last = rows
		}
	}
}
