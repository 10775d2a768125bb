package selection

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// Against the density of a multivariate normal, written out with an inverse and
// a determinant, over the same ridges and a fine grid of s².
func TestLogEvidenceIsADensity(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 18
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		y.Set(i, 0, math.Sin(2*x.At(i, 0))+0.2*rng.NormFloat64())
	}
	k, err := kernels.Matrix(context.Background(), kernels.RBF{Gamma: 0.7}, x, nil)
	require.NoError(t, err)
	best, bestRidge := math.Inf(-1), 0.0
	for i := range evidenceRidgeCount {
		lambda := math.Pow(10, -6+8*float64(i)/(evidenceRidgeCount-1))
		a := mat.DenseCopyOf(k)
		for r := range n {
			a.Set(r, r, a.At(r, r)+lambda)
		}
		var inv, q mat.Dense
		if inv.Inverse(a) != nil {
			continue
		}
		q.Product(y.T(), &inv, y)
		det, _ := mat.LogDet(a)
		for s := -12.0; s <= 12; s += 1e-3 {
			v := -0.5*q.At(0, 0)/math.Exp(s) - 0.5*(det+n*s) - n/2.0*math.Log(2*math.Pi)
			if v > best {
				best, bestRidge = v, lambda
			}
		}
	}
	_, got, ridge := logEvidence(k, y, nil, 0)
	assert.InDelta(t, best, got, 1e-5)
	assert.InEpsilon(t, bestRidge, ridge, 1e-9)
}
