package golearn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/filters"
	"github.com/sjwhitworth/golearn/meta"
	"github.com/sjwhitworth/golearn/trees"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// binned returns a step with golearn's binning filter.
func binned(bins int) golearn.Step {
	return golearn.Filter(func(train base.FixedDataGrid) (base.Filter, error) {
		f := filters.NewBinningFilter(train, bins)
		for _, a := range base.NonClassFloatAttributes(train) {
			if err := f.AddAttribute(a); err != nil {
				return nil, err
			}
		}
		return f, f.Train()
	})
}

func TestImpute(t *testing.T) {
	train := parse("size,colour,kind\n1,red,a\n,blue,b\n3,red,a\n8,?,b\n")
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}, Missing: golearn.Impute}
	require.NoError(t, cls.Fit(train))
	require.NotContains(t, cls.Features(), "size=?")
	require.Contains(t, cls.Features(), "colour=?", "a category like the others")
	// A gap is predicted like the mean of the training rows, 4.
	mean := parse("size,colour,kind\n4,red,a\n4,blue,b\n1,red,a\n")
	gap := parse("size,colour,kind\nNaN,red,a\n,blue,b\n1,red,a\n")
	gap0, _, err := grids.Matrix(gap, nil)
	require.NoError(t, err)
	require.True(t, math.IsNaN(gap0.At(0, 0)) || math.IsNaN(gap0.At(0, 1)) || math.IsNaN(gap0.At(0, 2)))
	want, err := cls.PredictProba(mean)
	require.NoError(t, err)
	got, err := cls.PredictProba(gap)
	require.NoError(t, err)
	assert.True(t, mat.Equal(want, got))

	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, cls.Save(path))
	again := estimators.Clone(cls)
	require.NoError(t, again.Load(path))
	got, err = again.PredictProba(gap)
	require.NoError(t, err)
	assert.True(t, mat.Equal(want, got))
	err = (&golearn.Classifier{Estimator: &lssvm.Classifier{}}).Load(path)
	require.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, "Impute")

	require.ErrorIs(t, (&golearn.Classifier{Estimator: &lssvm.Classifier{}}).Fit(train), estimators.ErrNotFinite)
	for _, none := range []golearn.Missing{-1, 3} {
		require.ErrorIs(t, (&golearn.Classifier{Estimator: &lssvm.Classifier{}, Missing: none}).Fit(train), estimators.ErrParam)
	}
	assert.Equal(t, "Refuse Pass Impute Missing(3)", fmt.Sprint(golearn.Refuse, golearn.Pass, golearn.Impute, golearn.Missing(3)))
	infinite := infiniteAt(t, parse("size,kind\n1,a\n9,b\n2,a\n"), "size", 1)
	err = (&golearn.Classifier{Estimator: &lssvm.Classifier{}, Missing: golearn.Impute}).Fit(infinite)
	require.ErrorIs(t, err, estimators.ErrNotFinite)
	assert.ErrorContains(t, err, `"size", row 1`)
	_, err = cls.Predict(infiniteAt(t, parse("size,colour,kind\n9,red,a\n8,red,b\n"), "size", 0))
	require.ErrorIs(t, err, estimators.ErrNotFinite, "an infinity is not a gap")
}

func TestImputeForRegression(t *testing.T) {
	// The mean of a column does not overflow, even if its values are near the largest number.
	train := parse("a,b,y\n1,1e308,2\n,1e308,4\n3,1e308,6\n")
	reg := &golearn.Regressor{Estimator: &constant{}, Missing: golearn.Impute}
	require.NoError(t, reg.Fit(train))
	x := reg.Fitted().(*constant).seen
	assert.Equal(t, []float64{1, 2, 3}, mat.Col(nil, 0, x))
	assert.Equal(t, []float64{1e308, 1e308, 1e308}, mat.Col(nil, 1, x))
	reg = &golearn.Regressor{Estimator: &ridge.Regressor{}, Missing: golearn.Impute}
	doses := parse("dose,response\n1,2\n2,4\n,6\n4,8\n")
	require.NoError(t, reg.Fit(doses))
	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, reg.Save(path))
	again := estimators.Clone(reg)
	require.NoError(t, again.Load(path))
	assert.Equal(t, targets(t, reg, doses), targets(t, again, doses))
	require.ErrorIs(t, (&golearn.Regressor{Estimator: &ridge.Regressor{}}).Load(path), estimators.ErrBadModel)
}

