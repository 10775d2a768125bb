package selection

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/internal/ridges"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func weightsOf(n int) []float64 {
	rng := rand.New(rand.NewPCG(8, 8))
	out := make([]float64, n)
	for i := range out {
		out[i] = 0.2 + 3*rng.Float64()
	}
	return distinct.Merge(mat.NewDense(n, 1, slices.Clone(out)), out).Relative().GivenWeights() // the weights as a search scales them
}

// The score equals the weighted leave-one-out error computed by leaving out one row after the other, and the entropy equals that of
// the rows without weights.
func TestWeightedLeaveOneOut(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 1)
	w := weightsOf(40)
	r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{NoMinRidge: true}}
	require.NoError(t, r.FitWeighted(ctx, x, y, w))
	_, variance := stat.PopMeanVariance(y, w)
	for i, row := range r.Result().Trace {
		k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: row.Param}, x, nil)
		require.NoError(t, err)
		entropy, err := measures.Entropy(ctx, k)
		require.NoError(t, err)
		assert.InDelta(t, entropy.Entropy, row.Entropy, 1e-12)
		l := lssvm.Regressor{Kernel: kernels.RBF{Gamma: row.Param}}
		require.NoError(t, l.FitWeighted(ctx, x, y, w))
		assert.LessOrEqual(t, row.Score*variance, 1.05*l.Report().Objective)
		if i > 2 {
			continue
		}
		above, total := 0.0, 0.0
		for out := range y {
			var rest []int
			for j := range y {
				if j != out {
					rest = append(rest, j)
				}
			}
			l := lssvm.Regressor{Kernel: kernels.RBF{Gamma: row.Param}, Ridge: row.Ridge}
			require.NoError(t, l.FitWeighted(ctx, linalg.Rows(x, rest), linalg.Pick(y, rest), linalg.Pick(w, rest)))
			p, err := l.Predict(linalg.Rows(x, []int{out}))
			require.NoError(t, err)
			above += w[out] * (y[out] - p[0]) * (y[out] - p[0])
			total += w[out]
		}
		assert.InEpsilon(t, above/total/variance, row.Score, 1e-6)
	}
	plain := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{NoMinRidge: true}}
	require.NoError(t, plain.Fit(ctx, x, y))
	assert.NotEqual(t, plain.Result().Score, r.Result().Score)

	// The final fit also uses the weights.
	l := lssvm.Regressor{Kernel: kernels.RBF{Gamma: r.Result().Param}, Ridge: r.Result().Ridge}
	require.NoError(t, l.FitWeighted(ctx, x, y, w))
	want, err := l.Predict(x)
	require.NoError(t, err)
	got, err := r.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestWeightedClassifier(t *testing.T) {
	x, y := classesOf(50, 2)
	w := weightsOf(50)
	c := Classifier{Preprocess: []transformers.Transformer{&scalers.StandardScaler{}}, Space: overClasses(families.RBF{}), Search: &entropy.Search{NoMinRidge: true}}
	require.NoError(t, c.FitWeighted(ctx, x, y, w))
	signs := make([]float64, len(y))
	for i, label := range y {
		signs[i] = -1
		if label == 7 {
			signs[i] = 1
		}
	}
	_, variance := stat.PopMeanVariance(signs, w)
	_, rows, err := folds.FitChain(ctx, "test", c.Preprocess, nil, x, nil)
	require.NoError(t, err)
	for _, row := range c.Result().Trace {
		l := lssvm.Regressor{Kernel: kernels.RBF{Gamma: row.Param}}
		require.NoError(t, l.FitWeighted(ctx, rows, signs, w))
		assert.LessOrEqual(t, row.Score*variance, 1.05*l.Report().Objective)
		assert.GreaterOrEqual(t, row.Score*variance, .9999*l.Report().Objective)
	}
}

