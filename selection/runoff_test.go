package selection

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

func machineOf(k kernels.Kernel) estimators.Regressor { return &svm.Regressor{Kernel: k} }

// folded returns the rows of a result, and of the other results in it, for which the learner was cross-validated.
func folded(r *search.Result) (out []search.TraceRow) {
	for _, one := range append([]*search.Result{r}, r.Others...) {
		for _, row := range one.Trace {
			if row.Basis == search.OnFolds {
				out = append(out, row)
			}
		}
	}
	return out
}

// If the best ridge is the smallest allowed one, a cross-validation of the learner decides, and its best kernel is chosen.
// Otherwise only the final model is fitted.
func TestRunoff(t *testing.T) {
	for _, noise := range []float64{0, .3} {
		x, y := problemOf(90, 2, noise, 3)
		r := &Regressor{Space: Kernels(machineOf)}
		require.NoError(t, r.Fit(ctx, x, y))
		rows := folded(r.Result())
		if noise > 0 {
			assert.Empty(t, rows)
			assert.Equal(t, 1, r.Result().Fits)
			continue
		}
		require.GreaterOrEqual(t, len(rows), 2)
		assert.LessOrEqual(t, len(rows), 4)
		least, taken := math.Inf(1), math.NaN()
		folds, err := validation.KFold{Folds: 5}.Split(90, nil)
		require.NoError(t, err)
		for _, row := range rows {
			assert.Equal(t, 5, row.ScoredOn)
			assert.Equal(t, 5, row.Fits)
			var family families.Family = families.RBF{}
			if row.Family != family.String() {
				family = families.Matern{Nu: 2.5}
			}
			scores, err := validation.CrossValidateRegressor(ctx, machineOf(family.Kernel(row.Param)), x, y, &validation.Options{Splitter: fixed(folds)})
			require.NoError(t, err)
			assert.InDelta(t, scores.Mean("NMSE"), row.Score, 1e-12)
			if row.Score < least {
				least, taken = row.Score, row.Param
			}
		}
		assert.Equal(t, taken, r.Result().Param)
		again := &Regressor{Space: Kernels(machineOf), Workers: 1}
		require.NoError(t, again.Fit(ctx, x, y))
		assert.Equal(t, r.Result().Kernel, again.Result().Kernel)

		own := &Regressor{} // the closed form is the score of lssvm itself
		require.NoError(t, own.Fit(ctx, x, y))
		assert.Empty(t, folded(own.Result()))
	}
}

type fixed []validation.Fold

func (f fixed) Split(int, []int) ([]validation.Fold, error) { return f, nil }

func onNystroem(k kernels.Kernel) estimators.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: k, Components: 12}}, Final: &ridge.Regressor{}}
}

// landmarkClassifier is a classifier with features and no other methods of its own.
type landmarkClassifier struct {
	estimators.Classifier
	kernel kernels.Kernel
}

func (c landmarkClassifier) FeatureMap() []transformers.Transformer {
	return onNystroem(c.kernel).(*pipeline.Regressor).Steps
}

// If the learner is ridge regression on features, kernels are scored on these features. The score is the leave-one-out error of the
// fitted model.
func TestScoreOnFeatures(t *testing.T) {
	for _, n := range []int{120, 700} { // entropies of all rows, and entropies of 300 of them
		x, y := problemOf(n, 1, .2, 4)
		r := &Regressor{Space: Kernels(onNystroem)}
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		at := chosenRow(res)
		assert.Equal(t, search.OnFeatures, at.Basis)
		assert.Equal(t, 12, at.ScoredOn)
		assert.Equal(t, n, at.Rows)
		assert.Contains(t, at.Decision(), "on the learner's 12 features")
		assert.Equal(t, 1, res.Fits)

		fitted := r.Fitted().(*pipeline.Regressor)
		z, err := fitted.FittedSteps()[0].Transform(x)
		require.NoError(t, err)
		final := &ridge.Regressor{Ridge: res.Ridge}
		require.NoError(t, final.Fit(ctx, z, y))
		left, err := final.LeaveOneOutResiduals(ctx)
		require.NoError(t, err)
		sum := 0.0
		for _, e := range left {
			sum += e * e / float64(n)
		}
		assert.InEpsilon(t, sum/stat.PopVariance(y, nil), res.Score, 1e-8)
	}
}

func chosenRow(r *search.Result) search.TraceRow {
	for _, row := range r.Trace {
		if row.Chosen {
			return row
		}
	}
	return search.TraceRow{}
}

// A third-party learner with the method FeatureMap is scored on its features.
func TestFeatureMap(t *testing.T) {
	assert.Len(t, featureMap(landmarkClassifier{kernel: kernels.RBF{Gamma: 1}}), 1)
	assert.Len(t, featureMap(onNystroem(kernels.RBF{Gamma: 1})), 1)
	assert.Empty(t, featureMap(&svm.Regressor{}))
	given := onNystroem(kernels.RBF{Gamma: 1}).(*pipeline.Regressor)
	given.Final = &ridge.Regressor{Ridge: 1}
	assert.Empty(t, featureMap(given), "its ridge is not by leave-one-out")

	x, labels := classesOf(90, 1)
	c := &Classifier{Space: Kernels(func(k kernels.Kernel) estimators.Classifier {
		return landmarkClassifier{&svm.Classifier{Kernel: k}, k}
	})}
	require.NoError(t, c.Fit(ctx, x, labels))
	assert.Equal(t, search.OnFeatures, chosenRow(c.Result()).Basis)
}

// A class with a single row is missing when that row is left out. If no fold can be fitted, the score decides.
func TestRunoffOfOneRow(t *testing.T) {
	x, labels := classesOf(60, 1)
	for i := range labels {
		labels[i] = i / 59
	}
	c := &Classifier{Space: Kernels(func(k kernels.Kernel) estimators.Classifier { return &svm.Classifier{Kernel: k} }), Search: &entropy.Search{MinRidge: 1e9}}
	require.NoError(t, c.Fit(ctx, x, labels))
	rows := folded(c.Result())
	require.NotEmpty(t, rows)
	for _, row := range rows {
		assert.True(t, math.IsNaN(row.Score))
		assert.Equal(t, search.FitFailed, row.Unscored)
	}
	assert.NotEmpty(t, c.Result().Warnings)
}

// With more rows a kernel is scored at a few ridges or at one. This does not show whether the best ridge is at the limit.
func TestRunoffOfFewRidges(t *testing.T) {
	x, y := problemOf(700, 8, .6, 3)
	r := &Regressor{Space: Kernels(machineOf)}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Positive(t, chosenRow(r.Result()).Round)
	assert.Empty(t, folded(r.Result()))
	assert.Equal(t, 1, r.Result().Fits)
}
