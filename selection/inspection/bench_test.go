package inspection

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
)

// BenchmarkEffect times an effect of a machine of 1000 rows: with the exact band, with the bound that other estimators get from the
// variances of single rows, and without a band.
func BenchmarkEffect(b *testing.B) {
	x, y := curvedRows(1000, 1)
	m := &lssvm.Regressor{}
	require.NoError(b, m.Fit(ctx, x, y))
	_, _, err := m.PredictVariance(x.Slice(0, 1, 0, 3)) // computes the shared factor
	require.NoError(b, err)
	for _, c := range []struct {
		name string
		of   estimators.Regressor
		opt  Options
	}{{"exact", m, Options{}}, {"bound", hidden{m}, Options{}}, {"none", m, Options{NoBand: true}}} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				_, err := RegressorEffect(ctx, c.of, x, 0, &c.opt)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkExplain compares the closed form with random permutations, for 1000 rows of ten columns and a background of 100 rows. It
// reports the time, relative to the closed form, that permutations would take for standard errors of a hundredth of the largest
// value.
func BenchmarkExplain(b *testing.B) {
	x := uniform(1000, 10, -1, 1, 1)
	y := make([]float64, 1000)
	for i := range y {
		y[i] = math.Sin(3*x.At(i, 0))*(1+x.At(i, 1)) + x.At(i, 2)*x.At(i, 3)
	}
	for name, k := range map[string]kernels.Kernel{
		"RBF": kernels.RBF{Gamma: 0.2}, "Laplacian": kernels.Laplacian{Gamma: 0.2}, "Matern": kernels.Matern{Nu: 2.5, Length: 2},
	} {
		m := &lssvm.Regressor{Kernel: k, Ridge: 0.1}
		require.NoError(b, m.Fit(ctx, x, y))
		var exact float64
		b.Run(name+"/closed form", func(b *testing.B) {
			for range b.N {
				e, err := Explain(ctx, m, x.RawRowView(0), x, nil)
				require.NoError(b, err)
				require.Equal(b, ClosedForm, e.Method)
			}
			exact = b.Elapsed().Seconds() / float64(b.N)
		})
		b.Run(name+"/orders", func(b *testing.B) {
			var e Explanation
			var err error
			for range b.N {
				e, err = Explain(ctx, m, x.RawRowView(0), x, &ExplainOptions{Method: Permutations})
				require.NoError(b, err)
			}
			largest := 0.0
			for _, c := range e.Contributions {
				largest = max(largest, c.SE)
			}
			off := largest / (0.01 * math.Abs(e.Contributions[0].Value))
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*off*off/exact, "times-closed-form-at-1%")
		})
	}
}
