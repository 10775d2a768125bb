//go:build cgo

package golearn_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/knn"
	"github.com/sjwhitworth/golearn/linear_models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// quietly hides the output of golearn's KNN.
func quietly(t *testing.T, f func()) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	stdout := os.Stdout
	os.Stdout = null
	defer func() { os.Stdout = stdout; null.Close() }()
	f()
}

func nystroem() transformers.Transformer { return &featuremap.Nystroem{Components: 60} }

func crossValidated(t *testing.T, cls base.Classifier, grid base.FixedDataGrid) float64 {
	folds, err := evaluation.GenerateCrossFoldValidationConfusionMatrices(grid, cls, 4)
	require.NoError(t, err)
	mean, _ := evaluation.GetCrossValidatedMetric(folds, evaluation.GetAccuracy)
	return mean
}

func share(t *testing.T, cls base.Classifier, grid base.FixedDataGrid) float64 {
	predicted, err := cls.Predict(grid)
	require.NoError(t, err)
	return accuracyOf(t, grid, predicted)
}

func TestNystroemBeforeGolearnsKNN(t *testing.T) {
	build := func() *golearn.Pipeline { return mapped(knn.NewKnnClassifier("euclidean", "linear", 3), nystroem()) }
	quietly(t, func() {
		assert.Greater(t, crossValidated(t, build(), rings(t, 160, 1)), 0.95)
		p := build()
		require.NoError(t, p.Fit(rings(t, 160, 1)))
		test := rings(t, 80, 2)
		before := share(t, p, test)
		assert.Greater(t, before, 0.95)
		path := filepath.Join(t.TempDir(), "model")
		require.NoError(t, p.Save(path))
		again := build()
		require.NoError(t, again.Load(path))
		assert.Equal(t, before, share(t, again, test))
	})
}

func linearRegression() *golearn.Refitted {
	return &golearn.Refitted{New: func() golearn.Model { return linear_models.NewLinearRegression() }}
}

// With kernel features, golearn's linear regression becomes a kernel regression, also in golearn's cross-validation and in a file.
// The linear regression is not a base.Classifier and cannot be saved. Refitted turns it into a base.Classifier.
func TestNystroemBeforeGolearnsLinearRegression(t *testing.T) {
	grid, _ := radii(t, 200, 1)
	fresh, y := radii(t, 100, 2)
	plain := linearRegression()
	require.NoError(t, plain.Fit(grid))
	assert.Greater(t, unexplained(t, plain, fresh, y), 0.9)

	build := func() *golearn.Pipeline { return mapped(linearRegression(), &featuremap.Nystroem{Components: 30}) }
	p := build()
	require.NoError(t, p.Fit(grid))
	left := unexplained(t, p, fresh, y)
	assert.Less(t, left, 0.01)
	folds, err := evaluation.GenerateCrossFoldValidationConfusionMatrices(grid, build(), 4)
	require.NoError(t, err)
	assert.Len(t, folds, 4)

	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, p.Save(path))
	again := build()
	require.NoError(t, again.Load(path))
	assert.InEpsilon(t, left, unexplained(t, again, fresh, y), 1e-6, "its sums come in no fixed order")
	require.NoError(t, plain.Save(path))
	alone := linearRegression()
	require.NoError(t, alone.Load(path))
	assert.InEpsilon(t, unexplained(t, plain, fresh, y), unexplained(t, alone, fresh, y), 1e-9)
	require.ErrorIs(t, (&golearn.Refitted{New: func() golearn.Model { return &golearn.Regressor{Estimator: &lssvm.Regressor{}} }}).Load(path), estimators.ErrBadModel)
}

// With kernel features, golearn's LinearSVC, which needs numbers as classes, separates the rings. On Go versions that check cgo's
// pointers it panics in Fit, and the panic becomes an error.
func TestNystroemBeforeGolearnsLinearSVC(t *testing.T) {
	svc, err := linear_models.NewLinearSVC("l2", "l2", true, 1.0, 1e-4)
	require.NoError(t, err)
	p := mapped(svc, nystroem())
	numbered := func(n int, seed uint64) (base.FixedDataGrid, []float64) {
		x, labels := ringRows(n, seed)
		y := make([]float64, n)
		for i, l := range labels {
			if l == "outer" {
				y[i] = 1
			}
		}
		g, err := grids.TargetGrid(x, nil, "ring", y)
		require.NoError(t, err)
		return g, y
	}
	train, _ := numbered(160, 1)
	if err := p.Fit(train); err != nil {
		require.ErrorIs(t, err, estimators.ErrParam)
		require.ErrorContains(t, err, "LinearSVC")
		t.Skipf("golearn's LinearSVC does not work on this version of Go: %v", err)
	}
	test, y := numbered(80, 2)
	left := unexplained(t, p, test, y)
	assert.Less(t, left, 0.2)
	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, p.Save(path))
	other, err := linear_models.NewLinearSVC("l2", "l2", true, 1.0, 1e-4)
	require.NoError(t, err)
	again := mapped(other, nystroem())
	require.NoError(t, again.Load(path))
	assert.Equal(t, left, unexplained(t, again, test, y))
	folds, err := evaluation.GenerateCrossFoldValidationConfusionMatrices(train, p, 4)
	require.NoError(t, err)
	assert.Len(t, folds, 4)
}
