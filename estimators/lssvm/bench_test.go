package lssvm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// benchRows returns n rows of ten columns with a smooth target.
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

// BenchmarkFit measures a fit with a fixed ridge, a fit that chooses the ridge, the first computation of the residuals, and the fit
// of a classifier.
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

// BenchmarkRidge5000 reports the time of a fit that chooses its ridge, in units of the time of a Cholesky factorisation and the
// full inverse. The measurements alternate, and use the registered BLAS:
//
//	go test -run - -bench Ridge5000/5000 -benchtime 1x ./estimators/lssvm
func BenchmarkRidge5000(b *testing.B) {
	kernel := kernels.RBF{Gamma: 0.05}
	for _, n := range []int{3000, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, y, _ := benchRows(n)
			var fit, once time.Duration
			evaluations := 0
			for b.Loop() {
				start := time.Now()
				k, err := kernels.Matrix(ctx, kernel, x, nil)
				if err != nil {
					b.Fatal(err)
				}
				for i := range n {
					k.SetSym(i, i, k.At(i, i)+0.1)
				}
				made := time.Since(start)
				c, err := linalg.NewCholesky(ctx, "K", k)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := c.Inverse(ctx); err != nil {
					b.Fatal(err)
				}
				once += time.Since(start) - made
				start = time.Now()
				r := Regressor{Kernel: kernel}
				if err := r.Fit(ctx, x, y); err != nil {
					b.Fatal(err)
				}
				fit += time.Since(start)
				evaluations += r.Report().Iterations
			}
			b.ReportMetric(fit.Seconds()/once.Seconds(), "inverses")
			b.ReportMetric(float64(evaluations)/float64(b.N), "evaluations")
		})
	}
}

// BenchmarkSolvers fits the same rows with each solver and a fixed ridge. The ratio shows above which number of rows conjugate
// gradients take less time.
func BenchmarkSolvers(b *testing.B) {
	for _, n := range []int{2000, 4000, 8000} {
		x, y := waves(n, 1)
		for _, s := range []Solver{Cholesky, ConjugateGradients} {
			b.Run(fmt.Sprintf("%d rows/%v", n, s), func(b *testing.B) {
				for b.Loop() {
					r := &Regressor{Kernel: kernels.Matern{Nu: 2.5, Length: 1}, Ridge: 0.01, Solver: s}
					if err := r.Fit(b.Context(), x, y); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
