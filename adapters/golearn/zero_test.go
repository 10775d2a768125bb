package golearn_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// gapped returns a grid with a gap in every tenth row, and its matrix. If numbers is true, the class attribute is a number computed
// from two columns; otherwise it is the name of a species.
func gapped(t *testing.T, n int, seed uint64, numbers bool) (*base.DenseInstances, *mat.Dense) {
	t.Helper()
	x, labels := species(n, seed)
	y := make([]float64, n)
	for i := range n {
		y[i] = x.At(i, 0) + math.Sin(x.At(i, 1))
		if i%10 == 0 {
			x.Set(i, 2, math.NaN())
		}
	}
	names := []string{"length", "width", "noise"}
	if numbers {
		g, err := grids.TargetGrid(x, names, "yield", y)
		require.NoError(t, err)
		return g, x
	}
	g, err := grids.LabelledGrid(x, names, "kind", labels)
	require.NoError(t, err)
	return g, x
}

// Without an Estimator, the zero value of package selection is fitted, also to rows with gaps. The predictions equal those of the
// same search fitted directly to the matrix.
func TestNoEstimatorIsTheZeroSearch(t *testing.T) {
	grid, x := gapped(t, 60, 1, true)
	test, z := gapped(t, 30, 2, true)
	reg := &golearn.Regressor{}
	require.NoError(t, reg.Fit(grid))
	require.IsType(t, &selection.Regressor{}, reg.Fitted())
	y, err := grids.Targets(grid)
	require.NoError(t, err)
	alone := &selection.Regressor{}
	require.NoError(t, alone.Fit(t.Context(), x, y))
	want, err := alone.Predict(z)
	require.NoError(t, err)
	pred, err := reg.Predict(test)
	require.NoError(t, err)
	got, err := grids.Targets(pred)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	summary, err := golearn.SummarizeRegression(test, pred)
	require.NoError(t, err)
	assert.Less(t, summary.NMSE, 0.05)
	_, variance, err := reg.PredictVariance(test)
	require.NoError(t, err)
	for _, v := range variance {
		assert.Greater(t, v, 0.0)
	}

	words, x := gapped(t, 60, 1, false)
	others, z := gapped(t, 30, 2, false)
	cls := &golearn.Classifier{}
	require.NoError(t, cls.Fit(words))
	require.IsType(t, &selection.Classifier{}, cls.Fitted())
	labels, _, err := grids.Labels(words)
	require.NoError(t, err)
	aloneToo := &selection.Classifier{}
	require.NoError(t, aloneToo.Fit(t.Context(), x, labels))
	wantProba, err := aloneToo.PredictProba(z)
	require.NoError(t, err)
	gotProba, err := cls.PredictProba(others)
	require.NoError(t, err)
	assert.True(t, mat.Equal(wantProba, gotProba))
	guess, err := cls.Predict(others)
	require.NoError(t, err)
	assert.Greater(t, accuracyOf(t, others, guess), 0.9)
}

// Without an Estimator, gaps are passed on if Missing is zero. Other values of Missing have their usual effect. An infinity is not
// a gap.
func TestGapsWithoutAnEstimator(t *testing.T) {
	train := parse("size,colour,kind\n1,red,a\n,blue,b\n3,red,a\n8,?,b\n2,red,a\n7,blue,b\n")
	whole := parse("size,colour,kind\n1,red,a\n9,blue,b\n3,red,a\n8,red,b\n2,red,a\n7,blue,b\n")
	cls := &golearn.Classifier{}
	require.NoError(t, cls.Fit(train))
	assert.Equal(t, []string{"size", "colour=blue", "colour=red", "colour=?"}, cls.Features())
	require.NoError(t, cls.Fit(whole), "a model of rows without gaps")
	gap := parse("size,colour,kind\nNaN,red,a\n,blue,b\n8,red,b\n")
	p, err := cls.PredictProba(gap)
	require.NoError(t, err, "is asked about rows with some")
	for i := range 3 {
		assert.InDelta(t, 1, mat.Sum(p.RowView(i)), 1e-12)
	}
	report, err := cls.Inspect(gap)
	require.NoError(t, err)
	assert.Equal(t, 3, report.Rows)

	// Impute replaces gaps with means before the search receives the rows.
	imputed := &golearn.Classifier{Missing: golearn.Impute}
	require.NoError(t, imputed.Fit(train))
	want, err := imputed.PredictProba(parse("size,colour,kind\n4.2,red,a\n1,red,b\n"))
	require.NoError(t, err)
	got, err := imputed.PredictProba(parse("size,colour,kind\nNaN,red,a\n1,red,b\n"))
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-12), "the mean of 1, 3, 8, 2 and 7")
	// The same search, set as the Estimator, still rejects gaps.
	refused := &golearn.Classifier{Estimator: &selection.Classifier{}}
	require.ErrorIs(t, refused.Fit(train), estimators.ErrNotFinite)
	require.ErrorIs(t, (&golearn.Classifier{NoOneHot: true}).Fit(train), estimators.ErrParam)
	require.ErrorIs(t, (&golearn.Classifier{Missing: -1}).Fit(train), estimators.ErrParam)

	for _, m := range []base.Classifier{&golearn.Classifier{}, &golearn.Regressor{}} {
		infinite := infiniteAt(t, parse("size,depth,kind\n1,1,2\n3,9,3\n2,4,1\n5,6,1\n"), "depth", 1)
		if _, ok := m.(*golearn.Classifier); ok {
			infinite = infiniteAt(t, parse("size,depth,kind\n1,1,a\n3,9,b\n2,4,a\n5,6,b\n"), "depth", 1)
		}
		err := m.Fit(infinite)
		require.ErrorIs(t, err, estimators.ErrNotFinite)
		assert.ErrorContains(t, err, `attribute "depth", row 1`)
	}
	_, err = cls.Predict(infiniteAt(t, parse("size,colour,kind\n9,red,a\n1,red,b\n"), "size", 0))
	require.ErrorIs(t, err, estimators.ErrNotFinite)
	assert.ErrorContains(t, err, `attribute "size", row 0`)
}

