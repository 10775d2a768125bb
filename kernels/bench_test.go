package kernels

import (
	"math"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

// BenchmarkMatrix5000x10 measures an RBF matrix of 5000 rows and 10 columns. In the same run it measures its necessary parts:
// gonum's matrix product XXᵀ (in its fast form, X times a stored transpose) and the exponentials of the n(n+1)/2 distinct elements,
// with the same number of workers. "ratio" is the first time divided by the sum of the other two, and "matrices" is the peak of
// allocated memory in units of the result.
func BenchmarkMatrix5000x10(b *testing.B) {
	const n = 5000
	x := random(n, 10, 1)
	xt := mat.DenseCopyOf(x.T())
	dst := mat.NewDense(n, n, nil)
	var kernel, product, exponentials time.Duration
	var bytes uint64
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		dst.Mul(x, xt)
		product += time.Since(start)

		start = time.Now()
		_ = parallel.ForEach(ctx, 0, n, func(i int) error {
			row := dst.RawRowView(i)[i:]
			for j, v := range row {
				row[j] = math.Exp(-0.05 * v * v)
			}
			return nil
		})
		exponentials += time.Since(start)

		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start = time.Now()
		k, err := Matrix(ctx, RBF{Gamma: 0.05}, x, nil)
		kernel += time.Since(start)
		if err != nil {
			b.Fatal(err)
		}
		// TotalAlloc counts all allocations, freed or not, and is an upper bound of the peak.
		runtime.ReadMemStats(&after)
		bytes = max(bytes, after.TotalAlloc-before.TotalAlloc)
		runtime.KeepAlive(k)
	}
	b.ReportMetric(kernel.Seconds()/(product+exponentials).Seconds(), "ratio")
	b.ReportMetric(float64(bytes)/(8*n*n), "matrices")
	b.ReportMetric(kernel.Seconds()/float64(b.N), "s/kernel")
	b.ReportMetric(product.Seconds()/float64(b.N), "s/product")
	b.ReportMetric(exponentials.Seconds()/float64(b.N), "s/exp")
}