// rare returns a grid with two overlapping classes. One row in ten is "rare".
func rare(t *testing.T, n int, seed uint64) *base.DenseInstances {
	x, labels := species(n, seed)
	for i := range labels {
		labels[i] = "common"
		if i%10 == 0 {
			labels[i] = "rare"
			x.Set(i, 0, x.At(i, 0)+1)
		}
	}
	g, err := grids.LabelledGrid(x, nil, "kind", labels)
	require.NoError(t, err)
	return g
}

func countOf(texts []string, want string) (n int) {
	for _, s := range texts {
		if s == want {
			n++
		}
	}
	return n
}

func TestClassWeights(t *testing.T) {
	train := rare(t, 120, 1)
	predicted := func(c *golearn.Classifier) int {
		return countOf(texts(t, fit(t, c, train), train), "rare")
	}
	for name, build := range map[string]func() estimators.Classifier{
		"lssvm": func() estimators.Classifier { return &lssvm.Classifier{} },
		"svm":   func() estimators.Classifier { return &svm.Classifier{} },
		"selection": func() estimators.Classifier {
			return &selection.Classifier{Search: &entropy.Search{}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			plain := predicted(&golearn.Classifier{Estimator: build()})
			balanced := predicted(&golearn.Classifier{Estimator: build(), Balanced: true})
			assert.Greater(t, balanced, plain)
			// The weights with Balanced are n/(2·number of rows in the class): 120/(2·108) and 120/(2·12).
			byName := predicted(&golearn.Classifier{Estimator: build(), ClassWeights: map[string]float64{"common": 120. / 216, "rare": 5}})
			assert.Equal(t, balanced, byName)
		})
	}
	for _, c := range []struct {
		weights map[string]float64
		text    string
	}{
		{map[string]float64{"other": 2}, `"other"`},
		{map[string]float64{"rare": 0}, `"rare"`},
		{map[string]float64{"rare": math.NaN()}, `"rare"`},
		{map[string]float64{"rare": math.Inf(1)}, `"rare"`},
	} {
		err := (&golearn.Classifier{Estimator: &lssvm.Classifier{}, ClassWeights: c.weights}).Fit(train)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, c.text)
	}
	require.ErrorIs(t, (&golearn.Classifier{Estimator: unweighted{&lssvm.Classifier{}}, Balanced: true}).Fit(train), errors.ErrUnsupported)
}

// For a float class of 0 and 1 the predictions are 0 or 1, as golearn prints them. With Scores they are scores. For a machine
// without probabilities the score is computed from its decision values.
func TestScoresOfAFloatClass(t *testing.T) {
	x, labels := species(60, 1)
	y := make([]float64, 60)
	for i, l := range labels {
		if l == "moss" {
			y[i] = 1
		}
	}
	grid, err := grids.TargetGrid(x, nil, "is moss", y)
	require.NoError(t, err)
	for name, e := range map[string]estimators.Classifier{"elm": &elm.Classifier{Units: 20, Ridge: 1}, "svm": &svm.Classifier{}, "rvm": &rvm.Classifier{}} {
		cls := &golearn.Classifier{Estimator: e}
		scored := &golearn.Classifier{Estimator: e, Scores: true}
		hard, scores := targets(t, fit(t, cls, grid), grid), targets(t, fit(t, scored, grid), grid)
		between := 0
		for i, s := range scores {
			assert.Equal(t, s > 0.5, hard[i] == 1, name)
			require.Contains(t, []float64{0, 1}, hard[i])
			require.True(t, s > 0 && s < 1, "golearn accepts only weights above 0")
			if s > 0.01 && s < 0.99 {
				between++
			}
		}
		assert.Positive(t, between, name)
		pred, err := cls.Predict(grid)
		require.NoError(t, err)
		assert.Greater(t, accuracyOf(t, grid, pred), 0.9, "golearn compares printed values")
		path := filepath.Join(t.TempDir(), "model")
		for _, m := range []*golearn.Classifier{cls, scored} {
			require.NoError(t, m.Save(path))
			again := estimators.Clone(m)
			require.NoError(t, again.Load(path))
			assert.Equal(t, targets(t, m, grid), targets(t, again, grid))
		}
	}
	bag := &golearn.Bagging{New: machine, Models: 4}
	pred, err := fit(t, bag, grid).Predict(grid)
	require.NoError(t, err)
	assert.Greater(t, accuracyOf(t, grid, pred), 0.9)
}

