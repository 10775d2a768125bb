package solver

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// For rows outside a sample, the sum of the leverages from the sample times the factor agrees with that of the leverages from all
// rows, up to a twentieth. Without the factor the leverages are too large by an eighth or more.
func TestOutsideFactor(t *testing.T) {
	const n, m, sample = 12_000, 100, 500
	rng := rand.New(rand.NewPCG(5, 1))
	z := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			z.Set(i, j, rng.NormFloat64()/math.Sqrt(1+float64(j)))
		}
	}
	leverages := func(of *mat.Dense, ridge float64) (sum, effective float64) { // leverages of the last 2000 rows, with G from other rows
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
