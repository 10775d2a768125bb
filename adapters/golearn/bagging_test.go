package golearn_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

func machine() base.Classifier { return &golearn.Classifier{Estimator: &lssvm.Classifier{}} }

// Trap 11: the result of a Bagging depends only on its seed, for any number of workers. Ties are resolved by the order of the
// classes.
func TestBaggingIsSeeded(t *testing.T) {
	train, test := speciesGrid(t, 30, 1), speciesGrid(t, 60, 2)
	proba := func(seed uint64, workers int) *mat.Dense {
		b := &golearn.Bagging{New: machine, Models: 6, Features: 2, Seed: seed, Workers: workers}
		require.NoError(t, b.Fit(train))
		p, err := b.PredictProba(test)
		require.NoError(t, err)
		pred, err := b.Predict(test)
		require.NoError(t, err)
		for i := range 60 {
			best := 0
			for k := range 3 {
				if p.At(i, k) > p.At(i, best) {
					best = k
				}
			}
			require.Equal(t, b.Labels()[best], base.GetClass(pred, i))
		}
		return p
	}
	one := proba(1, 1)
	assert.True(t, mat.Equal(one, proba(1, 4)))
	assert.False(t, mat.Equal(one, proba(2, 4)))
}

// Every model is fitted to rows of every class, although three in eight bootstraps of 60 rows lack a class with one row.
func TestBaggingHoldsEveryClass(t *testing.T) {
	x, labels := species(60, 1)
	for i := range labels {
		if labels[i] == "reed" && i > 2 {
			labels[i] = "moss"
		}
	}
	grid, err := grids.LabelledGrid(x, nil, "kind", labels)
	require.NoError(t, err)
	b := &golearn.Bagging{New: machine, Models: 12}
	require.NoError(t, b.Fit(grid))
	for _, m := range b.Fitted() {
		assert.Len(t, m.(*golearn.Classifier).Labels(), 3)
	}
}

func TestBaggingOfRegressors(t *testing.T) {
	train, test := curveGrid(t, 80, 1), curveGrid(t, 60, 2)
	_, y := curve(60, 2)
	b := &golearn.Bagging{New: func() base.Classifier { return &golearn.Regressor{Estimator: &lssvm.Regressor{}} }, Seed: 5}
	require.NoError(t, b.Fit(train))
	got := targets(t, b, test)
	near(t, y, got)
	sum := make([]float64, 60)
	for _, m := range b.Fitted() {
		for i, v := range targets(t, m, test) {
			sum[i] += v / 10
		}
	}
	assert.InDeltaSlice(t, sum, got, 1e-12, "the mean of the models")
	_, err := b.PredictProba(test)
	require.Error(t, err)
	assert.Nil(t, b.Labels())
}

