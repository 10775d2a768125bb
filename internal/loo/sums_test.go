package loo

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// With and without an intercept, the evidence from sums agrees with that from the rows, and the residuals agree with those of the
// machine.
func TestSumsAreRows(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(1, 5))
	for _, intercept := range []bool{true, false} {
		n, d := 60, 7
		z, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
		for i := range n {
			for j := range d {
				z.Set(i, j, rng.NormFloat64()*float64(j+1))
			}
			y.Set(i, 0, z.At(i, 0)-z.At(i, 3)/4+rng.NormFloat64())
		}
		leverage, weight := make([]float64, n), 0.0
		if intercept {
			weight = float64(n)
			for i := range n {
				leverage[i] = 1 / weight
			}
			centred(z)
			centred(y)
		}
		gram := mat.NewSymDense(d, nil)
		gram.SymOuterK(1, z.T())
		var moment mat.Dense
		moment.Mul(z.T(), y)
		square := mat.Dot(y.ColView(0), y.ColView(0))
		own := mat.NewSymDense(d, nil)
		own.CopySym(gram)
		s, err := NewSums(ctx, own, mat.Col(nil, 0, &moment), square, n, weight)
		require.NoError(t, err)
		for _, ridge := range []float64{1e-3, 1, 30, 1e5} {
			got, err := s.Error(ctx, ridge)
			require.NoError(t, err)
			assert.InEpsilon(t, -directEvidence(z, y, ridge, intercept), got, 1e-9, "ridge %v, intercept %v", ridge, intercept)
			squares, free, ok := s.Residual(ridge)
			require.True(t, ok)
			wantSquares, wantFree := directResidual(z, y, gram, &moment, ridge, leverage)
			assert.InEpsilon(t, wantSquares, squares, 1e-10)
			assert.InEpsilon(t, wantFree, free, 1e-10)
		}
		best, err := s.Search(ctx, nil)
		require.NoError(t, err)
		for _, ridge := range []float64{best.Ridge / 1.2, best.Ridge * 1.2} {
			v, err := s.Error(ctx, ridge)
			require.NoError(t, err)
			assert.Greater(t, v, best.Error)
		}
	}
	none, err := NewSums(ctx, mat.NewSymDense(2, []float64{1, 0, 0, 1}), []float64{0, 0}, 0, 5, 5)
	require.NoError(t, err)
	best, err := none.Search(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, best.Edge, "constant targets choose the smoothest machine")
}

func centred(m *mat.Dense) {
	n, d := m.Dims()
	for j := range d {
		mean := mat.Sum(m.ColView(j)) / float64(n)
		for i := range n {
			m.Set(i, j, m.At(i, j)-mean)
		}
	}
}

// directEvidence returns the log evidence of a Gaussian with covariance ∝ ZZ'/λ + I at its best variance. With an intercept it is
// that of the contrasts.
func directEvidence(z, y *mat.Dense, ridge float64, intercept bool) float64 {
	n, _ := z.Dims()
	k := mat.NewSymDense(n, nil)
	k.SymOuterK(1, z)
	for i := range n {
		k.SetSym(i, i, k.At(i, i)+ridge)
	}
	var chol mat.Cholesky
	chol.Factorize(k)
	var solved mat.Dense
	if err := chol.SolveTo(&solved, y); err != nil {
		return math.NaN()
	}
	q, f, det := mat.Dot(y.ColView(0), solved.ColView(0)), float64(n), chol.LogDet()
	if intercept {
		ones := mat.NewDense(n, 1, nil)
		for i := range n {
			ones.Set(i, 0, 1)
		}
		var eta mat.Dense
		if err := chol.SolveTo(&eta, ones); err != nil {
			return math.NaN()
		}
		f--
		det += math.Log(mat.Sum(&eta))
	}
	return -f/2*(math.Log(2*math.Pi*q/f)+1) - det/2
}

func directResidual(z, y *mat.Dense, gram *mat.SymDense, moment *mat.Dense, ridge float64, leverage []float64) (squares, free float64) {
	n, d := z.Dims()
	a := mat.NewSymDense(d, nil)
	a.CopySym(gram)
	for j := range d {
		a.SetSym(j, j, a.At(j, j)+ridge)
	}
	var inverse, beta, fitted, hat mat.Dense
	if err := inverse.Inverse(a); err != nil {
		return math.NaN(), math.NaN()
	}
	beta.Mul(&inverse, moment)
	fitted.Mul(z, &beta)
	hat.Mul(z, &inverse)
	for i := range n {
		e := y.At(i, 0) - fitted.At(i, 0)
		squares += e * e
		free += 1 - mat.Dot(hat.RowView(i), z.RowView(i)) - leverage[i]
	}
	return squares, free
}
