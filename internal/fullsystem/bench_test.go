package fullsystem

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// BenchmarkPass times one pass over K for 12 000 rows, eight columns and four right-hand sides. Either all tiles are stored, or
// they are computed in float32 or in float64. It reports the fastest run in ns per entry of half of K. "ratio" is the time with
// float64 divided by that with float32.
func BenchmarkPass(b *testing.B) {
	const n = 12_000
	ctx := context.Background()
	x, y := sample(n, 8, 4, 1)
	for _, kernel := range []kernels.Kernel{kernels.Matern{Nu: 2.5, Length: 3}, kernels.Laplacian{Gamma: 0.3}} {
		b.Run(kernel.String(), func(b *testing.B) {
			p, err := NewProblem(ctx, Settings{Type: "test", Probes: -1}, kernel, x, y, nil)
			require.NoError(b, err)
			v, dst := make([][]float64, 4), make([][]float64, 4)
			for c := range v {
				v[c], dst[c] = mat.Col(nil, c, p.targets), make([]float64, n)
			}
			require.NoError(b, p.matrix.build(ctx, true, 1))
			kept, none := p.matrix.single, make([][]float32, len(p.matrix.single))
			var least [3]time.Duration
			for b.Loop() {
				for way, tiles := range [][][]float32{kept, none, nil} {
					p.matrix.single = tiles
					start := time.Now()
					require.NoError(b, p.matrix.multiply(ctx, dst, v, false))
					if d := time.Since(start); least[way] == 0 || d < least[way] {
						least[way] = d
					}
				}
			}
			for way, name := range []string{"ns/kept", "ns/float32", "ns/float64"} {
				b.ReportMetric(float64(least[way].Nanoseconds())/(n*n/2), name)
			}
			b.ReportMetric(float64(least[2])/float64(least[1]), "ratio")
		})
	}
}