// golearn's OneVsAllModel, which predicts the class with the largest score, receives scores, even through pipelines and bagging.
func TestScoresForOneVsAll(t *testing.T) {
	for name, build := range map[string]func() base.Classifier{
		"Classifier": machine,
		"elm":        func() base.Classifier { return &golearn.Classifier{Estimator: &elm.Classifier{Units: 10, Ridge: 1}} },
		"Pipeline":   func() base.Classifier { return &golearn.Pipeline{Final: machine()} },
		"Bagging":    func() base.Classifier { return &golearn.Bagging{New: machine, Models: 3} },
		"nested": func() base.Classifier {
			return &golearn.Pipeline{Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{})}, Final: &golearn.Pipeline{Final: machine()}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			train := overlapping(t, 90, 1)
			var asked []*spy
			ova := meta.NewOneVsAllModel(func(string) base.Classifier {
				asked = append(asked, &spy{Classifier: build()})
				return asked[len(asked)-1]
			})
			ova.Fit(train)
			_, err := ova.Predict(train)
			require.NoError(t, err)
			require.Len(t, asked, 3)
			for _, s := range asked {
				values := map[float64]bool{}
				for _, v := range s.predicted {
					values[v] = true
				}
				assert.Greater(t, len(values), 4, "more than two answers")
			}
		})
	}
}

// spy is a classifier that records its last predictions.
type spy struct {
	base.Classifier
	predicted []float64
}

func (s *spy) Predict(g base.FixedDataGrid) (base.FixedDataGrid, error) {
	pred, err := s.Classifier.Predict(g)
	if err == nil {
		s.predicted, err = grids.Targets(pred)
	}
	return pred, err
}

// overlapping returns species with enough noise to make the classes overlap.
func overlapping(t *testing.T, n int, seed uint64) *base.DenseInstances {
	x, labels := species(n, seed)
	noise, _ := species(n, seed+100)
	for i := range n {
		x.Set(i, 0, x.At(i, 0)+1.5*noise.At(i, 2))
		x.Set(i, 1, x.At(i, 1)+1.5*x.At(i, 2))
		x.Set(i, 2, 0)
	}
	g, err := grids.LabelledGrid(x, nil, "kind", labels)
	require.NoError(t, err)
	return g
}

func TestWithClass(t *testing.T) {
	grid := parse("colour,size,kind\nred,1,a\nblue,2,b\nred,3,a\nblue,5,b\n")
	byColour, err := grids.WithClass(grid, "colour")
	require.NoError(t, err)
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	require.NoError(t, cls.Fit(byColour))
	assert.ElementsMatch(t, []string{"size", "kind=a", "kind=b"}, cls.Features())
	assert.Equal(t, []string{"red", "blue", "red", "blue"}, texts(t, cls, byColour))
	assert.Equal(t, "kind", grid.AllClassAttributes()[0].GetName(), "the grid stays as it is")
	sizes, err := grids.WithClass(grid, "size")
	require.NoError(t, err)
	require.NoError(t, (&golearn.Regressor{Estimator: &ridge.Regressor{}}).Fit(sizes))
	none, err := grids.WithClass(grid, "")
	require.NoError(t, err)
	assert.Empty(t, none.AllClassAttributes())
	_, err = grids.WithClass(grid, "weight")
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = grids.WithClass(nil, "size")
	require.ErrorIs(t, err, estimators.ErrParam)
}

type plant struct {
	Length  float64
	Leaves  int `golearn:"number of leaves"`
	Age     uint8
	Soil    string
	Flowers bool
	Note    []string `golearn:"-"`
	Kind    string
	seen    int
}