// A Bagging returns the errors that golearn's BaggedModel drops.
func TestBaggingReportsErrors(t *testing.T) {
	train := speciesGrid(t, 30, 1)
	good := &golearn.Bagging{New: machine, Models: 3}
	require.NoError(t, good.Fit(train))
	before := texts(t, good, train)
	for name, c := range map[string]struct {
		b    golearn.Bagging
		grid base.FixedDataGrid
		is   error
		text string
	}{
		"no New":            {golearn.Bagging{}, train, estimators.ErrParam, "New"},
		"New returns nil":   {golearn.Bagging{New: func() base.Classifier { return nil }}, train, estimators.ErrParam, "nil"},
		"Models":            {golearn.Bagging{New: machine, Models: -1}, train, estimators.ErrParam, "Models"},
		"Features":          {golearn.Bagging{New: machine, Features: 4}, train, estimators.ErrParam, "Features"},
		"Features below 0":  {golearn.Bagging{New: machine, Features: -1}, train, estimators.ErrParam, "Features"},
		"Workers":           {golearn.Bagging{New: machine, Workers: -1}, train, estimators.ErrParam, "Workers"},
		"Fraction":          {golearn.Bagging{New: machine, Fraction: 1.5}, train, estimators.ErrParam, "Fraction"},
		"no grid":           {golearn.Bagging{New: machine}, nil, estimators.ErrParam, "grid"},
		"a model's":         {golearn.Bagging{New: func() base.Classifier { return &golearn.Regressor{Estimator: &ridge.Regressor{}} }}, train, estimators.ErrParam, "model 0"},
		"a golearn's panic": {golearn.Bagging{New: func() base.Classifier { return panicking{trees.NewID3DecisionTree(0)} }}, train, estimators.ErrParam, "model 0"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.b.Fit(c.grid)
			require.ErrorIs(t, err, c.is)
			assert.ErrorContains(t, err, c.text)
			pred, err := c.b.Predict(train)
			require.ErrorIs(t, err, estimators.ErrNotFitted)
			require.NotNil(t, pred)
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, good.FitContext(ctx, train), context.Canceled)
	assert.Equal(t, before, texts(t, good, train), "the old models stay")
	lacking, err := grids.FeatureGrid(mat.NewDense(1, 1, nil), nil)
	require.NoError(t, err)
	_, err = good.Predict(lacking)
	require.ErrorIs(t, err, estimators.ErrShape)
}

type panicking struct{ base.Classifier }

func (panicking) Fit(base.FixedDataGrid) error { panic("no") }

func TestBaggingSavesItself(t *testing.T) {
	train := speciesGrid(t, 60, 1)
	for name, build := range map[string]func() base.Classifier{
		"ours":     machine,
		"golearn":  func() base.Classifier { return trees.NewID3DecisionTree(0) },
		"pipeline": func() base.Classifier { return &golearn.Pipeline{Steps: []golearn.Step{binned(4)}, Final: machine()} },
	} {
		t.Run(name, func(t *testing.T) {
			config := &golearn.Bagging{New: build, Models: 3, Features: 2}
			b := estimators.Clone(config)
			require.NoError(t, b.Fit(train))
			path := filepath.Join(t.TempDir(), "bag")
			require.NoError(t, b.Save(path))
			again := estimators.Clone(config)
			require.NoError(t, again.Load(path))
			assert.Equal(t, texts(t, b, train), texts(t, again, train))
			require.ErrorIs(t, (&golearn.Bagging{New: build, Models: 4, Features: 2}).Load(path), estimators.ErrBadModel)
			require.ErrorIs(t, (&golearn.Bagging{New: build, Models: 3}).Load(path), estimators.ErrBadModel)

			// A Bagging works as the Final of a pipeline, and is stored in golearn's archive.
			p := &golearn.Pipeline{Final: estimators.Clone(config)}
			require.NoError(t, p.Fit(train))
			require.NoError(t, p.Save(path))
			q := &golearn.Pipeline{Final: estimators.Clone(config)}
			require.NoError(t, q.Load(path))
			assert.Equal(t, texts(t, p, train), texts(t, q, train))
		})
	}
}

func TestBaggingOfNoRows(t *testing.T) {
	train := speciesGrid(t, 30, 1)
	b := &golearn.Bagging{New: machine, Models: 2}
	require.NoError(t, b.Fit(train))
	none := base.NewInstancesViewFromVisible(train, nil, train.AllAttributes())
	assert.Empty(t, texts(t, b, none))
	p, err := b.PredictProba(none)
	require.NoError(t, err)
	assert.True(t, p.IsEmpty())
	report, err := b.Inspect(train)
	require.NoError(t, err)
	assert.Equal(t, 30, report.Rows)
}

// counted records the rows that it was fitted to.
type counted struct {
	base.Classifier
	rows []string
}

func (c *counted) Fit(g base.FixedDataGrid) error {
	c.rows = printed(g)
	return c.Classifier.Fit(g)
}

func TestBaggingDrawsRows(t *testing.T) {
	train := speciesGrid(t, 60, 1)
	for _, fraction := range []float64{0, 0.5, 1} {
		b := &golearn.Bagging{New: func() base.Classifier { return &counted{Classifier: machine()} }, Models: 2, Fraction: fraction}
		require.NoError(t, b.Fit(train))
		first, second := b.Fitted()[0].(*counted).rows, b.Fitted()[1].(*counted).rows
		assert.NotEqual(t, first, second)
		distinct := map[string]bool{}
		for _, r := range first {
			distinct[r] = true
		}
		if fraction == 0 {
			assert.Len(t, first, 60)
			assert.Less(t, len(distinct), 55, "with replacement")
			continue
		}
		assert.Len(t, first, int(60*fraction))
		assert.Len(t, distinct, len(first), "without replacement")
	}
}
