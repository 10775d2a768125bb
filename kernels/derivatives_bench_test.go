package kernels

import (
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// BenchmarkDerivatives1000x10 measures the kernel's part in an evaluation of an objective, which is a matrix and a gradient. It
// uses a Matérn kernel with a length for each of 10 columns. In the same run it measures the matrix alone and a Cholesky
// factorisation of 1000 rows.
func BenchmarkDerivatives1000x10(b *testing.B) {
	const n, columns = 1000, 10
	x, w := random(n, columns, 1), symmetric(n, 2)
	lengths := make([]float64, columns)
	for j := range lengths {
		lengths[j] = float64(j + 1)
	}
	k := ARD{Kernel: Matern{Nu: 2.5}, Lengths: lengths}
	d, err := NewDerivatives(x, nil)
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]float64, len(k.Params()))
	var gram mat.SymDense
	var matrix, gradient, plain, cholesky time.Duration
	least := func(of *time.Duration, f func() error) {
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		if t := time.Since(start); *of == 0 || t < *of {
			*of = t // other programs can only increase the measured time
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		least(&matrix, func() error { return d.MatrixTo(ctx, &gram, k) })
		least(&gradient, func() error { return d.Gradient(ctx, dst, w) })
		least(&plain, func() error { _, err := Matrix(ctx, k, x, nil); return err })
		for i := range n {
			gram.SetSym(i, i, gram.At(i, i)+0.1)
		}
		least(&cholesky, func() error { var c mat.Cholesky; c.Factorize(&gram); return nil })
	}
	b.ReportMetric(1e3*matrix.Seconds(), "ms/matrix")
	b.ReportMetric(1e3*gradient.Seconds(), "ms/gradient")
	b.ReportMetric(1e3*plain.Seconds(), "ms/Matrix")
	b.ReportMetric(1e3*cholesky.Seconds(), "ms/Cholesky")
	b.ReportMetric((matrix+gradient).Seconds()/cholesky.Seconds(), "ratio")
}
