package selection

import (
	"context"
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
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
)

func regressors() []func() estimators.Regressor {
	return []func() estimators.Regressor{
		func() estimators.Regressor { return &ridge.Regressor{} },
		func() estimators.Regressor { return &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}} },
		func() estimators.Regressor { return &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1e6}} },
	}
}

func classifiers() []func() estimators.Classifier {
	return []func() estimators.Classifier{
		func() estimators.Classifier { return &eem.Classifier{Units: 2} },
		func() estimators.Classifier { return &lssvm.Classifier{} },
		func() estimators.Classifier { return &svm.Classifier{C: -1} },
	}
}

// Candidates are compared by cross-validation, with weights and steps, and the best is
// fitted: the scores are those of CrossValidate.
func TestCandidates(t *testing.T) {
	x, y := problemOf(80, 2, .2, 3)
	for _, search := range []Strategy{&Grid{Candidates: regressors()}, &Halving{Candidates: regressors()}} {
		r := &Regressor{Preprocess: []transformers.Transformer{&transformers.StandardScaler{}}, Search: search}
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		assert.Equal(t, 1.0, res.Param)
		assert.Equal(t, "candidates", res.Family)
		assert.Equal(t, "candidate 1 (*lssvm.Regressor)", res.Kernel)
		assert.Contains(t, res.String(), "mean NMSE of 3 folds, *ridge.Regressor")
		assert.Empty(t, res.Warnings)
		assert.IsType(t, &lssvm.Regressor{}, r.Fitted())
		assert.Equal(t, "RBF(gamma=1)", r.Fitted().(*lssvm.Regressor).ChosenKernel().String())

		data, err := r.MarshalBinary()
		require.NoError(t, err)
		read := r.Clone().(*Regressor)
		require.NoError(t, read.UnmarshalBinary(data))
		want, err := r.Predict(x)
		require.NoError(t, err)
		got, err := read.Predict(x)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.ErrorIs(t, (&Regressor{Preprocess: r.Preprocess}).UnmarshalBinary(data), estimators.ErrBadModel)
		assert.ErrorIs(t, (&Regressor{Preprocess: r.Preprocess, Search: &Grid{Candidates: regressors()[:1]}}).UnmarshalBinary(data), estimators.ErrBadModel)

		weights := make([]float64, len(y))
		for i := range weights {
			weights[i] = 1 + float64(i%3)
		}
		require.NoError(t, r.FitWeighted(ctx, x, y, weights))
	}
	r := &Regressor{Search: &Grid{Candidates: regressors()}}
	require.NoError(t, r.Fit(ctx, x, y))
	for i, build := range regressors() {
		s, err := CrossValidateRegressor(ctx, build, x, y, nil)
		require.NoError(t, err)
		assert.InDelta(t, s.Mean("NMSE"), r.Result().Trace[i].Score, 1e-12)
	}
}

func TestClassifierCandidates(t *testing.T) {
	x, y := classesOf(90, 2)
	c := &Classifier{Search: &Grid{ClassifierCandidates: classifiers()}}
	require.NoError(t, c.Fit(ctx, x, y))
	res := c.Result()
	assert.Equal(t, "candidate 1 (*lssvm.Classifier)", res.Kernel)
	require.Len(t, res.Warnings, 1, "the third cannot be fitted")
	assert.Contains(t, res.Warnings[0], "candidate 2, fold 0")
	assert.True(t, c.Supports(estimators.Decision))
	_, err := c.Decision(x)
	require.NoError(t, err)
}

