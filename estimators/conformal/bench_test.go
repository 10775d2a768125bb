package conformal

import (
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// BenchmarkInterval predicts the interval of one row after a fit to 1000 rows of ten columns, and the variance of the same row with
// the same machine. It reports the microseconds of each and their ratio.
func BenchmarkInterval(b *testing.B) {
	const n, d = 1000, 10
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range y {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y[i] = row[0] + row[1]*row[2] + .1*rng.NormFloat64()
	}
	machine := &lssvm.Regressor{}
	if err := machine.Fit(b.Context(), x, y); err != nil {
		b.Fatal(err)
	}
	rows := func(i int) mat.Matrix { return x.Slice(i%n, i%n+1, 0, d) }
	const times = 500
	begin := time.Now()
	for i := range times {
		if _, _, err := machine.PredictVariance(rows(i)); err != nil {
			b.Fatal(err)
		}
	}
	variance := float64(time.Since(begin).Microseconds()) / times
	for _, m := range []Method{Full, JackknifePlus, Split} {
		b.Run(m.String(), func(b *testing.B) {
			r := &Regressor{Method: m}
			if err := r.Fit(b.Context(), x, y); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for i := range b.N {
				if _, _, err := r.PredictInterval(rows(i), .9); err != nil {
					b.Fatal(err)
				}
			}
			own := float64(b.Elapsed().Microseconds()) / float64(b.N)
			b.ReportMetric(own, "µs/interval")
			b.ReportMetric(variance, "µs/variance")
			b.ReportMetric(own/variance, "ratio")
		})
	}
}
