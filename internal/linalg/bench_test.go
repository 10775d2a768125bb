package linalg

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var benchmarkOrders = []int{300, 1000, 2000, 5000}

// dominant returns a positive definite matrix, built in n² steps.
func dominant(n int) *mat.SymDense {
	out := randomSymmetric(n, 3)
	for i := range n {
		out.SetSym(i, i, 3*float64(n))
	}
	return out
}

// besideProduct alternately times f, which takes cubes·n³ operations, and a matrix product of the same order. It reports both rates
// and their ratio. It calls prepare before f, without timing it.
func besideProduct(b *testing.B, n int, cubes float64, prepare, f func()) {
	x := randomDense(n, n, 1).RawMatrix()
	to := mat.NewDense(n, n, nil).RawMatrix()
	var own, product time.Duration
	for b.Loop() {
		begin := time.Now()
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, x, 0, to)
		product += time.Since(begin)
		prepare()
		begin = time.Now()
		f()
		own += time.Since(begin)
	}
	operations := float64(b.N) * float64(n) * float64(n) * float64(n) / 1e9
	rate, of := cubes*operations/own.Seconds(), 2*operations/product.Seconds()
	b.ReportMetric(rate, "GFLOPS")
	b.ReportMetric(of, "product-GFLOPS")
	b.ReportMetric(rate/of, "of-product")
	b.ReportMetric(own.Seconds()/float64(b.N)*1e3, "ms")
}

// benchmark runs f for each order, each time on a new copy of a matrix.
func benchmark(b *testing.B, cubes float64, f func(a *mat.SymDense)) {
	for _, n := range benchmarkOrders {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a := dominant(n)
			var own *mat.SymDense
			besideProduct(b, n, cubes, func() { own = clone(a) }, func() { f(own) })
		})
	}
}

func BenchmarkCholesky(b *testing.B) {
	benchmark(b, 1./3, func(a *mat.SymDense) {
		_, err := NewCholesky(background, "A", a)
		require.NoError(b, err)
	})
}

// benchmarkFactor runs f on the factor of a matrix for each order.
func benchmarkFactor(b *testing.B, cubes float64, f func(c *Cholesky)) {
	for _, n := range benchmarkOrders {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c, err := NewCholesky(background, "A", dominant(n))
			require.NoError(b, err)
			besideProduct(b, n, cubes, func() {}, func() { f(c) })
		})
	}
}

func BenchmarkInverse(b *testing.B) {
	benchmarkFactor(b, 2./3, func(c *Cholesky) { must(c.Inverse(background)) })
}

func BenchmarkDiagInverse(b *testing.B) {
	benchmarkFactor(b, 1./3, func(c *Cholesky) { must(c.DiagInverse(background)) })
}

// BenchmarkTridiagonalize compares the reductions in one stage and in two stages.
func BenchmarkTridiagonalize(b *testing.B) {
	for _, name := range []string{"one stage", "two stages"} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, 4./3, func(a *mat.SymDense) { reductions[name](a) })
		})
	}
	b.Run("with Q", func(b *testing.B) {
		benchmark(b, 8./3, func(a *mat.SymDense) { withQ(a, nil) })
	})
	b.Run("rotate one column", func(b *testing.B) {
		for _, n := range benchmarkOrders {
			b.Run(fmt.Sprint(n), func(b *testing.B) {
				t, column := must(Tridiagonalize(background, dominant(n))), randomDense(n, 1, 1)
				for b.Loop() {
					require.NoError(b, t.Rotate(background, column))
				}
			})
		}
	})
}
