package validation

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func TestCrossValidateIsALoop(t *testing.T) {
	x, y := problemOf(50, 2, 0.2, 1)
	build := func() estimators.Regressor {
		return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{}}
	}
	splitter := KFold{Folds: 4, Seed: 3}
	opt := &Options{Splitter: splitter, Metrics: []metrics.Metric{metrics.ForRegression(), {Name: "R2", LargerIsBetter: true, Values: metrics.R2}}}
	got, err := CrossValidateRegressor(ctx, build(), x, y, opt)
	require.NoError(t, err)
	folds, err := splitter.Split(50, nil)
	require.NoError(t, err)
	for i, f := range folds {
		e := build()
		require.NoError(t, e.Fit(ctx, linalg.Rows(x, f.Train), linalg.Pick(y, f.Train)))
		p, err := e.Predict(linalg.Rows(x, f.Test))
		require.NoError(t, err)
		v, err := metrics.NMSE(linalg.Pick(y, f.Test), p, nil)
		require.NoError(t, err)
		assert.Equal(t, v, got.Values[0][i])
		assert.Equal(t, 1-v, got.Values[1][i])
	}
	assert.InDelta(t, stat.Mean(got.Values[0], nil), got.Mean("NMSE"), 1e-15)
	assert.InDelta(t, stat.StdDev(got.Values[0], nil), got.SD("NMSE"), 1e-15)
	assert.True(t, math.IsNaN(got.Mean("none")) && math.IsNaN(got.SD("none")))
	assert.Len(t, got.FitSeconds, 4)
	for _, w := range []int{1, 3} {
		opt.Workers = w
		again, err := CrossValidateRegressor(ctx, build(), x, y, opt)
		require.NoError(t, err)
		assert.Equal(t, got.Values, again.Values)
	}
}

// widest is a transformer that records the largest number of rows that it or a clone of it was fitted to.
type widest struct {
	scalers.UnitRows
	most *int
}

func (w *widest) Fit(ctx context.Context, x mat.Matrix) error {
	n, _ := x.Dims()
	*w.most = max(*w.most, n)
	return w.UnitRows.Fit(ctx, x)
}

func (w *widest) Clone() transformers.Transformer { return &widest{most: w.most} }

func TestPreprocessSeesTrainingRowsOnly(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 1)
	most := 0
	_, err := CrossValidateRegressor(ctx, &pipeline.Regressor{
		Steps: []transformers.Transformer{&widest{most: &most}}, Final: &lssvm.Regressor{},
	}, x, y, &Options{Splitter: KFold{Folds: 4}, Workers: 1})
	require.NoError(t, err)
	assert.Equal(t, 30, most)
	// A search fits the transformer to all training rows, for the entropy and the final fit, and separately in each fold.
	most = 0
	parts, err := KFold{Folds: 4}.Split(40, nil)
	require.NoError(t, err)
	score, err := folds.RegressionScorer(metrics.ForRegression())
	require.NoError(t, err)
	_, err = folds.Job[float64, estimators.Regressor]{
		Builds: []func() estimators.Regressor{func() estimators.Regressor { return &lssvm.Regressor{} }}, Steps: []transformers.Transformer{&widest{most: &most}},
		Rows: folds.Rows[float64]{X: x, Y: y}, Folds: folds.Converted[folds.Fold](parts), Scorers: []folds.Scoring[float64, estimators.Regressor]{score}, Workers: 1,
	}.Evaluate(ctx)
	require.NoError(t, err)
	assert.Equal(t, 30, most)
}

func TestCrossValidateClassifierMetrics(t *testing.T) {
	x, y := classesOf(60, 1)
	got, err := CrossValidateClassifier(ctx, &lssvm.Classifier{}, x, y, &Options{Metrics: []metrics.Metric{
		metrics.ForClassification(), {Name: "GMean", LargerIsBetter: true, Labels: metrics.GMean}, {Name: "AUC", LargerIsBetter: true, Scores: metrics.AUCOfScores},
	}})
	require.NoError(t, err)
	for _, name := range []string{"Accuracy", "GMean", "AUC"} {
		assert.Greater(t, got.Mean(name), 0.7, name)
		assert.LessOrEqual(t, got.Mean(name), 1.0, name)
	}
	assert.Len(t, got.Values[0], defaultFolds)
}

// plain hides all methods of a classifier except those of estimators.Classifier.
type plain struct{ estimators.Classifier }