func TestWeightsOfOneAreNone(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 1)
	xc, yc := classesOf(40, 2)
	ones := make([]float64, 40)
	for i := range ones {
		ones[i] = 1
	}
	text := func(r *search.Result) string {
		r.Seconds = 0
		for i := range r.Trace {
			r.Trace[i].Seconds = 0
		}
		data, err := json.Marshal(r)
		require.NoError(t, err)
		return string(data)
	}
	for _, s := range []search.Strategy{&entropy.Search{}, &entropy.Search{Score: entropy.CrossValidation}, &grid.Search{Points: 5}} {
		space := overClasses(families.RBF{})
		a, b := Classifier{Space: space, Search: s}, Classifier{Space: space, Search: s}
		require.NoError(t, a.Fit(ctx, xc, yc))
		require.NoError(t, b.FitWeighted(ctx, xc, yc, ones))
		assert.Equal(t, text(a.Result()), text(b.Result()))
	}
	for _, s := range []search.Strategy{&entropy.Search{}, &entropy.Search{Score: entropy.LogEvidence}, &grid.Search{Points: 5}} {
		space := over(families.RBF{})
		a, b := Regressor{Space: space, Search: s}, Regressor{Space: space, Search: s}
		require.NoError(t, a.Fit(ctx, x, y))
		require.NoError(t, b.FitWeighted(ctx, x, y, ones))
		assert.Equal(t, text(a.Result()), text(b.Result()))
		want, err := a.Predict(x)
		require.NoError(t, err)
		got, err := b.Predict(x)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// The learner and the metric receive the weights of their rows. The test computes the scores of the folds by hand.
func TestWeightedFolds(t *testing.T) {
	x, y := problemOf(50, 2, 0.3, 1)
	w := weightsOf(50)
	rmse := metrics.Metric{Name: "RMSE", Values: metrics.RMSE}
	splitter := validation.KFold{Folds: 4, Seed: 7}
	folds, err := splitter.Split(50, nil)
	require.NoError(t, err)
	byHand := func(k kernels.Kernel) (scores []float64) {
		for _, f := range folds {
			l := lssvm.Regressor{Kernel: k}
			require.NoError(t, l.FitWeighted(ctx, linalg.Rows(x, f.Train), linalg.Pick(y, f.Train), linalg.Pick(w, f.Train)))
			p, err := l.Predict(linalg.Rows(x, f.Test))
			require.NoError(t, err)
			sum, total := 0.0, 0.0
			for i, row := range f.Test {
				sum += w[row] * (y[row] - p[i]) * (y[row] - p[i])
				total += w[row]
			}
			scores = append(scores, math.Sqrt(sum/total))
		}
		return scores
	}
	r := Regressor{Search: &grid.Search{Params: []float64{0.1, 1}, Splitter: splitter, Metric: rmse}}
	require.NoError(t, r.FitWeighted(ctx, x, y, w))
	e := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Score: entropy.CrossValidation, Splitter: splitter, Metric: rmse}}
	require.NoError(t, e.FitWeighted(ctx, x, y, w))
	for _, row := range append(r.Result().Trace, e.Result().Trace...) {
		if !math.IsNaN(row.Score) {
			// The search divides the weights by their mean, and a ridge is accurate only as far as it changes the error.
			assert.InEpsilon(t, stat.Mean(byHand(kernels.RBF{Gamma: row.Param}), nil), row.Score, 1e-4)
		}
	}
	build := func() estimators.Regressor { return &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}} }
	got, err := validation.CrossValidateRegressor(ctx, build(), x, y, &validation.Options{Splitter: splitter, Metrics: []metrics.Metric{rmse}, Weights: w})
	require.NoError(t, err)
	assert.InDeltaSlice(t, byHand(kernels.RBF{Gamma: 1}), got.Values[0], 1e-12)
}

func TestWeightedFoldsOfAClassifier(t *testing.T) {
	x, y := classesOf(60, 3)
	w := weightsOf(60)
	build := func() estimators.Classifier { return &lssvm.Classifier{Kernel: kernels.RBF{Gamma: 0.3}} }
	got, err := validation.CrossValidateClassifier(ctx, build(), x, y, &validation.Options{Weights: w, Metrics: []metrics.Metric{
		metrics.ForClassification(), {Name: "AUC", Scores: metrics.AUCOfScores}, {Name: "LogLoss", Proba: metrics.LogLoss},
	}})
	require.NoError(t, err)
	folds, err := validation.StratifiedKFold{}.Split(60, y)
	require.NoError(t, err)
	for i, f := range folds {
		c := &lssvm.Classifier{Kernel: kernels.RBF{Gamma: 0.3}}
		require.NoError(t, c.FitWeighted(ctx, linalg.Rows(x, f.Train), linalg.Pick(y, f.Train), linalg.Pick(w, f.Train)))
		test, labels, weights := linalg.Rows(x, f.Test), linalg.Pick(y, f.Test), linalg.Pick(w, f.Test)
		p, err := c.Predict(test)
		require.NoError(t, err)
		accuracy, err := metrics.Accuracy(labels, p, weights)
		require.NoError(t, err)
		scores, err := c.Decision(test)
		require.NoError(t, err)
		auc, err := metrics.AUCOfScores(labels, c.Classes(), scores, weights)
		require.NoError(t, err)
		proba, err := c.PredictProba(test)
		require.NoError(t, err)
		loss, err := metrics.LogLoss(labels, c.Classes(), proba, weights)
		require.NoError(t, err)
		assert.Equal(t, []float64{accuracy, auc, loss}, []float64{got.Values[0][i], got.Values[1][i], got.Values[2][i]})
	}
}

