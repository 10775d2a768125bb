// Package blasbench times the routines of several BLAS implementations alternately in one run.
package blasbench

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
)

// A Contender is a BLAS to time.
type Contender struct {
	Name string
	BLAS blas.Float64
	// If Cholesky is not nil, it is an alternative to gonum's Cholesky factorisation on this BLAS. The faster of the two counts.
	Cholesky func(ul blas.Uplo, n int, a []float64, lda int) bool
	// Rest is the time for which the threads of the BLAS keep processors busy after a call. The benchmark waits for this time.
	Rest time.Duration
}

// A routine prepares a call to time. The fastest of several calls counts, and prepare runs before each.
type routine struct {
	name  string
	flops float64
	build func(c Contender) (prepare func(), calls []func())
}

func random(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// definite returns a symmetric matrix that is diagonally dominant on average, and so positive definite.
func definite(n int) []float64 {
	a := random(n * n)
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
		a[i*n+i] = 3 * float64(n)
	}
	return a
}

func single(call func()) (func(), []func()) { return func() {}, []func(){call} }

func stride(t blas.Transpose, rows, columns int) int {
	if t == blas.NoTrans {
		return columns
	}
	return rows
}

func dgemm(tA, tB blas.Transpose, m, n, k int) routine {
	name := fmt.Sprintf("Dgemm_%c%c_%dx%dx%d", tA, tB, m, n, k)
	return routine{name, 2 * float64(m) * float64(n) * float64(k), func(c Contender) (func(), []func()) {
		a, b, result := random(m*k), random(k*n), make([]float64, m*n)
		lda, ldb := stride(tA, m, k), stride(tB, k, n)
		return single(func() { c.BLAS.Dgemm(tA, tB, m, n, k, 1, a, lda, b, ldb, 0, result, n) })
	}}
}

func dsyrk(t blas.Transpose, n, k int) routine {
	return routine{fmt.Sprintf("Dsyrk_%c_%dx%d", t, n, k), float64(n) * float64(n) * float64(k), func(c Contender) (func(), []func()) {
		a, result := random(n*k), make([]float64, n*n)
		lda := stride(t, n, k)
		return single(func() { c.BLAS.Dsyrk(blas.Upper, t, n, k, 1, a, lda, 0, result, n) })
	}}
}

func dsymm(n int) routine {
	return routine{fmt.Sprintf("Dsymm_%d", n), 2 * float64(n) * float64(n) * float64(n), func(c Contender) (func(), []func()) {
		a, b, result := random(n*n), random(n*n), make([]float64, n*n)
		return single(func() { c.BLAS.Dsymm(blas.Left, blas.Upper, n, n, 1, a, n, b, n, 0, result, n) })
	}}
}

func triangular(name string, s blas.Side, m, n int) routine {
	order := m
	if s == blas.Right {
		order = n
	}
	return routine{fmt.Sprintf("%s_%c_%dx%d", name, s, m, n), float64(m) * float64(n) * float64(order),
		func(c Contender) (func(), []func()) {
			a, b, result := definite(order), random(m*n), make([]float64, m*n)
			routine := c.BLAS.Dtrsm
			if name == "Dtrmm" {
				routine = c.BLAS.Dtrmm
			}
			return func() { copy(result, b) },
				[]func(){func() { routine(s, blas.Lower, blas.NoTrans, blas.NonUnit, m, n, 1, a, order, result, n) }}
		}}
}

func cholesky(n int) routine {
	return routine{fmt.Sprintf("Cholesky_%d", n), float64(n) * float64(n) * float64(n) / 3, func(c Contender) (func(), []func()) {
		a, factor := definite(n), make([]float64, n*n)
		try := func(potrf func(ul blas.Uplo, n int, a []float64, lda int) bool) func() {
			return func() {
				if !potrf(blas.Upper, n, factor, n) {
					panic("not positive definite")
				}
			}
		}
		calls := []func(){try(gonum.Implementation{}.Dpotrf)}
		if c.Cholesky != nil {
			calls = append(calls, try(c.Cholesky))
		}
		return func() { copy(factor, a); blas64.Use(c.BLAS) }, calls
	}}
}

func dgemv(t blas.Transpose, n int) routine {
	return routine{fmt.Sprintf("Dgemv_%c_%d", t, n), 2 * float64(n) * float64(n), func(c Contender) (func(), []func()) {
		a, x, y := random(n*n), random(n), make([]float64, n)
		return single(func() { c.BLAS.Dgemv(t, n, n, 1, a, n, x, 1, 0, y, 1) })
	}}
}

func dsymv(n int) routine {
	return routine{fmt.Sprintf("Dsymv_%d", n), 2 * float64(n) * float64(n), func(c Contender) (func(), []func()) {
		a, x, y := random(n*n), random(n), make([]float64, n)
		return single(func() { c.BLAS.Dsymv(blas.Upper, n, 1, a, n, x, 1, 0, y, 1) })
	}}
}

