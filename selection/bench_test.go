package selection

import (
	"fmt"
	"math"
	"testing"

	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
)

// BenchmarkTails compares the scores of entropy.Search and the Grid on y = sin 2x₁ + noise. The rows have normal features, so some
// test rows are outside the range of the few training rows. NMSE is the geometric mean over thirty draws of 300 rows each.
func BenchmarkTails(b *testing.B) {
	for _, n := range []int{60, 150} {
		for _, d := range []int{1, 2, 5} {
			for name, s := range map[string]search.Strategy{"leave-one-out": &entropy.Search{}, "evidence": &entropy.Search{Score: entropy.LogEvidence}, "grid": &grid.Search{}} {
				b.Run(fmt.Sprintf("n=%d/d=%d/%s", n, d, name), func(b *testing.B) {
					logs := 0.0
					b.ReportAllocs()
					for b.Loop() {
						logs = 0
						for seed := range uint64(30) {
							x, y := problemOf(n, d, 0.2, seed+10)
							xt, yt := problemOf(300, d, 0.2, seed+1000)
							r := Regressor{Search: s}
							if err := r.Fit(ctx, x, y); err != nil {
								b.Fatal(err)
							}
							p, err := r.Predict(xt)
							if err != nil {
								b.Fatal(err)
							}
							v, err := metrics.NMSE(yt, p, nil)
							if err != nil {
								b.Fatal(err)
							}
							logs += math.Log(v) / 30
						}
					}
					b.ReportMetric(math.Exp(logs), "NMSE")
				})
			}
		}
	}
}
