package repeatedrows_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

// For types that choose their settings, only the ratios of the weights matter. Weights that sum to 1 have the same effect as
// weights with mean 1 or mean 1000.
func TestOnlyRatiosOfWeightsMatter(t *testing.T) {
	const n = 120
	w := make([]float64, n)
	rng := rand.New(rand.NewPCG(1, 46))
	for i := range w {
		w[i] = .5 + rng.Float64()
	}
	units := map[string]float64{"which sum to 1": 1 / floats.Sum(w), "of some thousand": 1000}
	scaled := func(by float64) []float64 {
		out := make([]float64, n)
		return floats.ScaleTo(out, by, w)
	}
	near := func(t *testing.T, name string, want, got []float64, unit string) {
		tolerance := 1e-6
		if name == "svm" {
			tolerance = 2e-3 // its solver has a tolerance of 1e-3
		}
		require.True(t, floats.EqualApprox(want, got, tolerance), "weights %s: %v, want %v", unit, got[:3], want[:3])
	}
	x, y := wave(n, 13)
	probe, _ := wave(40, 14)
	for name, build := range tuned {
		t.Run(name, func(t *testing.T) {
			fit := func(weights []float64) (p, width []float64) {
				r := build()
				require.NoError(t, r.(estimators.WeightedFitter[float64]).FitWeighted(context.Background(), x, y, weights))
				p, err := r.Predict(probe)
				require.NoError(t, err)
				if estimators.Supports(r, estimators.Interval) {
					low, high, err := r.(estimators.IntervalPredictor).PredictInterval(probe, .9)
					require.NoError(t, err)
					width = floats.SubTo(make([]float64, len(low)), high, low)
				}
				return p, width
			}
			want, wide := fit(w)
			for unit, by := range units {
				got, width := fit(scaled(by))
				near(t, name, want, got, unit)
				near(t, name, append(wide, 0, 0, 0), append(width, 0, 0, 0), unit)
			}
		})
	}
	x, labels := rare(n, 33)
	probe, _ = rare(40, 34)
	for name, build := range tunedClassifiers {
		t.Run(fmt.Sprint(name, ", classes"), func(t *testing.T) {
			fit := func(weights []float64) []float64 {
				c := build()
				require.NoError(t, c.(estimators.WeightedFitter[int]).FitWeighted(context.Background(), x, labels, weights))
				var of *mat.Dense
				var err error
				if estimators.Supports(c, estimators.Proba) {
					of, err = c.(estimators.ProbaPredictor).PredictProba(probe)
				} else {
					of, err = c.(estimators.DecisionPredictor).Decision(probe)
				}
				require.NoError(t, err)
				return mat.Col(nil, 1, of)
			}
			want := fit(w)
			for unit, by := range units {
				near(t, name, want, fit(scaled(by)), unit)
			}
		})
	}
}
