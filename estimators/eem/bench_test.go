package eem

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
)

// problem returns n rows of two classes with 20 columns.
func problem(n int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(n, 20, nil), make([]int, n)
	raw := x.RawMatrix().Data
	for i := range raw {
		raw[i] = rng.NormFloat64()
	}
	for i := range y {
		if x.At(i, 0)+x.At(i, 1)*x.At(i, 2) > 0 {
			y[i] = 1
		}
	}
	return x, y
}

const benchRows, benchUnits = 100_000, 500

// product returns the time of the symmetric products that the statistics of all rows contain. It uses one goroutine and computes a
// panel of columns at a time, which is fastest.
func product() time.Duration {
	y := mat.NewDense(benchUnits, moments.PanelRows, nil)
	for i := range y.RawMatrix().Data {
		y.RawMatrix().Data[i] = float64(i%17) - 8
	}
	c := mat.NewSymDense(benchUnits, nil)
	begin := time.Now()
	for first := 0; first < benchRows; first += moments.PanelRows {
		c.SymRankK(c, 1, y.Slice(0, benchUnits, 0, min(moments.PanelRows, benchRows-first)))
	}
	return time.Since(begin)
}

// peak returns the largest heap size during f, in MB above the size before f.
func peak(f func()) float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	var done atomic.Bool
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for !done.Load() {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			time.Sleep(2 * time.Millisecond)
		}
	}()
	f()
	done.Store(true)
	<-stopped
	return float64(most-before) / (1 << 20)
}

// fitted returns the time of a fit of a Classifier in chunks of the given number of rows.
func fitted(b *testing.B, x *mat.Dense, y []int, workers, chunk int) time.Duration {
	c := &Classifier{Units: benchUnits, Workers: workers}
	begin := time.Now()
	for first := 0; first < benchRows; first += chunk {
		if err := c.PartialFit(ctx, x.Slice(first, first+chunk, 0, 20), y[first:first+chunk]); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.Solve(ctx); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}

// BenchmarkFit100k fits 100 000 rows with 20 columns and 500 units, at once and in chunks of 10 000 rows. It reports the times as
// multiples of the time of the symmetric product, the memory without the rows, and the speedup with two workers.
func BenchmarkFit100k(b *testing.B) {
	x, y := problem(benchRows)
	for name, chunk := range map[string]int{"at-once": benchRows, "streamed": benchRows / 10} {
		b.Run(name, func(b *testing.B) {
			const long = time.Hour
			one, two, products := long, long, long // minimum times, because other load affects them least
			b.ReportAllocs()
			for b.Loop() {
				products = min(products, product())
				one = min(one, fitted(b, x, y, 1, chunk))
				two = min(two, fitted(b, x, y, 2, chunk))
			}
			b.ReportMetric(one.Seconds()/products.Seconds(), "times-the-product")
			b.ReportMetric(one.Seconds()/two.Seconds(), "gain-of-2-workers")
			b.ReportMetric(peak(func() { fitted(b, x, y, 2, chunk) }), "peak-MB")
			b.ReportMetric(benchRows/two.Seconds(), "rows/s")
		})
	}
}