func TestStructGrid(t *testing.T) {
	rows := []plant{
		{Length: 1.5, Leaves: -3, Age: 2, Soil: "sand", Kind: "fern"},
		{Length: 2.5, Leaves: 4, Age: 1, Soil: "clay", Flowers: true, Kind: "reed", seen: 1},
		{Length: 1.25, Leaves: -2, Age: 2, Soil: "sand", Kind: "fern"},
	}
	grid, err := grids.StructGrid(rows, "Kind")
	require.NoError(t, err)
	x, names, err := grids.Matrix(grid, nil)
	require.NoError(t, err)
	row := map[string]float64{}
	for j, n := range names {
		row[n] = x.At(1, j)
	}
	assert.Equal(t, map[string]float64{"Length": 2.5, "number of leaves": 4, "Age": 1, "Soil=sand": 0, "Soil=clay": 1, "Flowers": 1}, row)
	_, labels, err := grids.Labels(grid)
	require.NoError(t, err)
	assert.Equal(t, []string{"fern", "reed"}, labels)
	m := fit(t, machine(), grid)
	// The row has no known class, and its soil is a level that the training rows lack.
	one, err := grids.StructGrid([]plant{{Length: 2.4, Leaves: 4, Age: 1, Soil: "peat", Flowers: true}}, "")
	require.NoError(t, err)
	assert.Equal(t, []string{"reed"}, texts(t, m, one))

	_, err = grids.StructGrid([]plant{}, "Kind")
	require.ErrorIs(t, err, estimators.ErrShape)
	_, err = grids.StructGrid(rows, "Sort")
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = grids.StructGrid([]int{1}, "")
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = grids.StructGrid([]struct{ A []int }{{}}, "")
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = grids.StructGrid([]struct {
		A int
		B int `golearn:"A"`
	}{{}}, "")
	require.ErrorIs(t, err, estimators.ErrParam)
}

func TestRows(t *testing.T) {
	x, err := grids.Rows([][]float64{{1, 2}, {3, 4}})
	require.NoError(t, err)
	assert.True(t, mat.Equal(mat.NewDense(2, 2, []float64{1, 2, 3, 4}), x))
	for _, bad := range [][][]float64{nil, {{}}, {{1}, {1, 2}}} {
		_, err := grids.Rows(bad)
		require.ErrorIs(t, err, estimators.ErrShape)
	}
}

func TestFoldsAreSeededAndStratified(t *testing.T) {
	grid := rare(t, 100, 1)
	view, _ := shuffled(grid)
	for _, g := range []base.FixedDataGrid{grid, view} {
		folds, err := grids.Folds(g, 5, 3)
		require.NoError(t, err)
		again, err := grids.Folds(g, 5, 3)
		require.NoError(t, err)
		other, err := grids.Folds(g, 5, 4)
		require.NoError(t, err)
		var rows []string
		for i, f := range folds {
			assert.Equal(t, map[string]int{"common": 18, "rare": 2}, base.GetClassDistribution(f.Test))
			assert.Equal(t, map[string]int{"common": 72, "rare": 8}, base.GetClassDistribution(f.Train))
			assert.Equal(t, printed(f.Test), printed(again[i].Test))
			assert.NotEqual(t, printed(f.Test), printed(other[i].Test))
			rows = append(rows, printed(f.Test)...)
		}
		assert.ElementsMatch(t, printed(g), rows, "each row is tested once")
	}
}

func printed(g base.FixedDataGrid) []string {
	_, n := g.Size()
	out := make([]string, n)
	for i := range out {
		out[i] = g.RowString(i)
	}
	return out
}

func TestCrossValidate(t *testing.T) {
	grid := speciesGrid(t, 60, 1)
	one, err := golearn.CrossValidateClassifier(t.Context(), grid, machine(), 4, 7)
	require.NoError(t, err)
	two, err := golearn.CrossValidateClassifier(t.Context(), grid, machine(), 4, 7)
	require.NoError(t, err)
	assert.Equal(t, one, two)
	mean, _ := evaluation.GetCrossValidatedMetric(one, evaluation.GetAccuracy)
	assert.Greater(t, mean, 0.9)
	rows := 0
	for _, cm := range one {
		for _, counts := range cm {
			for _, n := range counts {
				rows += n
			}
		}
	}
	assert.Equal(t, 60, rows)

	_, err = golearn.CrossValidateClassifier(t.Context(), grid, machine(), 1, 0)
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = golearn.CrossValidateClassifier(t.Context(), grid, machine(), 61, 0)
	require.ErrorIs(t, err, estimators.ErrShape)
	_, err = golearn.CrossValidateClassifier(t.Context(), grid, nil, 3, 0)
	require.ErrorIs(t, err, estimators.ErrParam)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = golearn.CrossValidateClassifier(stopped, grid, machine(), 3, 0)
	require.ErrorIs(t, err, context.Canceled)
	_, err = golearn.CrossValidateRegressor(stopped, curveGrid(t, 30, 1), trees.NewID3DecisionTree(0), 3, 0)
	require.ErrorIs(t, err, context.Canceled)
	_, err = golearn.CrossValidateClassifier(t.Context(), nil, machine(), 3, 0)
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = golearn.CrossValidateClassifier(t.Context(), grid, panicking{}, 3, 0)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "fold 0")
}

