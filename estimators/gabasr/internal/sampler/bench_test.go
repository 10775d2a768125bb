package sampler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// BenchmarkSweep compares a sweep over 1000 rows of 5 columns with a sweep of the paper, which recomputes Φ, Φ'Φ and its Cholesky
// factor for each proposal. The paper's sweep is timed for scratchProposals proposals, with the same BLAS, and scaled to M. The
// exponent shows how our time grows with M, compared with the previous size.
func BenchmarkSweep(b *testing.B) {
	const scratchProposals = 20
	var before float64
	last := 0
	for _, m := range []int{100, 250, 500} {
		b.Run(fmt.Sprintf("M=%d", m), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			x := normals(1000, 5, rng)
			y := make([]float64, 1000)
			for i := range y {
				row := x.RawRowView(i)
				y[i] = math.Sin(row[0]+row[1]) + row[2]*row[3] + 0.1*rng.NormFloat64()
			}
			s := &starter{Settings: Settings{Pairs: m, Ridge: 0.1, Prior: Prior{DefaultInterceptPrecision, DefaultNoise, DefaultNoise}}, x: x, rows: weights.NewCounts(nil, 1000), target: y, unit: 0.3, rng: rng}
			c := s.chain(ctx)
			s.assign(c, candidate{scale: 0.3}, normals(m, 5, rng), nil)
			c.sys.ridge = 0.1
			require.NoError(b, c.fill())
			require.NoError(b, c.sys.load(y))
			if !c.sys.factor() {
				b.Fatal("not positive definite")
			}
			begin := time.Now()
			for range scratchProposals {
				_ = features.MapRows(ctx, c.sys.phi.Slice(0, 1000, 1, 2*m+1).(*mat.Dense), x, c.w.omega, nil, features.Stationary, m, nil, 0)
				require.NoError(b, c.sys.load(y))
				c.sys.factor()
			}
			scratch := time.Since(begin).Seconds() / scratchProposals * float64(m)
			b.ReportAllocs()
			for b.Loop() {
				if err := c.sweep(ctx); err != nil {
					b.Fatal(err)
				}
			}
			ours := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(scratch/ours, "times-faster")
			b.ReportMetric(scratch, "scratch-s/sweep")
			if last > 0 {
				b.ReportMetric(math.Log(ours/before)/math.Log(float64(m)/float64(last)), "exponent")
			}
			before, last = ours, m
		})
	}
}
