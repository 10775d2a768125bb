package loo

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// BenchmarkSearch500 times the search for a ridge at n = 500, and reports its cost relative to one Cholesky factorisation with the
// diagonal of the inverse, the cost of a single ridge without the reduction.
func BenchmarkSearch500(b *testing.B) {
	const n = 500
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, n)
	y := mat.NewDense(n, 1, nil)
	for i := range n {
		x[i] = 10 * rng.Float64()
		y.Set(i, 0, math.Sin(x[i])+0.1*rng.NormFloat64())
	}
	gram := func(ridge float64) *mat.SymDense {
		k := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				k.SetSym(i, j, math.Exp(-(x[i]-x[j])*(x[i]-x[j])))
			}
			k.SetSym(i, i, 1+ridge)
		}
		return k
	}
	var reduce, search, one time.Duration
	b.ReportAllocs()
	for b.Loop() {
		k := gram(0)
		start := time.Now()
		p := must(New(ctx, k, y, nil, 0))
		reduce += time.Since(start)
		start = time.Now()
		if _, err := p.Search(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
		search += time.Since(start)
		k = gram(1e-2)
		start = time.Now()
		c, err := linalg.NewCholesky(ctx, "K", k)
		if err != nil {
			b.Fatal(err)
		}
		must(c.DiagInverse(ctx))
		one += time.Since(start)
	}
	b.ReportMetric((reduce+search).Seconds()/one.Seconds(), "ridges")
	b.ReportMetric(reduce.Seconds()/float64(b.N)*1e3, "ms/reduction")
	b.ReportMetric(search.Seconds()/float64(b.N)*1e3, "ms/search")
	b.ReportMetric(one.Seconds()/float64(b.N)*1e3, "ms/cholesky")
}
