//go:build cgo

package golearn

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/ensemble"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/knn"
	"github.com/sjwhitworth/golearn/linear_models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
)

// silent hides the output of golearn's KNN, and fails the test if any other code prints. It returns the output.
func silent(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	stdout := os.Stdout
	os.Stdout = w
	done := make(chan string)
	go func() {
		text, _ := io.ReadAll(r)
		done <- string(text)
	}()
	func() {
		defer func() { os.Stdout = stdout; w.Close() }()
		f()
	}()
	return <-done
}

func TestFinalOfGolearnThatNeedsC(t *testing.T) {
	train, test := flowerGrid(t, 60, 1), flowerGrid(t, 30, 2)
	x, labels := flowers(30, 2)
	parsed := csvGridOf(t, rowLines(x, labels, []int{3, 0, 2, 1}, "petal width,sepal length,petal length,sepal width,species")...)
	// The forest is random and has no seed. Guessing has an accuracy of 1/3.
	const floor = 0.5
	for name, build := range map[string]func() *Pipeline{
		"knn": func() *Pipeline {
			return &Pipeline{Steps: []Step{Transform(&scaler{})}, Final: knn.NewKnnClassifier("euclidean", "linear", 3)}
		},
		"knn, no steps": func() *Pipeline { return &Pipeline{Final: knn.NewKnnClassifier("euclidean", "linear", 3)} },
		"random forest": func() *Pipeline {
			return &Pipeline{Steps: []Step{Transform(&scaler{})}, Final: ensemble.NewRandomForest(60, 4)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			silent(t, func() {
				p := build()
				require.NoError(t, p.Fit(train))
				pred, err := p.Predict(test)
				require.NoError(t, err)
				assert.Greater(t, accuracy(t, test, pred), floor)
				pred, err = p.Predict(parsed)
				require.NoError(t, err)
				assert.Greater(t, accuracy(t, parsed, pred), floor)
				path := filepath.Join(t.TempDir(), "model")
				require.NoError(t, p.Save(path))
				again := build()
				require.NoError(t, again.Load(path))
				got, err := again.Predict(test)
				require.NoError(t, err)
				assert.Greater(t, accuracy(t, test, got), floor)
			})
		})
	}
}

// On Go versions that check cgo's pointers, golearn's LinearSVC panics in Fit. The pipeline returns the panic as an error.
func TestACgoPanicOfGolearnIsAnError(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "cgocheck=0") {
		t.Skip("with GODEBUG=cgocheck=0 LinearSVC works")
	}
	g := line(t)
	svc, err := linear_models.NewLinearSVC("l1", "l2", true, 1.0, 1e-4)
	require.NoError(t, err)
	require.Panics(t, func() { _ = svc.Fit(g) }, "the panic that the guard recovers")
	p := &Pipeline{Final: svc}
	err = p.Fit(g)
	require.ErrorIs(t, err, estimators.ErrParam)
	require.ErrorContains(t, err, "LinearSVC")
	require.ErrorContains(t, err, "cgo")
	_, err = p.Predict(g)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
}

// Trap 4: golearn stores grids with their attributes in another order. A loaded KNN must still predict the same classes.
func TestWideNeighboursAreTheSameAfterLoading(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(60, 40, nil)
	labels := make([]string, 60)
	for i := range 60 {
		for j := range 40 {
			x.Set(i, j, rng.NormFloat64()*float64(j+1))
		}
		labels[i] = speciesNames[rng.IntN(3)]
	}
	g, err := grids.LabelledGrid(x, nil, "species", labels)
	require.NoError(t, err)
	silent(t, func() {
		p := &Pipeline{Final: knn.NewKnnClassifier("euclidean", "linear", 1)}
		require.NoError(t, p.Fit(g))
		require.Equal(t, labels, predictions(t, p, g), "each row is its own neighbour")
		data, err := p.MarshalBinary()
		require.NoError(t, err)
		again := &Pipeline{Final: knn.NewKnnClassifier("euclidean", "linear", 1)}
		require.NoError(t, again.UnmarshalBinary(data))
		require.Equal(t, labels, predictions(t, again, g))
	})
}

// A Regressor returns the same attributes and targets as golearn's LinearRegression.
func TestRegressorIsShapedLikeLinearRegression(t *testing.T) {
	g := line(t)
	theirs := linear_models.NewLinearRegression()
	require.NoError(t, theirs.Fit(g))
	want, err := theirs.Predict(g)
	require.NoError(t, err)
	ours := &Regressor{Estimator: &leastSquares{}}
	require.NoError(t, ours.Fit(g))
	got, err := ours.Predict(g)
	require.NoError(t, err)
	require.Equal(t, want.AllAttributes(), got.AllAttributes())
	a, err := grids.Targets(want)
	require.NoError(t, err)
	b, err := grids.Targets(got)
	require.NoError(t, err)
	assert.InDeltaSlice(t, a, b, 1e-6)
}

// Trap 10, and the drop-in: the same lines work with a golearn classifier and with a Classifier of this package.
func TestDropIn(t *testing.T) {
	train, test, err := grids.StratifiedSplit(flowerGrid(t, 120, 1), 0.5, 1)
	require.NoError(t, err)
	run := func(cls base.Classifier) float64 {
		require.NoError(t, cls.Fit(train))
		pred, err := cls.Predict(test)
		require.NoError(t, err)
		cm, err := evaluation.GetConfusionMatrix(test, pred)
		require.NoError(t, err)
		return evaluation.GetAccuracy(cm)
	}
	silent(t, func() { assert.Greater(t, run(knn.NewKnnClassifier("euclidean", "linear", 2)), 0.8) })
	printed := silent(t, func() {
		assert.Greater(t, run(&Classifier{Estimator: &centroids{}}), 0.8)
		assert.Greater(t, run(&Pipeline{Steps: []Step{Transform(&scaler{}), binning(4)}, Final: &Classifier{Estimator: &centroids{}}}), 0.5)
	})
	assert.Empty(t, printed)
	assert.True(t, (&Classifier{Estimator: &centroids{}}).Supports(estimators.Proba))
}
