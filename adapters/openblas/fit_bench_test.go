//go:build unix

package openblas

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/kernels"
)

// BenchmarkThreads fits the relevance vector machine to Friedman's first function, with three settings of OpenBLAS's threads in
// turn. The first, the default, uses one thread within the library's tasks. The second uses all threads everywhere, and the third
// one thread throughout. The benchmark takes the smallest time of each, and reports ratios to the first setting.
func BenchmarkThreads(b *testing.B) {
	if !ownThreads {
		b.Skip("no OpenBLAS with threads of its own")
	}
	defer useThreads(threads())
	defer surroundTasks()
	many := max(2, parallel.Workers(0))
	ways := []struct {
		threads int
		around  func()
	}{
		{many, surroundTasks},
		{many, func() { parallel.OnParallel(nil, nil) }},
		{1, surroundTasks},
	}
	for _, n := range []int{250, 500, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, y := friedman(n)
			r := &rvm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}}
			least := []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
			for b.Loop() {
				for i, w := range ways {
					useThreads(w.threads)
					w.around()
					start := time.Now()
					if err := r.Fit(context.Background(), x, y); err != nil {
						b.Fatal(err)
					}
					least[i] = min(least[i], time.Since(start).Seconds())
				}
			}
			b.ReportMetric(least[0], "s/fit")
			b.ReportMetric(least[1]/least[0], "everywhere/here")
			b.ReportMetric(least[2]/least[0], "one/here")
		})
	}
}

func friedman(n int) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(n, 10, nil), make([]float64, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.Float64()
		}
		y[i] = 10*math.Sin(math.Pi*row[0]*row[1]) + 20*math.Pow(row[2]-0.5, 2) + 10*row[3] + 5*row[4] + rng.NormFloat64()
	}
	return x, y
}