func TestCandidatesErrors(t *testing.T) {
	x, y := problemOf(30, 2, .2, 3)
	_, labels := classesOf(30, 3)
	build := func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }
	for want, r := range map[string]*Regressor{
		"Search = with 3 Candidates for the other task": {Search: &Grid{ClassifierCandidates: classifiers()}},
		"Build = given":                   {Search: &Grid{Candidates: regressors()}, Build: build},
		"Family = given":                  {Search: &Grid{Candidates: regressors()}, Family: kernels.RBFFamily{}},
		"Families = given":                {Search: &Grid{Candidates: regressors()}, Families: []kernels.Family{kernels.RBFFamily{}}},
		"Family2 = given":                 {Search: &Grid{Candidates: regressors()}, Family2: kernels.ShiftedPolynomialFamily{}},
		"Search.Candidates = empty":       {Search: &Halving{Candidates: []func() estimators.Regressor{}}},
		"Search.Candidates[1] = nil":      {Search: &Grid{Candidates: []func() estimators.Regressor{regressors()[0], nil}}},
		"Params, Points, Lo, Hi = given":  {Search: &Grid{Candidates: regressors(), Points: 3}},
		"no parameter could be scored":    {Search: &Grid{Candidates: []func() estimators.Regressor{func() estimators.Regressor { return &ridge.Regressor{Ridge: -1} }}}},
		"want none beside Family or Fami": {Family2: kernels.ShiftedPolynomialFamily{}, Family: kernels.RBFFamily{}},
	} {
		assert.ErrorContains(t, r.Fit(ctx, x, y), want)
		_ = r.Supports(estimators.Variance)
		assert.Nil(t, r.Result())
	}
	c := &Classifier{Search: &Grid{Candidates: regressors()}}
	assert.ErrorContains(t, c.Fit(ctx, x, labels), "for the other task")
}

// A budget ends a comparison after one candidate, in their order; a cancelled one is
// resumed.
func TestCandidatesBudgetAndResume(t *testing.T) {
	x, y := problemOf(60, 2, .2, 3)
	clock := &ticker{}
	r := &Regressor{Search: &Grid{Candidates: regressors(), Budget: time.Second, Observe: clock.tick, now: clock.now, Workers: 1}}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, StatusBudget, r.Result().Status)
	assert.Equal(t, 0.0, r.Result().Param)

	whole := &Regressor{Search: &Grid{Candidates: regressors()}}
	require.NoError(t, whole.Fit(ctx, x, y))
	cancelled, cancel := context.WithCancel(ctx)
	var rows []TraceRow
	part := &Regressor{Search: &Grid{Candidates: regressors(), Workers: 1, Observe: func(row TraceRow) { rows = append(rows, row); cancel() }}}
	require.ErrorIs(t, part.Fit(cancelled, x, y), context.Canceled)
	require.NotEmpty(t, rows)
	again := &Regressor{Search: &Grid{Candidates: regressors(), Resume: rows}}
	require.NoError(t, again.Fit(ctx, x, y))
	assert.Equal(t, withoutSeconds(t, whole.Result()), withoutSeconds(t, again.Result()))
}

// The machines that take kernel matrices score the same on shared distances as when each
// fit makes its own.
func TestSharingChangesNothing(t *testing.T) {
	x, y := problemOf(90, 3, .2, 5)
	grid := func(m metrics.Metric) *Grid { return &Grid{Points: 5, Metric: m} }
	same := func(shared, plain *Result) {
		t.Helper()
		for i, row := range shared.Trace {
			// Those of svm take distances from its support vectors alone, which rounds elsewhere.
			assert.InEpsilon(t, plain.Trace[i].Score, row.Score, 1e-12, "parameter %v", row.Param)
		}
	}
	type own struct{ estimators.Regressor } // its Fit is not known to be the machine's
	for _, build := range []func(k kernels.Kernel) estimators.Regressor{
		func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} },
		func(k kernels.Kernel) estimators.Regressor { return &svm.Regressor{Kernel: k} },
	} {
		shared, plain := &Regressor{Build: build, Search: grid(metrics.Metric{})}, &Regressor{Search: grid(metrics.Metric{})}
		plain.Build = func(k kernels.Kernel) estimators.Regressor { return own{build(k)} }
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
			shared, plain := &Classifier{Build: build, Search: grid(m)}, &Classifier{Search: grid(m)}
			plain.Build = func(k kernels.Kernel) estimators.Classifier {
				c := build(k)
				return ownClassifier{c, c.(estimators.DecisionPredictor), c.(estimators.ProbaPredictor)}
			}
			require.NoError(t, shared.Fit(ctx, xc, labels))
			require.NoError(t, plain.Fit(ctx, xc, labels))
			same(shared.Result(), plain.Result())
		}
	}
}