func TestUnsupportedWeights(t *testing.T) {
	x, y := problemOf(30, 2, 0.3, 1)
	w := weightsOf(30)
	unweighted := func(k kernels.Kernel) estimators.Regressor { return moody{Regressor: &lssvm.Regressor{Kernel: k}} }
	looked := false
	r := Regressor{Space: Kernels(unweighted), Search: &entropy.Search{}, Observe: func(row search.TraceRow) { looked = looked || row.Step == nil }}
	err := r.FitWeighted(ctx, x, y, w)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "selection: Regressor: selection.moody has no FitWeighted")
	assert.False(t, looked, "reported before the search")
	assert.Nil(t, r.Result())

	// This Build returns two different types in turn.
	least, _ := families.RBF{}.Bounds()
	r.Space = Kernels(func(k kernels.Kernel) estimators.Regressor {
		if k.(kernels.RBF).Gamma > least {
			return unweighted(k)
		}
		return &lssvm.Regressor{Kernel: k}
	})
	for _, s := range []search.Strategy{&entropy.Search{}, &grid.Search{Params: []float64{1, 2}}} {
		r.Search = s
		assert.ErrorIs(t, r.FitWeighted(ctx, x, y, w), errors.ErrUnsupported)
	}
	r.Space = Kernels(func(kernels.Kernel) estimators.Regressor { return nil })
	assert.ErrorIs(t, r.FitWeighted(ctx, x, y, w), estimators.ErrParam)

	_, err = validation.CrossValidateRegressor(ctx, unweighted(nil), x, y, &validation.Options{Weights: w})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "fold 0: ")
	build := func() estimators.Regressor { return &lssvm.Regressor{} }
	_, err = validation.CrossValidateRegressor(ctx, build(), x, y, &validation.Options{Weights: w[1:]})
	assert.ErrorIs(t, err, estimators.ErrShape)
	w[3] = 0
	_, err = validation.CrossValidateRegressor(ctx, build(), x, y, &validation.Options{Weights: w})
	assert.ErrorContains(t, err, "validation: CrossValidateRegressor: weights = 0, want > 0")
	assert.ErrorContains(t, (&Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}}).FitWeighted(ctx, x, y, w), "selection: Regressor: weights = 0, want > 0")
	xc, yc := classesOf(30, 1)
	assert.ErrorContains(t, (&Classifier{Space: overClasses(families.RBF{}), Search: &entropy.Search{}}).FitWeighted(ctx, xc, yc, w), "selection: Classifier: weights = 0, want > 0")
}

func TestMetricsOfVariances(t *testing.T) {
	x, y := problemOf(50, 2, 0.3, 1)
	w := weightsOf(50)
	density := metrics.Metric{Name: "LogDensity", LargerIsBetter: true, Variance: metrics.LogDensity}
	build := func() estimators.Regressor { return &lssvm.Regressor{} }
	got, err := validation.CrossValidateRegressor(ctx, build(), x, y, &validation.Options{Metrics: []metrics.Metric{density}, Weights: w})
	require.NoError(t, err)
	folds, err := validation.KFold{}.Split(50, nil)
	require.NoError(t, err)
	for i, f := range folds {
		l := &lssvm.Regressor{}
		require.NoError(t, l.FitWeighted(ctx, linalg.Rows(x, f.Train), linalg.Pick(y, f.Train), linalg.Pick(w, f.Train)))
		mean, variance, err := l.PredictVariance(linalg.Rows(x, f.Test))
		require.NoError(t, err)
		want, err := metrics.LogDensity(linalg.Pick(y, f.Test), mean, variance, linalg.Pick(w, f.Test))
		require.NoError(t, err)
		assert.Equal(t, want, got.Values[0][i])
	}
	r := Regressor{Search: &grid.Search{Points: 5, Metric: density}}
	require.NoError(t, r.Fit(ctx, x, y))
	for _, row := range r.Result().Trace {
		assert.LessOrEqual(t, row.Score, r.Result().Score)
	}
	_, err = validation.CrossValidateRegressor(ctx, moody{Regressor: &lssvm.Regressor{}}, x, y, &validation.Options{Metrics: []metrics.Metric{density}})
	assert.ErrorContains(t, err, "moody has no PredictVariance")
}

