package falkon

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// friedman returns n rows of at least three uniform columns. The targets are Friedman's first function of up to five of them. They
// are returned with noise in y, and without noise in clean.
func friedman(n, d int, noise float64, seed uint64) (x *mat.Dense, y, clean []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y, clean = mat.NewDense(n, d, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		r := x.RawRowView(i)
		for j := range r {
			r[j] = rng.Float64()
		}
		clean[i] = 10*math.Sin(math.Pi*r[0]*r[1]) + 20*(r[2]-.5)*(r[2]-.5)
		for j, slope := range []float64{10, 5}[:min(2, d-3)] {
			clean[i] += slope * r[3+j]
		}
		y[i] = clean[i] + noise*rng.NormFloat64()
	}
	return x, y, clean
}

// BenchmarkFit measures a fit to 100 000 rows with each solver, with a given ridge and with a chosen one.
func BenchmarkFit(b *testing.B) {
	const n = 100000
	for _, d := range []int{10, 20} {
		x, y, _ := friedman(n, d, 1, 1)
		xt, _, clean := friedman(2000, d, 0, 2)
		for _, m := range []int{250, 500, 1000, 2000} {
			for _, c := range []struct {
				name string
				r    Regressor
			}{
				{"direct/ridge given", Regressor{Solver: Direct, Ridge: 1e-6 * n}},
				{"direct/ridge chosen", Regressor{Solver: Direct}},
				{"gradients/ridge given", Regressor{Solver: ConjugateGradients, Ridge: 1e-6 * n}},
				{"gradients/ridge chosen", Regressor{Solver: ConjugateGradients}},
				{"gradients to 1e-6/ridge given", Regressor{Solver: ConjugateGradients, Ridge: 1e-6 * n, Tolerance: 1e-6}},
			} {
				b.Run(fmt.Sprintf("%dx%d/M=%d/%s", n, d, m, c.name), func(b *testing.B) {
					r := c.r
					r.Components, r.Kernel = m, kernels.RBF{Gamma: .6}
					b.ReportAllocs()
					for b.Loop() {
						if err := r.Fit(ctx, x, y); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(nmse(b, &r, xt, clean), "NMSE")
					b.ReportMetric(float64(r.Report().Iterations), "iterations")
				})
			}
		}
	}
}

// nmse returns the squared error of predictions divided by the variance of the true values.
func nmse(tb testing.TB, r *Regressor, x *mat.Dense, want []float64) float64 {
	tb.Helper()
	got, err := r.Predict(x)
	if err != nil {
		tb.Fatal(err)
	}
	mean, errors, total := 0.0, 0.0, 0.0
	for _, v := range want {
		mean += v / float64(len(want))
	}
	for i, v := range want {
		errors += (got[i] - v) * (got[i] - v)
		total += (v - mean) * (v - mean)
	}
	return errors / total
}
