package selection

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func regressors() []estimators.Regressor {
	return []estimators.Regressor{
		&ridge.Regressor{},
		&lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}},
		&lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1e6}},
	}
}

func classifiers() []estimators.Classifier {
	return []estimators.Classifier{
		&eem.Classifier{Units: 2},
		&lssvm.Classifier{},
		&svm.Classifier{C: -1},
	}
}

// Candidates are compared by cross-validation, with weights and steps, and the best is fitted. Scores agree with those of
// CrossValidate.
func TestCandidates(t *testing.T) {
	x, y := problemOf(80, 2, .2, 3)
	for _, strategy := range []search.Strategy{&grid.Search{}, &grid.Halving{}} {
		r := &Regressor{Preprocess: []transformers.Transformer{&scalers.StandardScaler{}}, Space: Candidates(regressors()...), Search: strategy}
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		assert.Equal(t, 1, res.Candidate)
		assert.True(t, math.IsNaN(res.Param))
		assert.Empty(t, res.Family+res.Kernel)
		assert.Equal(t, "*lssvm.Regressor", res.Type)
		assert.Contains(t, res.String(), strategy.Name()+": candidate 1 (*lssvm.Regressor), ")
		assert.Contains(t, res.String(), "mean of 3 folds, *ridge.Regressor")
		assert.Empty(t, res.Warnings)
		assert.IsType(t, &lssvm.Regressor{}, r.Fitted())
		assert.Equal(t, "RBF(gamma=1)", r.Fitted().(*lssvm.Regressor).ChosenKernel().String())

		data, err := r.MarshalBinary()
		require.NoError(t, err)
		read := estimators.Clone(r)
		require.NoError(t, read.UnmarshalBinary(data))
		want, err := r.Predict(x)
		require.NoError(t, err)
		got, err := read.Predict(x)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.ErrorIs(t, (&Regressor{Preprocess: r.Preprocess, Search: &entropy.Search{}}).UnmarshalBinary(data), estimators.ErrBadModel)
		assert.ErrorIs(t, (&Regressor{Preprocess: r.Preprocess, Space: Candidates(regressors()[:1]...), Search: &grid.Search{}}).UnmarshalBinary(data), estimators.ErrBadModel)

		weights := make([]float64, len(y))
		for i := range weights {
			weights[i] = 1 + float64(i%3)
		}
		require.NoError(t, r.FitWeighted(ctx, x, y, weights))
	}
	r := &Regressor{Space: Candidates(regressors()...), Search: &grid.Search{}}
	require.NoError(t, r.Fit(ctx, x, y))
	for i, model := range regressors() {
		s, err := validation.CrossValidateRegressor(ctx, model, x, y, nil)
		require.NoError(t, err)
		assert.InDelta(t, s.Mean("NMSE"), r.Result().Trace[i].Score, 1e-12)
	}
}

func TestClassifierCandidates(t *testing.T) {
	x, y := classesOf(90, 2)
	c := &Classifier{Space: Candidates(classifiers()...), Search: &grid.Search{}}
	require.NoError(t, c.Fit(ctx, x, y))
	res := c.Result()
	assert.Equal(t, 1, res.Candidate)
	require.Len(t, res.Warnings, 1, "the third cannot be fitted")
	assert.Contains(t, res.Warnings[0], "candidate 2, fold 0")
	assert.True(t, c.Supports(estimators.Decision))
	_, err := c.Decision(x)
	require.NoError(t, err)
}

func TestCandidatesErrors(t *testing.T) {
	x, y := problemOf(30, 2, .2, 3)
	for want, r := range map[string]*Regressor{
		"Space = no candidates":               {Space: Candidates[estimators.Regressor](), Search: &grid.Halving{}},
		"Space: candidate 1 = nil":            {Space: Candidates(regressors()[0], nil), Search: &grid.Search{}},
		"Space: family 1 = RBF":               {Space: over(families.RBF{}, families.RBF{})},
		"Space: family 0 = <nil>":             {Space: over(nil)},
		"entropy: Search: Space = candidates": {Space: Candidates(regressors()...)},
		"GoldenSection: Space = candida":      {Space: Candidates(regressors()...), Search: &entropy.GoldenSection{}},
		"no point could be scored":            {Space: Candidates[estimators.Regressor](&ridge.Regressor{Ridge: -1}), Search: &grid.Search{}},
	} {
		assert.ErrorContains(t, r.Fit(ctx, x, y), want)
		_ = r.Supports(estimators.Variance)
		assert.Nil(t, r.Result())
	}
}

