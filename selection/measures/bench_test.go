package measures

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// normal returns n×d standard normal numbers.
func normal(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	out := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			out.Set(i, j, rng.NormFloat64())
		}
	}
	return out
}

// BenchmarkMeasures5000x10 times the measures of an RBF matrix of 5000 rows relative to the matrix itself, in the same run. "ratio"
// is the time of SeparabilityOfKernel, which computes and measures the elements, divided by the time of kernels.Matrix.
// "matrix+ratio" is the time of kernels.Matrix and SeparabilityOfMatrix together, divided by the time of kernels.Matrix. "matrices"
// is the total allocation of SeparabilityOfKernel in units of the matrix.
func BenchmarkMeasures5000x10(b *testing.B) {
	const n = 5000
	x := normal(n, 10, 1)
	k := kernels.RBF{Gamma: 0.05}
	for _, classes := range []int{2, 10} {
		b.Run(fmt.Sprintf("classes=%d", classes), func(b *testing.B) {
			y := make([]int, n)
			for i := range y {
				y[i] = i * 7919 % classes
			}
			var matrix, blocks, given time.Duration
			var bytes uint64
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				km, err := kernels.Matrix(ctx, k, x, nil)
				if err != nil {
					b.Fatal(err)
				}
				matrix += time.Since(start)
				start = time.Now()
				if _, err := SeparabilityOfMatrix(ctx, km, y, nil); err != nil {
					b.Fatal(err)
				}
				given += time.Since(start)
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				start = time.Now()
				if _, err := SeparabilityOfKernel(ctx, k, x, y, nil); err != nil {
					b.Fatal(err)
				}
				blocks += time.Since(start)
				runtime.ReadMemStats(&after)
				bytes = max(bytes, after.TotalAlloc-before.TotalAlloc)
				runtime.KeepAlive(km)
			}
			b.ReportMetric(blocks.Seconds()/matrix.Seconds(), "ratio")
			b.ReportMetric((matrix+given).Seconds()/matrix.Seconds(), "matrix+ratio")
			b.ReportMetric(float64(bytes)/(8*n*n), "matrices")
			b.ReportMetric(matrix.Seconds()/float64(b.N), "s/matrix")
		})
	}
}
