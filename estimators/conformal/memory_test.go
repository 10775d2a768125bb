package conformal_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// If the system would exceed the estimator's memory limit, Fit returns the error before the fit that chooses the settings. The
// limit is exact: one more byte is enough for the system.
func TestMemoryOfTheSystemBeforeTheFit(t *testing.T) {
	const n = 60
	x, y, labels := mat.NewDense(n, 1, nil), make([]float64, n), make([]int, n)
	for i := range n {
		x.Set(i, 0, float64(i*i%97))
		y[i], labels[i] = float64(i%7), i%2
	}
	const system, half = 2 * 8 * n * n, 8 * (n / 2) * (n / 2)
	require.Greater(t, system, 2*half)
	fits := 0
	observe := func(estimators.Step) { fits++ }
	regressors := map[string]func(bytes int64) estimators.Regressor{
		"lssvm": func(bytes int64) estimators.Regressor {
			return &lssvm.Regressor{MaxKernelBytes: bytes, Observe: observe}
		},
		"a pipeline": func(bytes int64) estimators.Regressor {
			return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{MaxKernelBytes: bytes, Observe: observe}}
		},
		"a search": func(bytes int64) estimators.Regressor {
			return &selection.Regressor{Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor {
				return &lssvm.Regressor{Kernel: k, MaxKernelBytes: bytes, Observe: observe}
			}, families.RBF{})}
		},
	}
	for name, estimator := range regressors {
		r := &conformal.Regressor{Method: conformal.Full, Estimator: estimator(system - 1)}
		fits = 0
		err := r.Fit(context.Background(), x, y)
		require.ErrorIs(t, err, estimators.ErrTooLarge, name)
		assert.ErrorContains(t, err, "conformal: Regressor: ", name)
		assert.ErrorContains(t, err, "the system of all rows", name)
		assert.Zero(t, fits, "%s: steps of a fit", name)
		r.Estimator = estimator(system)
		assert.NoError(t, r.Fit(context.Background(), x, y), name)
		assert.NotZero(t, fits, name)
	}

	c := &conformal.Classifier{Method: conformal.Full, Estimator: &lssvm.Classifier{MaxKernelBytes: system - 1, Observe: observe}}
	fits = 0
	require.ErrorIs(t, c.Fit(context.Background(), x, labels), estimators.ErrTooLarge)
	assert.Zero(t, fits)
	c.Estimator = &lssvm.Classifier{MaxKernelBytes: system}
	assert.NoError(t, c.Fit(context.Background(), x, labels))
}

// The size of falkon's features follows from the number of landmarks in the fit that chooses the settings. Features that are too
// large are an error before that fit.
func TestMemoryOfTheFeaturesBeforeTheFit(t *testing.T) {
	machine := &falkon.Regressor{Components: 40, MaxBytes: 24 * 40 * 10_000}
	assert.NoError(t, machine.CheckSmoother(5000, 10_000))
	assert.ErrorIs(t, machine.CheckSmoother(5000, 10_001), estimators.ErrTooLarge)
	assert.NoError(t, machine.CheckSmoother(20, 20_000), "20 rows have 20 landmarks")
	machine.MaxBytes = 24*40*100 - 1
	fits := 0
	machine.Observe = func(estimators.Step) { fits++ }
	x, y := mat.NewDense(100, 1, nil), make([]float64, 100)
	for i := range y {
		x.Set(i, 0, float64(i))
		y[i] = float64(i % 5)
	}
	err := (&conformal.Regressor{Method: conformal.Full, Estimator: machine}).Fit(context.Background(), x, y)
	require.ErrorIs(t, err, estimators.ErrTooLarge)
	assert.ErrorContains(t, err, "the features of all rows")
	assert.Zero(t, fits)
}