// A budget ends a comparison after one candidate. A cancelled comparison can be resumed.
func TestCandidatesBudgetAndResume(t *testing.T) {
	x, y := problemOf(60, 2, .2, 3)
	clock := &ticker{}
	r := &Regressor{Space: Candidates(regressors()...), Search: &grid.Search{}, Budget: time.Second, Observe: clock.tick, now: clock.now, Workers: 1}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, search.StatusBudget, r.Result().Status)
	assert.Equal(t, 0, r.Result().Candidate)

	whole := &Regressor{Space: Candidates(regressors()...), Search: &grid.Search{}}
	require.NoError(t, whole.Fit(ctx, x, y))
	cancelled, cancel := context.WithCancel(ctx)
	var rows []search.TraceRow
	part := &Regressor{Space: Candidates(regressors()...), Search: &grid.Search{}, Workers: 1, Observe: func(row search.TraceRow) {
		if row.Step == nil {
			rows = append(rows, row)
			cancel()
		}
	}}
	require.ErrorIs(t, part.Fit(cancelled, x, y), context.Canceled)
	require.NotEmpty(t, rows)
	again := &Regressor{Space: Candidates(regressors()...), Search: &grid.Search{}, Resume: rows}
	require.NoError(t, again.Fit(ctx, x, y))
	assert.Equal(t, withoutSeconds(t, whole.Result()), withoutSeconds(t, again.Result()))
}

// Machines that accept kernel matrices have the same scores with shared distances as with their own.
func TestSharingChangesNothing(t *testing.T) {
	x, y := problemOf(90, 3, .2, 5)
	grid := func(m metrics.Metric) *grid.Search { return &grid.Search{Points: 5, Metric: m} }
	same := func(shared, plain *search.Result) {
		t.Helper()
		for i, row := range shared.Trace {
			// Machines of svm use only the distances to support vectors, with different rounding.
			assert.InEpsilon(t, plain.Trace[i].Score, row.Score, 1e-12, "parameter %v", row.Param)
		}
	}
	type own struct{ estimators.Regressor } // its Fit may differ from that of the machine
	for _, build := range []func(k kernels.Kernel) estimators.Regressor{
		func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} },
		func(k kernels.Kernel) estimators.Regressor { return &svm.Regressor{Kernel: k} },
	} {
		shared := &Regressor{Space: Kernels(build), Search: grid(metrics.Metric{})}
		plain := &Regressor{Space: Kernels(func(k kernels.Kernel) estimators.Regressor { return own{build(k)} }), Search: shared.Search}
		require.NoError(t, shared.Fit(ctx, x, y))
		require.NoError(t, plain.Fit(ctx, x, y))
		same(shared.Result(), plain.Result())
	}
	xc, labels := classesOf(90, 5)
	type ownClassifier struct {
		estimators.Classifier
		estimators.DecisionPredictor
		estimators.ProbaPredictor
	}
	for _, build := range []func(k kernels.Kernel) estimators.Classifier{
		func(k kernels.Kernel) estimators.Classifier { return &lssvm.Classifier{Kernel: k} },
		func(k kernels.Kernel) estimators.Classifier { return &svm.Classifier{Kernel: k, Probabilities: true} },
	} {
		for _, m := range []metrics.Metric{{}, {Name: "AUC", LargerIsBetter: true, Scores: metrics.AUCOfScores}, {Name: "LogLoss", Proba: metrics.LogLoss}} {
			shared := &Classifier{Space: Kernels(build), Search: grid(m)}
			plain := &Classifier{Search: grid(m), Space: Kernels(func(k kernels.Kernel) estimators.Classifier {
				c := build(k)
				return ownClassifier{c, c.(estimators.DecisionPredictor), c.(estimators.ProbaPredictor)}
			})}
			require.NoError(t, shared.Fit(ctx, xc, labels))
			require.NoError(t, plain.Fit(ctx, xc, labels))
			same(shared.Result(), plain.Result())
		}
	}
}

// A learner that was built with a kernel other than the given one is scored with its own.
func TestSharingKeepsToTheKernelOfTheLearner(t *testing.T) {
	x, y := problemOf(60, 2, .2, 5)
	build := func(k kernels.Kernel) estimators.Regressor {
		return &lssvm.Regressor{Kernel: kernels.Sum{k, kernels.Linear{}}}
	}
	r := &Regressor{Space: Kernels(build), Search: &grid.Search{Params: []float64{.1, 1}}}
	require.NoError(t, r.Fit(ctx, x, y))
	for _, row := range r.Result().Trace {
		want, err := validation.CrossValidateRegressor(ctx, build(kernels.RBF{Gamma: row.Param}), x, y, nil)
		require.NoError(t, err)
		assert.InDelta(t, want.Mean("NMSE"), row.Score, 1e-12)
	}
}
