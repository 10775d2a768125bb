package repeatedrows_test

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
)

// Targets whose squares underflow are an error. They must not result in a model whose intervals have no width. Targets that are
// just large enough result in the same intervals as others.
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

// In fits to matrices, streams, statistics and several targets, targets whose squares underflow are also an error.
func TestTinyTargetsOfOtherFits(t *testing.T) {
	x, y := wave(60, 1)
	gram, err := kernels.Matrix(context.Background(), kernels.RBF{Gamma: 1}, x, nil)
	require.NoError(t, err)
	block := func(y []float64) iter.Seq2[streaming.Block[float64], error] {
		return func(yield func(streaming.Block[float64], error) bool) {
			yield(streaming.Block[float64]{X: x, Y: y}, nil)
		}
	}
	for name, fit := range map[string]func(y []float64) error{
		"lssvm, FitMatrix": func(y []float64) error { return new(lssvm.Regressor).FitMatrix(context.Background(), gram, y) },
		"rvm, FitDesign":   func(y []float64) error { return new(rvm.Regressor).FitDesign(context.Background(), gram, y) },
		"falkon, FitBlocks": func(y []float64) error {
			return new(falkon.Regressor).FitBlocks(context.Background(), block(y))
		},
		"ridge, PartialFit":       func(y []float64) error { return new(ridge.Regressor).PartialFit(context.Background(), x, y) },
		"lssvm, several targets":  func(y []float64) error { return new(lssvm.MultiRegressor).Fit(context.Background(), x, two(y)) },
		"falkon, several targets": func(y []float64) error { return new(falkon.MultiRegressor).Fit(context.Background(), x, two(y)) },
		"ridge, several targets":  func(y []float64) error { return new(ridge.MultiRegressor).Fit(context.Background(), x, two(y)) },
	} {
		for _, by := range []float64{1, 1e-140} {
			assert.NoError(t, fit(floats.ScaleTo(make([]float64, len(y)), by, y)), "%s, %g", name, by)
		}
		err := fit(floats.ScaleTo(make([]float64, len(y)), 1e-152, y))
		require.ErrorIs(t, err, estimators.ErrParam, name)
		assert.ErrorContains(t, err, ": the spread of ", name)
		require.NoError(t, fit(make([]float64, len(y))), "%s, constant targets", name)
	}
}

// two returns a matrix of y and of a column of usual targets.
func two(y []float64) *mat.Dense {
	out := mat.NewDense(len(y), 2, nil)
	for i, v := range y {
		out.SetRow(i, []float64{float64(i % 5), v})
	}
	return out
}
