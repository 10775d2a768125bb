package lssvm

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// Model files of version 1 stay readable and give the same predictions as a fit with the current code, up to the rounding of the
// computer that wrote them.
func TestGoldenFilesStayReadable(t *testing.T) {
	const rounding = 1e-8
	x, y := mat.NewDense(8, 1, []float64{-3, -2, -1, -0.5, 0.5, 1, 2, 3}), []float64{9, 4, 1, 0.2, 0.3, 1, 4, 9}
	at := mat.NewDense(3, 1, []float64{-2.5, 0, 7})

	fitted := &Regressor{}
	require.NoError(t, fitted.Fit(ctx, x, y))
	read := &Regressor{}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Regressor-v1.keln", fitted.MarshalBinary)))
	mean, variance, err := fitted.PredictVariance(at)
	require.NoError(t, err)
	gotMean, gotVariance, err := read.PredictVariance(at)
	require.NoError(t, err)
	assert.InDeltaSlice(t, mean, gotMean, rounding)
	assert.InDeltaSlice(t, variance, gotVariance, rounding)

	k := kernels.RBF{Gamma: 0.5}
	km, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	kt, err := kernels.Cross(ctx, k, at, x, nil)
	require.NoError(t, err)
	onMatrix := &Regressor{Ridge: 0.1}
	require.NoError(t, onMatrix.FitMatrix(ctx, km, y))
	read = &Regressor{}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Regressor-matrix-v1.keln", onMatrix.MarshalBinary)))
	mean, variance, err = onMatrix.PredictVarianceMatrix(kt, []float64{1, 1, 1})
	require.NoError(t, err)
	gotMean, gotVariance, err = read.PredictVarianceMatrix(kt, []float64{1, 1, 1})
	require.NoError(t, err)
	assert.InDeltaSlice(t, mean, gotMean, rounding)
	assert.InDeltaSlice(t, variance, gotVariance, rounding)

	c := &Classifier{Kernel: k, Balanced: true}
	require.NoError(t, c.Fit(ctx, x, []int{1, 1, 2, 2, 2, 5, 5, 5}))
	readClassifier := &Classifier{Kernel: k}
	require.NoError(t, readClassifier.UnmarshalBinary(golden.Model(t, "Classifier-v1.keln", c.MarshalBinary)))
	p, err := c.PredictProba(at)
	require.NoError(t, err)
	got, err := readClassifier.PredictProba(at)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(p, got, 1e-6))
	assert.Equal(t, []int{1, 2, 5}, readClassifier.Classes())
}

// Model files of version 1 with a solution by conjugate gradients stay readable, including their variance.
func TestGoldenFileOfConjugateGradients(t *testing.T) {
	x, y := mat.NewDense(1001, 1, nil), make([]float64, 1001)
	for i := range y {
		x.Set(i, 0, float64(i)/100)
		y[i] = math.Sin(x.At(i, 0)) + 0.1*float64(i%3)
	}
	at := mat.NewDense(3, 1, []float64{-0.5, 5.005, 9})
	fitted := &Regressor{Kernel: kernels.RBF{Gamma: 0.5}, Ridge: 0.1, Solver: ConjugateGradients}
	require.NoError(t, fitted.Fit(ctx, x, y))
	read := &Regressor{Kernel: kernels.RBF{Gamma: 0.5}}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Regressor-iterated-v1.keln", fitted.MarshalBinary)))
	assert.Equal(t, ConjugateGradients, read.Details().Solver)
	mean, variance, err := fitted.PredictVariance(at)
	require.NoError(t, err)
	gotMean, gotVariance, err := read.PredictVariance(at)
	require.NoError(t, err)
	assert.InDeltaSlice(t, mean, gotMean, 1e-3) // within the tolerance of the iterations
	assert.InDeltaSlice(t, variance, gotVariance, 1e-3)
}