func TestRegressionSummary(t *testing.T) {
	truth, err := grids.TargetGrid(mat.NewDense(4, 1, nil), nil, "yield", []float64{1, 2, 3, 6})
	require.NoError(t, err)
	predicted, err := grids.TargetGrid(mat.NewDense(4, 1, nil), nil, "yield", []float64{1, 2, 3, 4})
	require.NoError(t, err)
	s, err := golearn.SummarizeRegression(truth, predicted)
	require.NoError(t, err)
	// The errors are 0, 0, 0, 2. The targets have the mean 3, and their squared deviations from it sum to 14.
	assert.Equal(t, "yield", s.Target)
	assert.Equal(t, 4, s.Rows)
	assert.InDelta(t, 1, s.RMSE, 1e-12)
	assert.InDelta(t, 0.5, s.MAE, 1e-12)
	assert.InDelta(t, 4./14, s.NMSE, 1e-12)
	assert.InDelta(t, 10./14, s.R2, 1e-12)
	lines := strings.Split(s.String(), "\n")
	assert.Equal(t, []string{"yield", "4", "1", "0.5", "0.2857"}, strings.Fields(lines[2]))
	assert.Equal(t, "Overall R2: 0.7143", lines[3])

	short, err := grids.TargetGrid(mat.NewDense(3, 1, nil), nil, "yield", []float64{1, 2, 3})
	require.NoError(t, err)
	_, err = golearn.SummarizeRegression(truth, short)
	require.ErrorIs(t, err, estimators.ErrShape)
	_, err = golearn.SummarizeRegression(speciesGrid(t, 9, 1), short)
	require.ErrorIs(t, err, estimators.ErrParam)

	reg := &golearn.Regressor{Estimator: &lssvm.Regressor{}}
	folds, err := golearn.CrossValidateRegressor(t.Context(), curveGrid(t, 60, 1), reg, 3, 1)
	require.NoError(t, err)
	require.Len(t, folds, 3)
	for _, f := range folds {
		assert.Equal(t, 20, f.Rows)
		assert.Greater(t, f.R2, 0.5)
	}
	_, err = golearn.CrossValidateRegressor(t.Context(), speciesGrid(t, 30, 1), machine(), 3, 1)
	require.ErrorIs(t, err, estimators.ErrParam)
}

// The result of a wrapped selection contains the trace of its search, before and after saving.
func TestTheTraceOfASelection(t *testing.T) {
	grid := speciesGrid(t, 60, 1)
	build := func() *golearn.Pipeline {
		return &golearn.Pipeline{Steps: []golearn.Step{binned(6)}, Final: &golearn.Classifier{Estimator: &selection.Classifier{}}}
	}
	trace := func(p *golearn.Pipeline) *search.Result {
		return p.Fitted().(*golearn.Classifier).Fitted().(*selection.Classifier).Result()
	}
	p := build()
	require.NoError(t, p.Fit(grid))
	want := trace(p)
	require.NotEmpty(t, want.Trace)
	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, p.Save(path))
	q := build()
	require.NoError(t, q.Load(path))
	assert.Equal(t, len(want.Trace), len(trace(q).Trace))
}

// constant predicts a constant, and records the matrix that it was fitted to.
type constant struct{ seen *mat.Dense }

func (c *constant) Fit(_ context.Context, x mat.Matrix, _ []float64) error {
	c.seen = mat.DenseCopyOf(x)
	return nil
}

func (c *constant) Predict(x mat.Matrix) ([]float64, error) {
	n, _ := x.Dims()
	return make([]float64, n), nil
}

func (c *constant) Clone() estimators.Regressor { return &constant{} }

// unweighted hides all methods of a classifier that estimators.Classifier does not have.
type unweighted struct{ estimators.Classifier }

func (u unweighted) Clone() estimators.Classifier { return u }

