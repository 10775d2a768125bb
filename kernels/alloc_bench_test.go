package kernels

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// BenchmarkPreparedRow measures the kernel values for the prediction of one row, with Prepared and with Cross.
func BenchmarkPreparedRow(b *testing.B) {
	x, z := random(1, 10, 1), random(100, 10, 2)
	p, err := Prepare(ctx, RBF{}, z, &Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	dst := mat.NewDense(1, 100, nil)
	b.Run("CrossTo", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := p.CrossTo(ctx, dst, x); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Cross", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Cross(ctx, RBF{}, x, z, &Options{Workers: 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
