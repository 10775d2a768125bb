package single

import (
	"math/rand/v2"
	"testing"
)

// Benchmark times distances of eight rows to 256 rows of eight columns, in ns per pair.
func Benchmark(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	rows, _ := drawn(256, 8, random.NormFloat64)
	w := Window{Rows: 8, Columns: 256}
	dst := make([]float32, 8*256)
	onPaths(func(path string) {
		for _, c := range []struct {
			name string
			f    func()
		}{
			{"squared distances", func() { rows.SquaredDistances(dst, w) }},
			{"Manhattan distances", func() { rows.ManhattanDistances(dst, w) }},
			{"Matérn 5/2", func() { rows.SquaredDistances(dst, w); Matern(dst, 0.2, 1, 1./3) }},
			{"Laplacian", func() { rows.ManhattanDistances(dst, w); Exp(dst, -0.2) }},
		} {
			b.Run(path+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					c.f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/pair")
			})
		}
	})
}
