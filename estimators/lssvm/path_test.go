package lssvm

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

// Each machine of a path equals the machine that FitMatrix returns for its ridge.
func TestFitMatrixPath(t *testing.T) {
	for _, classes := range []int{2, 3} {
		x, y := mat.NewDense(60, 2, nil), make([]int, 60)
		for i := range y {
			y[i] = i * i % 7 % classes
			x.SetRow(i, []float64{float64(y[i]) + math.Sin(float64(3*i)), math.Cos(float64(5 * i))})
		}
		k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: .7}, x, nil)
		require.NoError(t, err)
		ridges := []float64{1e-3, .1, 10, 1e-17} // the last ridge is below the rounding error of the matrix
		for _, c := range []*Classifier{{}, {Balanced: true, ClassWeights: map[int]float64{1: 3}}} {
			path, err := c.FitMatrixPath(ctx, k, y, ridges)
			require.NoError(t, err)
			for i, ridge := range ridges {
				want := estimators.Clone(c)
				want.Ridge = ridge
				require.NoError(t, want.FitMatrix(ctx, k, y))
				tolerance := 1e-8
				if ridge < 1e-10 {
					tolerance = .05 // jitter or rounding decides
				}
				a, err := want.PredictProbaMatrix(k)
				require.NoError(t, err)
				b, err := path[i].PredictProbaMatrix(k)
				require.NoError(t, err)
				assert.True(t, mat.EqualApprox(a, b, tolerance), "ridge %g", ridge)
				assert.Equal(t, ridge, path[i].ChosenRidge())
				assert.InEpsilon(t, want.Report().Objective, path[i].Report().Objective, 20*tolerance)
			}
		}
		_, err = (&Classifier{}).FitMatrixPath(ctx, k, y, []float64{1, 0})
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, "lssvm: Classifier: ridges[1] = 0, want a finite number > 0")
		_, err = (&Classifier{}).FitMatrixPath(ctx, k, y, nil)
		require.ErrorIs(t, err, estimators.ErrShape)
		_, err = (&Classifier{}).FitMatrixPath(ctx, k, y[:3], ridges)
		require.ErrorIs(t, err, estimators.ErrShape)
		_, err = (&Classifier{}).FitMatrixPath(ctx, k, make([]int, 60), ridges)
		require.ErrorIs(t, err, estimators.ErrShape)
	}
}