// deciding is a classifier with a Decision in addition to its probabilities.
type deciding struct{ *lssvm.Classifier }

func TestMetricsOfProbabilities(t *testing.T) {
	x, y := classesOf(60, 1)
	logLoss := metrics.Metric{Name: "LogLoss", Proba: metrics.LogLoss}
	build := func() estimators.Classifier { return deciding{&lssvm.Classifier{}} }
	got, err := validation.CrossValidateClassifier(ctx, build(), x, y, &validation.Options{Metrics: []metrics.Metric{logLoss, {Name: "Brier", Proba: metrics.Brier}}})
	require.NoError(t, err)
	folds, err := validation.StratifiedKFold{}.Split(60, y)
	require.NoError(t, err)
	for i, f := range folds {
		c := build()
		require.NoError(t, c.Fit(ctx, linalg.Rows(x, f.Train), linalg.Pick(y, f.Train)))
		p, err := c.(estimators.ProbaPredictor).PredictProba(linalg.Rows(x, f.Test))
		require.NoError(t, err)
		want, err := metrics.LogLoss(linalg.Pick(y, f.Test), c.Classes(), p, nil)
		require.NoError(t, err)
		assert.Equal(t, want, got.Values[0][i])
	}
	assert.Less(t, got.Mean("Brier"), 0.5)
	c := Classifier{Search: &grid.Search{Points: 3, Metric: logLoss}}
	require.NoError(t, c.Fit(ctx, x, y))
	for _, row := range c.Result().Trace {
		assert.LessOrEqual(t, c.Result().Score, row.Score)
	}
	_, err = validation.CrossValidateClassifier(ctx, plain{&lssvm.Classifier{}}, x, y, &validation.Options{Metrics: []metrics.Metric{logLoss}})
	assert.ErrorContains(t, err, "plain has no PredictProba")
	_, err = validation.CrossValidateClassifier(ctx, build(), x, y, &validation.Options{Metrics: []metrics.Metric{{Name: "RMSE", Values: metrics.RMSE}}})
	assert.ErrorContains(t, err, `Metric = "RMSE", want one with Labels, Scores or Proba, for a classifier`)
	// A class that is missing from the training part has no column.
	_, err = validation.CrossValidateClassifier(context.Background(), build(), x, append([]int{99}, y[1:]...), &validation.Options{Metrics: []metrics.Metric{logLoss}})
	assert.ErrorContains(t, err, "class 99 is in no training row")
}

// The ridge of a sample of rows is not the best ridge for all rows, so the machine chooses its own ridge.
func TestRidgeOfDrawnRowsIsNotTaken(t *testing.T) {
	x, y := problemOf(700, 2, .3, 3)
	for strategy, want := range map[*entropy.Search]bool{{}: true, {Method: entropy.LowRank, MaxRank: 4, MinRidge: .01}: false} {
		r := &Regressor{Space: over(families.RBF{}), Search: strategy}
		require.NoError(t, r.Fit(ctx, x, y))
		assert.Equal(t, want, ridges.OnAllRows(r.Result(), 700), "%+v", strategy)
		given := 0.0
		if want {
			given = r.Result().Ridge
		}
		assert.Equal(t, given, r.Fitted().(*lssvm.Regressor).Ridge)
	}
	assert.False(t, ridges.OnAllRows(&search.Result{Trace: []search.TraceRow{{Chosen: true, Rows: 300, Basis: search.OnMatrix}}}, 700))
}

// plain hides all methods of a classifier except those of estimators.Classifier.
type plain struct{ estimators.Classifier }
