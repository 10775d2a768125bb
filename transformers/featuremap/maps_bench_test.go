package featuremap

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

// BenchmarkMaps fits the maps to 100000 rows with 20 columns and transforms the rows to 512 features. The command
// measurements/benchmark/peers/sklearn_maps.py time 100000 20 512 measures scikit-learn.
func BenchmarkMaps(b *testing.B) {
	const n, d, features = 100000, 20, 512
	x := maptest.NormalRows(n, d, 1)
	k := kernels.RBF{Gamma: 0.5 / d}
	for _, c := range []struct {
		name string
		m    mapOf
	}{
		{"RandomFourier", &RandomFourier{Kernel: k, Components: features}},
		{"RandomFourier(phase)", &RandomFourier{Kernel: k, Components: features, RandomPhase: true}},
		{"LocallyStationaryFourier", &LocallyStationaryFourier{Local: k, Stationary: k, Components: features}},
		{"Nystroem", &Nystroem{Kernel: k, Components: features}},
		{"Nystroem(KMeansPlusPlus)", &Nystroem{Kernel: k, Components: features, Rule: KMeansPlusPlus}},
		{"Nystroem(UniformLandmarks)", &Nystroem{Kernel: k, Components: features, Rule: UniformLandmarks}},
	} {
		b.Run("Fit/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.m.Fit(context.Background(), x); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
		b.Run("Transform/"+c.name, func(b *testing.B) {
			if err := c.m.Fit(context.Background(), x); err != nil {
				b.Fatal(err)
			}
			dst := mat.NewDense(n, features, nil)
			b.ReportAllocs()
			for b.Loop() {
				if err := c.m.TransformTo(dst, x); err != nil {
					b.Fatal(err)
				}
			}
			worst := 0.0
			for i := range 200 {
				for j := range 200 {
					got := mat.Dot(dst.RowView(i), dst.RowView(j))
					worst = math.Max(worst, math.Abs(got-k.Eval(x.RawRowView(i), x.RawRowView(j))))
				}
			}
			if c.name != "LocallyStationaryFourier" { // it has another kernel
				b.ReportMetric(worst, "error")
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
