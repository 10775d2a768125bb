package rvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// BenchmarkFit fits Friedman's first function with ten columns and noise of variance 1. measurements/papers/rvm times the same fit
// with kernlab.
func BenchmarkFit(b *testing.B) {
	for _, n := range []int{250, 500, 1000, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			x, y := mat.NewDense(n, 10, nil), make([]float64, n)
			for i := range n {
				row := x.RawRowView(i)
				for j := range row {
					row[j] = rng.Float64()
				}
				y[i] = 10*math.Sin(math.Pi*row[0]*row[1]) + 20*math.Pow(row[2]-0.5, 2) + 10*row[3] + 5*row[4] + rng.NormFloat64()
			}
			r := &Regressor{Kernel: kernels.RBF{Gamma: 0.5}}
			for b.Loop() {
				if err := r.Fit(ctx, x, y); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(r.RelevanceIndices())), "vectors")
			b.ReportMetric(float64(r.Report().Iterations), "changes")
			b.ReportMetric(r.LogEvidence(), "evidence")
		})
	}
}

// BenchmarkClassify fits two classes, each of which consists of two clusters.
func BenchmarkClassify(b *testing.B) {
	x, y := blobs(1000, 2, 1)
	c := &Classifier{Kernel: kernels.RBF{Gamma: 0.5}}
	for b.Loop() {
		if err := c.Fit(ctx, x, y); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(c.RelevanceIndices())), "vectors")
	b.ReportMetric(c.LogEvidence(), "evidence")
}
