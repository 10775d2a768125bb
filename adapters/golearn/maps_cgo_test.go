//go:build cgo

package golearn_test

import (
	"context"
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
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
)

// quietly keeps what golearn's KNN prints off the screen.
func quietly(t *testing.T, f func()) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	stdout := os.Stdout
	os.Stdout = null
	defer func() { os.Stdout = stdout; null.Close() }()
	f()
}

func nystroem() transformers.Transformer { return &transformers.Nystroem{Components: 60} }

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

// A linear regression of golearn becomes a kernel regression. It is no base.Classifier, so
// it cannot be the Final of a Pipeline, and cannot be saved: the features are made before
// it, by a map that can.
func TestNystroemBeforeGolearnsLinearRegression(t *testing.T) {
	grid, _ := radii(t, 200, 1)
	fresh, y := radii(t, 100, 2)
	fitted := func(train base.FixedDataGrid) *linear_models.LinearRegression {
		lr := linear_models.NewLinearRegression()
		require.NoError(t, lr.Fit(train))
		return lr
	}
	assert.Greater(t, unexplained(t, fitted(grid), fresh, y), 0.9)

	scaler, m := &transformers.StandardScaler{}, &transformers.Nystroem{Components: 30}
	x, _, err := golearn.Matrix(grid, nil)
	require.NoError(t, err)
	require.NoError(t, scaler.Fit(context.Background(), x))
	z, err := scaler.Transform(x)
	require.NoError(t, err)
	require.NoError(t, m.Fit(context.Background(), z))
	features := func(m *transformers.Nystroem, grid base.FixedDataGrid) base.FixedDataGrid {
		x, _, err := golearn.Matrix(grid, nil)
		require.NoError(t, err)
		z, err := scaler.Transform(x)
		require.NoError(t, err)
		z, err = m.Transform(z)
		require.NoError(t, err)
		y, err := golearn.Targets(grid)
		require.NoError(t, err)
		out, err := golearn.TargetGrid(z, nil, "squared radius", y)
		require.NoError(t, err)
		return out
	}
	lr := fitted(features(m, grid))
	left := unexplained(t, lr, features(m, fresh), y)
	assert.Less(t, left, 0.01)
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	read := &transformers.Nystroem{}
	require.NoError(t, read.UnmarshalBinary(data))
	assert.Equal(t, left, unexplained(t, lr, features(read, fresh), y))
}

// golearn's LinearSVC wants classes that are numbers, and panics in Fit on Go versions that
// check cgo's pointers: an error here. Where it does not, it tells the rings apart.
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
		g, err := golearn.TargetGrid(x, nil, "ring", y)
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
	assert.Less(t, unexplained(t, p, test, y), 0.2)
}
