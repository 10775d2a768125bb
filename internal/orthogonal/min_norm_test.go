package orthogonal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// A⁺B agrees with the result from singular values, for tall, wide, square and rank-deficient A.
func TestMinNorm(t *testing.T) {
	for _, c := range []struct{ m, n, rank int }{{12, 5, 5}, {5, 12, 5}, {7, 7, 7}, {12, 6, 3}, {6, 12, 4}, {1, 1, 1}, {1, 9, 1}, {9, 1, 1}, {150, 90, 70}, {400, 90, 70}, {400, 90, 90}, {14, 5, 3}, {13, 5, 3}} {
		left, right := random(c.m, c.rank, 1), random(c.rank, c.n, 2)
		var a mat.Dense
		a.Mul(left, right)
		b := random(c.m, 2, 3)
		var svd mat.SVD
		require.True(t, svd.Factorize(&a, mat.SVDThin))
		var want mat.Dense
		svd.SolveTo(&want, b, c.rank)
		var rest mat.Dense
		rest.Mul(&a, &want)
		rest.Sub(&rest, b)
		got, rank, residual, err := MinNorm(t.Context(), mat.DenseCopyOf(&a), mat.DenseCopyOf(b))
		require.NoError(t, err)
		assert.Equal(t, c.rank, rank, c)
		assert.True(t, mat.EqualApprox(&want, got, 1e-10), "%v: %v", c, mat.Formatted(got))
		assert.InDelta(t, mat.Norm(&rest, 2)*mat.Norm(&rest, 2), residual, 1e-10, c)
	}
	got, rank, residual, err := MinNorm(t.Context(), mat.NewDense(3, 2, nil), mat.NewDense(3, 1, []float64{1, 2, 2}))
	require.NoError(t, err)
	assert.Equal(t, 0, rank)
	assert.Zero(t, mat.Norm(got, 1))
	assert.Equal(t, 9.0, residual)
	got, rank, residual, err = MinNorm(t.Context(), mat.NewDense(6, 2, nil), mat.NewDense(6, 1, []float64{1, 2, 2, 0, 0, 0}))
	require.NoError(t, err)
	assert.Equal(t, 0, rank)
	assert.Zero(t, mat.Norm(got, 1))
	assert.InDelta(t, 9, residual, 1e-14)
}

// A solution cancelled at any check of its context ends with the context's error.
func TestMinNormHearsItsContext(t *testing.T) {
	for name, shape := range map[string][2]int{"tall": {500, 100}, "wide": {100, 150}} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, _, err := MinNorm(ctx, random(shape[0], shape[1], 4), random(shape[0], 3, 5))
		assert.ErrorIs(t, err, context.Canceled, name)
		_, err = ThinQR(ctx, random(150, 100, 4))
		assert.ErrorIs(t, err, context.Canceled)
	}
}

func random(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return x
}

// BenchmarkMinNorm solves a least-squares problem with 4 targets. It also times the pivoted factorisation of all rows, which
// MinNorm avoids for a tall A.
func BenchmarkMinNorm(b *testing.B) {
	for _, shape := range [][2]int{{1000, 100}, {2000, 500}, {10000, 200}} {
		m, n := shape[0], shape[1]
		b.Run(fmt.Sprintf("%dx%d", m, n), func(b *testing.B) {
			a, targets := random(m, n, 1), random(m, 4, 2)
			order, tau, work := make([]int, n), make([]float64, n), make([]float64, 2*n+(n+1)*64)
			least := [2]time.Duration{time.Hour, time.Hour}
			for b.Loop() {
				x, y := mat.DenseCopyOf(a), mat.DenseCopyOf(targets)
				start := time.Now()
				_, _, _, err := MinNorm(b.Context(), x, y)
				require.NoError(b, err)
				least[0] = min(least[0], time.Since(start))
				for i := range order {
					order[i] = -1
				}
				x.Copy(a)
				start = time.Now()
				lapack64.Geqp3(x.RawMatrix(), order, tau, work, len(work))
				least[1] = min(least[1], time.Since(start))
			}
			b.ReportMetric(least[0].Seconds()*1e3, "ms")
			b.ReportMetric(float64(least[1])/float64(least[0]), "pivoted/ours")
		})
	}
}
