package lssvm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// benchRows are n rows of ten columns with a smooth target.
func benchRows(n int) (*mat.Dense, []float64, []int) {
	rng := rand.New(rand.NewPCG(1, 0))
	x, y, labels := mat.NewDense(n, 10, nil), make([]float64, n), make([]int, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y[i] = row[0] + row[1]*row[2] + 0.3*rng.NormFloat64()
		if y[i] > 0 {
			labels[i] = 1
		}
	}
	return x, y, labels
}

// BenchmarkFit is a fit with a given and a chosen ridge, the residuals that a reader of the
// first asks for, and a classifier's.
func BenchmarkFit(b *testing.B) {
	kernel := kernels.RBF{Gamma: 0.05}
	for _, n := range []int{500, 2000} {
		x, y, labels := benchRows(n)
		perSecond := func(b *testing.B) {
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		}
		for _, c := range []struct {
			name      string
			r         *Regressor
			residuals bool
		}{
			{"given", &Regressor{Kernel: kernel, Ridge: 0.1}, false},
			{"given+residuals", &Regressor{Kernel: kernel, Ridge: 0.1}, true},
			{"leave-one-out", &Regressor{Kernel: kernel}, false},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := c.r.Fit(ctx, x, y); err != nil {
						b.Fatal(err)
					}
					if c.residuals {
						if _, err := c.r.LeaveOneOutResiduals(ctx); err != nil {
							b.Fatal(err)
						}
					}
				}
				perSecond(b)
			})
		}
		b.Run(fmt.Sprintf("classifier/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := (&Classifier{Kernel: kernel}).Fit(ctx, x, labels); err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b)
		})
	}
}

func BenchmarkPredict(b *testing.B) {
	x, y, _ := benchRows(2000)
	r := &Regressor{Kernel: kernels.RBF{Gamma: 0.05}, Ridge: 0.1}
	if err := r.Fit(ctx, x, y); err != nil {
		b.Fatal(err)
	}
	dst := make([]float64, 2000)
	b.Run("mean", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := r.PredictTo(dst, x); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(2000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("variance", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := r.PredictVariance(x); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(2000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}
