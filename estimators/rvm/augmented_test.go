package rvm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// augmentedReference holds reference values of RVM* for given relevance vectors, precisions and noise.
type augmentedReference struct {
	X         [][]float64
	T         []float64
	Gamma     float64
	Relevance []int
	Alpha     []float64
	Beta      float64
	Cases     []struct {
		Bias string
		Mu   []float64
		Test []struct {
			X              []float64
			Mean, Variance float64
			KernelResidual float64 `json:"kernel_residual"`
			Augmented      []struct{ Alpha, Mean, Variance float64 }
		}
	}
}

// The mean, the variance, the unexplained part of the kernel and RVM* agree with the reference, with an intercept that has a flat
// prior and without one.
func TestAugmentedReference(t *testing.T) {
	var c augmentedReference
	golden.Load(t, "rvm_augmented.json", &c)
	x := golden.Dense(c.X)
	_, d := x.Dims()
	kernel := kernels.RBF{Gamma: c.Gamma}
	require.Len(t, c.Cases, 2)
	for _, k := range c.Cases {
		m := modelAt(t, kernel, x, c.T, k.Bias == "free", c.Relevance, c.Alpha, c.Beta)
		assert.LessOrEqual(t, golden.MaxError(m.Coefficients, k.Mu), 1e-9)
		for _, at := range k.Test {
			row := mat.NewDense(1, d, at.X)
			mean, variance, err := m.predict(row, 1, true)
			require.NoError(t, err)
			assert.InDelta(t, at.Mean, mean[0], 1e-9)
			assert.InDelta(t, at.Variance, variance[0], 1e-9)
			phi, err := m.Features(row, 0, 1)
			require.NoError(t, err)
			require.True(t, m.Sees())
			unseen, own := m.Unseen(row, phi)
			assert.InDelta(t, at.KernelResidual, unseen[0], 1e-9)
			assert.EqualValues(t, 1, own[0])
			for _, a := range at.Augmented {
				mean, variance, err := m.augmented(row, x, c.T, []float64{a.Alpha}, 1)
				require.NoError(t, err)
				assert.InDelta(t, a.Mean, mean[0], 1e-9)
				assert.InDelta(t, a.Variance, variance[0], 1e-9)
			}
		}
	}
}

// Far from all rows, the variance of RVM* exceeds that of the machine by the variance of the targets. At a relevance vector it is
// only slightly larger. Both results hold for any scale of the kernel. Without rows, RVM* returns an error.
func TestPredictAugmented(t *testing.T) {
	x, y := wave(80)
	far := mat.NewDense(1, 2, []float64{100, 100})
	var first []float64
	for _, scale := range []float64{1, 9} {
		r := &Regressor{Kernel: kernels.Scaled{Kernel: kernels.RBF{Gamma: 2}, Factor: scale}, NoCalibration: true}
		require.NoError(t, r.Fit(ctx, x, y))
		_, bare, err := r.PredictVariance(far)
		require.NoError(t, err)
		_, variance, err := r.PredictAugmented(far, x, y)
		require.NoError(t, err)
		assert.InEpsilon(t, varianceOf(y, weights.NewCounts(nil, 80)), variance[0]-bare[0], 1e-3)
		_, bare, err = r.PredictVariance(r.RelevanceVectors())
		require.NoError(t, err)
		_, variance, err = r.PredictAugmented(r.RelevanceVectors(), x, y)
		require.NoError(t, err)
		for i, v := range variance {
			assert.GreaterOrEqual(t, v, bare[i])
			assert.Less(t, v, 1.5*bare[i])
		}
		if first == nil {
			first = variance
		}
		assert.LessOrEqual(t, golden.MaxError(variance, first), 1e-5)
	}
	r := &Regressor{}
	_, _, err := r.PredictAugmented(far, x, y)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, r.Fit(ctx, x, y))
	_, _, err = r.PredictAugmented(far, x, y[1:])
	assert.EqualError(t, err, "rvm: Regressor: y has 79 entries, rows has 80 rows")
	_, _, err = r.PredictAugmented(far, mat.NewDense(80, 3, nil), y)
	assert.ErrorIs(t, err, estimators.ErrShape)
	k, err := kernels.Matrix(ctx, kernels.RBF{}, x, nil)
	require.NoError(t, err)
	require.NoError(t, r.FitDesign(ctx, k, y))
	_, _, err = r.PredictAugmented(far, x, y)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
}