// PredictInterval returns the intervals of the estimator, even through a pipeline.
func TestPredictInterval(t *testing.T) {
	train, test := curveGrid(t, 60, 1), curveGrid(t, 20, 2)
	x, _ := curve(20, 2)
	reg := &golearn.Regressor{Estimator: &lssvm.Regressor{}}
	p := &golearn.Pipeline{Final: estimators.Clone(reg)}
	bare := &golearn.Regressor{Estimator: &constant{}}
	_, _, err := reg.PredictInterval(test, 0.9)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	for _, m := range []base.Classifier{reg, p, bare} {
		require.NoError(t, m.Fit(train))
	}
	wantLow, wantHigh, err := reg.Fitted().(estimators.IntervalPredictor).PredictInterval(x, 0.9)
	require.NoError(t, err)
	for _, m := range []interface {
		PredictInterval(base.FixedDataGrid, float64) (low, high []float64, err error)
		Supports(estimators.Capability) bool
	}{reg, p} {
		low, high, err := m.PredictInterval(test, 0.9)
		require.NoError(t, err)
		assert.Equal(t, wantLow, low)
		assert.Equal(t, wantHigh, high)
		for _, level := range []float64{0, 1, -1, math.NaN()} {
			_, _, err := m.PredictInterval(test, level)
			require.ErrorIs(t, err, estimators.ErrParam)
		}
		low, high, err = m.PredictInterval(base.NewInstancesViewFromVisible(test, nil, test.AllAttributes()), 0.9)
		require.NoError(t, err)
		assert.Empty(t, low)
		assert.Empty(t, high)
		assert.True(t, m.Supports(estimators.Interval))
	}
	_, _, err = bare.PredictInterval(test, 0.9)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.False(t, bare.Supports(estimators.Interval))
}

// The capabilities of each of the five types depend on the wrapped model.
func TestSupports(t *testing.T) {
	const none, some = "", "Report MarshalBinary and UnmarshalBinary"
	tree := trees.NewID3DecisionTree(0)
	scale := []golearn.Step{golearn.Transform(&scalers.StandardScaler{})}
	for name, c := range map[string]struct {
		m    estimators.Wrapper
		want string
	}{
		"no Estimator":             {&golearn.Classifier{}, "PredictProba " + some},
		"no Estimator, of numbers": {&golearn.Regressor{}, "PredictVariance PredictInterval " + some},
		"Classifier":               {&golearn.Classifier{Estimator: &lssvm.Classifier{}}, "PredictProba " + some},
		"without anything":         {&golearn.Classifier{Estimator: unweighted{&lssvm.Classifier{}}}, none},
		"Regressor":                {&golearn.Regressor{Estimator: &lssvm.Regressor{}}, "PredictVariance PredictInterval " + some},
		"no Final":                 {&golearn.Pipeline{}, none},
		"Pipeline":                 {&golearn.Pipeline{Steps: scale, Final: &golearn.Regressor{Estimator: &lssvm.Regressor{}}}, "PredictVariance PredictInterval " + some},
		"Pipeline of a Classifier": {&golearn.Pipeline{Final: machine()}, "PredictProba " + some},
		"Pipeline of golearn's":    {&golearn.Pipeline{Steps: scale, Final: tree}, "MarshalBinary and UnmarshalBinary"},
		"Bagging":                  {&golearn.Bagging{New: machine}, "PredictProba MarshalBinary and UnmarshalBinary"},
		"Bagging of golearn's":     {&golearn.Bagging{New: func() base.Classifier { return tree }}, "PredictProba MarshalBinary and UnmarshalBinary"},
		"Refitted":                 {&golearn.Refitted{}, "MarshalBinary and UnmarshalBinary"},
	} {
		var got []string
		for _, capability := range estimators.Capabilities() {
			if c.m.Supports(capability) {
				got = append(got, capability.String())
			}
		}
		assert.Equal(t, c.want, strings.Join(got, " "), name)
	}
}

// infiniteAt sets a cell of a grid to infinity.
func infiniteAt(t *testing.T, g *base.DenseInstances, name string, row int) *base.DenseInstances {
	t.Helper()
	spec, err := g.GetAttribute(base.GetAttributeByName(g, name))
	require.NoError(t, err)
	g.Set(spec, row, base.PackFloatToBytes(math.Inf(1)))
	return g
}