func dger(n int) routine {
	return routine{fmt.Sprintf("Dger_%d", n), 2 * float64(n) * float64(n), func(c Contender) (func(), []func()) {
		a, x, y := random(n*n), random(n), random(n)
		return single(func() { c.BLAS.Dger(n, n, 1e-9, x, 1, y, 1, a, n) })
	}}
}

func dsyr2(n int) routine {
	return routine{fmt.Sprintf("Dsyr2_%d", n), 2 * float64(n) * float64(n), func(c Contender) (func(), []func()) {
		a, x, y := random(n*n), random(n), random(n)
		return single(func() { c.BLAS.Dsyr2(blas.Upper, n, 1e-9, x, 1, y, 1, a, n) })
	}}
}

func level1(name string, n int, call func(b blas.Float64, x, y []float64)) routine {
	return routine{fmt.Sprintf("%s_%d", name, n), 2 * float64(n), func(c Contender) (func(), []func()) {
		x, y := random(n), random(n)
		return single(func() { call(c.BLAS, x, y) })
	}}
}

var routines = []routine{
	dgemm(blas.NoTrans, blas.NoTrans, 4, 4, 4),
	dgemm(blas.NoTrans, blas.NoTrans, 8, 8, 8),
	dgemm(blas.NoTrans, blas.NoTrans, 16, 16, 16),
	dgemm(blas.NoTrans, blas.NoTrans, 32, 32, 32),
	dgemm(blas.NoTrans, blas.NoTrans, 100, 100, 100),
	dgemm(blas.NoTrans, blas.NoTrans, 300, 300, 300),
	dgemm(blas.NoTrans, blas.NoTrans, 1000, 1000, 1000),
	dgemm(blas.NoTrans, blas.Trans, 1000, 1000, 1000),
	dgemm(blas.Trans, blas.NoTrans, 1000, 1000, 1000),
	dgemm(blas.Trans, blas.Trans, 1000, 1000, 1000),
	dgemm(blas.NoTrans, blas.Trans, 2000, 2000, 20),
	dgemm(blas.NoTrans, blas.NoTrans, 10000, 20, 20),
	dgemm(blas.NoTrans, blas.NoTrans, 10000, 500, 20),
	dgemm(blas.Trans, blas.NoTrans, 500, 500, 10000),
	dsyrk(blas.NoTrans, 500, 10000), dsyrk(blas.Trans, 500, 10000), dsyrk(blas.NoTrans, 2000, 20),
	dsymm(1000),
	triangular("Dtrsm", blas.Left, 1000, 1000), triangular("Dtrsm", blas.Right, 1000, 1000),
	triangular("Dtrsm", blas.Left, 64, 1500), triangular("Dtrmm", blas.Left, 1000, 1000),
	cholesky(200), cholesky(1000), cholesky(2000),
	dgemv(blas.NoTrans, 200), dgemv(blas.Trans, 200), dgemv(blas.NoTrans, 2000), dgemv(blas.Trans, 2000),
	dsymv(200), dsymv(2000), dger(200), dger(2000), dsyr2(200), dsyr2(2000),
	level1("Ddot", 1000, func(b blas.Float64, x, y []float64) { b.Ddot(len(x), x, 1, y, 1) }),
	level1("Daxpy", 1000, func(b blas.Float64, x, y []float64) { b.Daxpy(len(x), 1e-9, x, 1, y, 1) }),
	level1("Dscal", 1000, func(b blas.Float64, x, _ []float64) { b.Dscal(len(x), -1, x, 1) }),
	level1("Dnrm2", 1000, func(b blas.Float64, x, _ []float64) { b.Dnrm2(len(x), x, 1) }),
}

// Routines times each routine alternately on ours and on the others. It reports our shortest time, and for each of the others the
// ratio of its shortest time to ours. Ratios above 1 are in our favour.
func Routines(b *testing.B, ours blas.Float64, others ...Contender) {
	was := blas64.Implementation()
	defer blas64.Use(was)
	contenders := append([]Contender{{Name: "ours", BLAS: ours}}, others...)
	for _, r := range routines {
		b.Run(r.name, func(b *testing.B) {
			prepare, calls := make([]func(), len(contenders)), make([][]func(), len(contenders))
			least := make([]time.Duration, len(contenders))
			for i, c := range contenders {
				prepare[i], calls[i] = r.build(c)
				least[i] = time.Hour
			}
			repeat := max(1, int(1e5/r.flops)) // short calls are repeated
			round := func(i int) {
				for _, call := range calls[i] {
					prepare[i]()
					call() // wakes the processors
					prepare[i]()
					start := time.Now()
					for range repeat {
						call()
					}
					least[i] = min(least[i], time.Since(start)/time.Duration(repeat))
				}
			}
			for b.Loop() {
				for i := range contenders {
					round(i)
					time.Sleep(contenders[i].Rest)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(least[0].Nanoseconds())/1e3, "µs")
			b.ReportMetric(r.flops/float64(least[0].Nanoseconds()), "GFLOPS")
			for i, c := range contenders[1:] {
				b.ReportMetric(float64(least[i+1])/float64(least[0]), c.Name+"/ours")
			}
		})
	}
}