// A column without any number, or with a single value, does not prevent a fit.
func TestEmptyColumnsWithoutAnEstimator(t *testing.T) {
	x, y := curve(40, 1)
	n, d := x.Dims()
	wide := mat.NewDense(n, d+2, nil)
	for i := range n {
		for j := range d {
			wide.Set(i, j, x.At(i, j))
		}
		wide.Set(i, d, math.NaN())
		wide.Set(i, d+1, 7)
	}
	grid, err := grids.TargetGrid(wide, nil, "y", y)
	require.NoError(t, err)
	reg := &golearn.Regressor{}
	require.NoError(t, reg.Fit(grid))
	bare, err := grids.TargetGrid(x, nil, "y", y)
	require.NoError(t, err)
	other := &golearn.Regressor{}
	require.NoError(t, other.Fit(bare))
	a, err := reg.Predict(grid)
	require.NoError(t, err)
	b, err := other.Predict(bare)
	require.NoError(t, err)
	got, err := grids.Targets(a)
	require.NoError(t, err)
	want, err := grids.Targets(b)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, 1e-3)
}

// A file can be loaded into the configuration of the saved model, alone and in a Pipeline. The configuration may have no Estimator,
// or the default search with Missing set to Pass.
func TestFilesWithoutAnEstimator(t *testing.T) {
	grid, _ := gapped(t, 40, 3, true)
	path := filepath.Join(t.TempDir(), "model")
	fill := []golearn.Step{golearn.Transform(&columnwise.Imputer{})}
	for name, build := range map[string]func() loadable{
		"Regressor":         func() loadable { return &golearn.Regressor{} },
		"Pipeline":          func() loadable { return &golearn.Pipeline{Final: &golearn.Regressor{}} },
		"after a transform": func() loadable { return &golearn.Pipeline{Steps: fill, Final: &golearn.Regressor{}} },
	} {
		m := build()
		require.NoError(t, m.Fit(grid), name)
		require.NoError(t, m.Save(path), name)
		again := build()
		require.NoError(t, again.Load(path), name)
		assert.Equal(t, predictedBy(t, m, grid), predictedBy(t, again, grid), name)
	}
	reg := &golearn.Regressor{}
	require.NoError(t, reg.Fit(grid))
	require.NoError(t, reg.Save(path))
	same := &golearn.Regressor{Estimator: &selection.Regressor{}, Missing: golearn.Pass}
	require.NoError(t, same.Load(path))
	assert.Equal(t, predictedBy(t, reg, grid), predictedBy(t, same, grid))
	for text, other := range map[string]*golearn.Regressor{
		"the receiver has Refuse": {Estimator: &selection.Regressor{}},
		"the receiver has Impute": {Missing: golearn.Impute},
		"lssvm.Regressor":         {Estimator: &lssvm.Regressor{}, Missing: golearn.Pass},
	} {
		err := other.Load(path)
		require.ErrorIs(t, err, estimators.ErrBadModel)
		assert.ErrorContains(t, err, text)
	}
}

// Without an Estimator, clones, names, class weights and scores are the same as with one.
func TestTheRestWithoutAnEstimator(t *testing.T) {
	assert.Equal(t, "golearn.Regressor(*selection.Regressor, not fitted)", (&golearn.Regressor{}).String())
	grid, _ := gapped(t, 60, 4, false)
	cls := &golearn.Classifier{ClassWeights: map[string]float64{"moss": 3}, Balanced: true}
	require.NoError(t, cls.Fit(grid))
	assert.Equal(t, "golearn.Classifier(*selection.Classifier, fitted on 3 features, 3 classes)", cls.String())
	clone := estimators.Clone(cls)
	assert.Nil(t, clone.Estimator)
	require.NoError(t, clone.Fit(grid))
	a, err := cls.PredictProba(grid)
	require.NoError(t, err)
	b, err := clone.PredictProba(grid)
	require.NoError(t, err)
	assert.True(t, mat.Equal(a, b))
	plain := &golearn.Classifier{}
	require.NoError(t, plain.Fit(grid))
	c, err := plain.PredictProba(grid)
	require.NoError(t, err)
	assert.False(t, mat.EqualApprox(a, c, 1e-6), "the weights count")

	zeros, err := grids.TargetGrid(mat.NewDense(8, 1, []float64{1, 2, 3, 4, 6, 7, 8, 9}), nil, "y", []float64{0, 0, 0, 0, 1, 1, 1, 1})
	require.NoError(t, err)
	scores := &golearn.Classifier{Scores: true}
	require.NoError(t, scores.Fit(zeros))
	pred, err := scores.Predict(zeros)
	require.NoError(t, err)
	s, err := grids.Targets(pred)
	require.NoError(t, err)
	assert.Less(t, s[0], 0.5, fmt.Sprint(s))
	assert.Greater(t, s[7], 0.5, fmt.Sprint(s))
	assert.NotContains(t, s, 1.0, "a probability, not a class")
}
