package repeatedrows_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/estimators"
)

// Targets whose squares would have no digits are an error, and not a model whose intervals have no width. Those that are
// just large enough have the intervals of others.
func TestTinyTargets(t *testing.T) {
	x, y := wave(60, 1)
	scaled := func(by float64) []float64 { return floats.ScaleTo(make([]float64, len(y)), by, y) }
	for name, build := range tuned {
		if name == "svm" { // has no intervals
			continue
		}
		t.Run(name, func(t *testing.T) {
			width := func(by float64) []float64 {
				r := build()
				require.NoError(t, r.Fit(context.Background(), x, scaled(by)))
				low, high, err := r.(estimators.IntervalPredictor).PredictInterval(x, .95)
				require.NoError(t, err)
				floats.Sub(high, low)
				floats.Scale(1/by, high)
				return high
			}
			assert.True(t, floats.EqualApprox(width(1), width(0x1p-496), 1e-6))
			for _, by := range []float64{1e-151, 1e-165, 1e-300} {
				err := build().Fit(context.Background(), x, scaled(by))
				require.ErrorIs(t, err, estimators.ErrParam)
				assert.ErrorContains(t, err, ": the spread of y = ")
			}
			require.NoError(t, build().Fit(context.Background(), x, make([]float64, len(y))), "constant targets")
		})
	}
}