func TestCrossValidateErrors(t *testing.T) {
	x, y := problemOf(20, 2, 0.2, 1)
	xc, yc := classesOf(20, 1)
	build := func() estimators.Regressor { return &lssvm.Regressor{} }
	_, err := CrossValidateRegressor(ctx, nil, x, y, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = CrossValidateRegressor(ctx, build(), x, y[:3], nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = CrossValidateRegressor(ctx, build(), x, y, &Options{Metrics: []metrics.Metric{metrics.ForClassification()}})
	assert.ErrorContains(t, err, `Metric = "Accuracy", want one with Values`)
	_, err = CrossValidateRegressor(ctx, &lssvm.Regressor{Ridge: -1}, x, y, nil)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "fold 0: lssvm: Regressor: Ridge = -1")
	_, err = CrossValidateClassifier(ctx, plain{&lssvm.Classifier{}}, xc, yc,
		&Options{Metrics: []metrics.Metric{{Name: "AUC", Scores: metrics.AUCOfScores}}})
	assert.ErrorContains(t, err, "plain has no Decision")
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err = CrossValidateRegressor(done, build(), x, y, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

// If the only row of a class is a test row, the class has no probability. The error names the class, its number of rows, and the
// remedy.
func TestClassOfOneRow(t *testing.T) {
	x, y := mat.NewDense(21, 2, nil), make([]int, 21)
	for i := range y {
		x.SetRow(i, []float64{float64(i % 7), float64(i % 4)})
		y[i] = i % 2
	}
	y[20] = 2
	build := func() estimators.Classifier { return &lssvm.Classifier{Kernel: kernels.RBF{Gamma: 1}, Ridge: 1} }
	_, err := CrossValidateClassifier(ctx, build(), x, y, &Options{Metrics: []metrics.Metric{{Name: "LogLoss", Proba: metrics.LogLoss}}})
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.Regexp(t, `^validation: CrossValidateClassifier: fold \d: LogLoss: class 2 is in no training row, but its only row is in the test part: `+
		`add rows of it, leave it out, take StratifiedKFold with fewer folds, or a metric of labels`, err.Error())
	_, err = CrossValidateClassifier(ctx, build(), x, y, nil)
	assert.NoError(t, err, "a metric of labels")
}

// Each fold's estimator either fills the gaps or rejects them. In the latter case the error names their position in x.
func TestCrossValidateWithGaps(t *testing.T) {
	x, y := problemOf(60, 3, .1, 2)
	whole, err := CrossValidateRegressor(ctx, &ridge.Regressor{}, x, y, nil)
	require.NoError(t, err)
	x.Set(41, 2, math.NaN())
	imputing := func() estimators.Regressor {
		return &pipeline.Regressor{Steps: []transformers.Transformer{&columnwise.Imputer{}}, Final: &ridge.Regressor{}}
	}
	gappy, err := CrossValidateRegressor(ctx, imputing(), x, y, nil)
	require.NoError(t, err)
	a := whole.Mean("NMSE")
	b := gappy.Mean("NMSE")
	assert.InEpsilon(t, a, b, .2)
	_, err = CrossValidateRegressor(ctx, &ridge.Regressor{}, x, y, nil)
	require.ErrorIs(t, err, estimators.ErrNotFinite)
	assert.ErrorContains(t, err, "validation: CrossValidateRegressor: x[41,2] is NaN (counted from 0): fill gaps with columnwise.Imputer, as the first step of a pipeline (fold ")
	assert.ErrorContains(t, err, "columnwise.Imputer")
	x.Set(41, 2, math.Inf(1))
	_, err = CrossValidateRegressor(ctx, imputing(), x, y, nil)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
}

func TestStandardError(t *testing.T) {
	s := Scores{Metrics: []string{"a", "one"}, Values: [][]float64{{1, 2, 3, 6}, {5}}}
	assert.InDelta(t, 3, s.Mean("a"), 1e-12)
	assert.InDelta(t, math.Sqrt(14./3), s.SD("a"), 1e-12)
	assert.InDelta(t, math.Sqrt(14./3)/2, s.StandardError("a"), 1e-12)
	assert.True(t, math.IsNaN(s.StandardError("one")))
	assert.True(t, math.IsNaN(s.StandardError("none")))
	assert.Equal(t, "metric  mean  standard error\na       3     1.1\none     5     -\n", s.String())
}
