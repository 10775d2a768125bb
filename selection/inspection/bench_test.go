package inspection

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// BenchmarkEffect compares the exact band of a machine of 1000 rows with the bound that any
// other estimator gets from the variance of each row, and with no band.
func BenchmarkEffect(b *testing.B) {
	x, y := bent(1000, 1)
	m := &lssvm.Regressor{}
	require.NoError(b, m.Fit(ctx, x, y))
	_, _, err := m.PredictVariance(x.Slice(0, 1, 0, 3)) // the factor is there for all
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
