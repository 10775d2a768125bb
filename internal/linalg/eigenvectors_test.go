package linalg

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// A v = λ v holds with orthonormal vectors, for equal, close, distant and zero eigenvalues, and for block diagonal matrices.
func TestEigen(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) *mat.SymDense {
		a := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				a.SetSym(i, j, rng.NormFloat64())
			}
		}
		return a
	}
	gram := func(n, rank int) *mat.SymDense {
		x := mat.NewDense(n, rank, nil)
		for i := range n {
			for j := range rank {
				x.Set(i, j, rng.NormFloat64()*math.Pow(10, -float64(j)/4))
			}
		}
		a := mat.NewSymDense(n, nil)
		a.SymOuterK(1, x)
		return a
	}
	of := func(n int, f func(i, j int) float64) *mat.SymDense {
		a := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				a.SetSym(i, j, f(i, j))
			}
		}
		return a
	}
	same := func(i, j int) float64 {
		if i == j {
			return 1
		}
		return 0
	}
	for name, a := range map[string]*mat.SymDense{
		"one":       of(1, func(int, int) float64 { return -3 }),
		"two":       random(2),
		"random":    random(90),
		"of rank 7": gram(80, 7),
		"decaying":  gram(60, 60),
		"identity":  of(30, same),
		"zero":      of(20, func(int, int) float64 { return 0 }),
		"ones":      of(40, func(int, int) float64 { return 1 }),
		"parts": of(40, func(i, j int) float64 { // eight equal blocks
			if i/5 == j/5 {
				return 1 / float64(1+i%5+j%5)
			}
			return 0
		}),
		"Wilkinson": of(41, func(i, j int) float64 { // pairs of nearly equal eigenvalues
			switch j - i {
			case 0:
				return math.Abs(float64(i - 20))
			case 1:
				return 1
			}
			return 0
		}),
		"huge": of(12, func(i, j int) float64 { return 1e290 / float64(1+i+j) }),
		"tiny": of(12, func(i, j int) float64 { return 1e-290 / float64(1+i+j) }),
		"large": func() *mat.SymDense {
			return gram(300, 300)
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			n := a.SymmetricDim()
			own := mat.NewSymDense(n, nil)
			own.CopySym(a)
			values, vectors, err := Eigen(context.Background(), own, func([]float64) int { return n })
			require.NoError(t, err)
			norm := 0.0
			for i, v := range values {
				norm = max(norm, math.Abs(v))
				assert.True(t, i == 0 || v <= values[i-1], "they descend")
			}
			var products, squares mat.Dense
			products.Mul(a, vectors)
			squares.Mul(vectors.T(), vectors)
			limit := 1e-14 * float64(n+10)
			for i := range n {
				for j, v := range values {
					assert.LessOrEqual(t, math.Abs(products.At(i, j)-v*vectors.At(i, j)), limit*norm, "%d of vector %d", i, j)
					assert.InDelta(t, same(i, j), squares.At(i, j), limit, "%d and %d", i, j)
				}
			}
			own.CopySym(a)
			again, few, err := Eigen(context.Background(), own, func(v []float64) int { return (len(v) + 1) / 2 })
			require.NoError(t, err)
			assert.Equal(t, values, again)
			assert.True(t, mat.Equal(vectors.Slice(0, n, 0, (n+1)/2), few) || mat.EqualApprox(vectors.Slice(0, n, 0, (n+1)/2), few, 1e-12), "the first of them")
		})
	}
	values, none, err := Eigen(context.Background(), random(5), func([]float64) int { return 0 })
	require.NoError(t, err)
	assert.Len(t, values, 5)
	assert.Nil(t, none)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err = Eigen(ctx, random(5), func([]float64) int { return 5 })
	require.ErrorIs(t, err, context.Canceled)
}
