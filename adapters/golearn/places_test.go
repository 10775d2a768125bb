package golearn_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/meta"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/selection/threshold"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/pca"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// These tests run every estimator wherever golearn accepts a classifier. They produce the lists of docs/golearn.md, which go test
// -run TestPlaces -update-places writes. To add an estimator, add a line to one of the two lists.

var updatePlaces = flag.Bool("update-places", false, "write the lists of docs/golearn.md")

type listed[E any] struct {
	name  string
	build func() E
}

func standardScaler() []transformers.Transformer {
	return []transformers.Transformer{&scalers.StandardScaler{}}
}

var classifierList = []listed[estimators.Classifier]{
	{"lssvm.Classifier", func() estimators.Classifier { return &lssvm.Classifier{} }},
	{"falkon.Classifier", func() estimators.Classifier { return &falkon.Classifier{} }},
	{"svm.Classifier", func() estimators.Classifier { return &svm.Classifier{C: 10} }},
	{"svm.Classifier with probabilities", func() estimators.Classifier { return &svm.Classifier{C: 10, Probabilities: true} }},
	{"rvm.Classifier", func() estimators.Classifier { return &rvm.Classifier{} }},
	{"eem.Classifier", func() estimators.Classifier { return &eem.Classifier{Units: 30} }},
	{"eem.KernelClassifier", func() estimators.Classifier { return &eem.KernelClassifier{} }},
	{"elm.Classifier", func() estimators.Classifier { return &elm.Classifier{Units: 30, Ridge: .1} }},
	{"gabasr.Classifier", func() estimators.Classifier { return &gabasr.Classifier{Pairs: 8, Sweeps: 4, Chains: 1} }},
	{"calibration.Classifier", func() estimators.Classifier { return &calibration.Classifier{Folds: 3} }},
	{"conformal.Classifier", func() estimators.Classifier { return &conformal.Classifier{Folds: 3} }},
	{"selection.Classifier", func() estimators.Classifier { return &selection.Classifier{Preprocess: standardScaler()} }},
	{"threshold.Classifier", func() estimators.Classifier { return &threshold.Classifier{} }},
	{"stacking.Classifier", func() estimators.Classifier { return &stacking.Classifier{} }},
	{"Classifier without an estimator", func() estimators.Classifier { return nil }},
	{"pipeline.Classifier", func() estimators.Classifier {
		return &pipeline.Classifier{Steps: standardScaler(), Final: &lssvm.Classifier{}}
	}},
}

var regressorList = []listed[estimators.Regressor]{
	{"lssvm.Regressor", func() estimators.Regressor { return &lssvm.Regressor{} }},
	{"falkon.Regressor", func() estimators.Regressor { return &falkon.Regressor{} }},
	{"svm.Regressor", func() estimators.Regressor { return &svm.Regressor{} }},
	{"rvm.Regressor", func() estimators.Regressor { return &rvm.Regressor{} }},
	{"ridge.Regressor", func() estimators.Regressor { return &ridge.Regressor{} }},
	{"gabasr.Regressor", func() estimators.Regressor { return &gabasr.Regressor{Pairs: 8, Sweeps: 4, Chains: 1} }},
	{"conformal.Regressor", func() estimators.Regressor { return &conformal.Regressor{Folds: 3} }},
	{"selection.Regressor", func() estimators.Regressor { return &selection.Regressor{Preprocess: standardScaler()} }},
	{"selection.Regressor of rvm", func() estimators.Regressor {
		return &selection.Regressor{Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor { return &rvm.Regressor{Kernel: k} })}
	}},
	{"stacking.Regressor", func() estimators.Regressor { return &stacking.Regressor{} }},
	{"Regressor without an estimator", func() estimators.Regressor { return nil }},
	{"pipeline.Regressor", func() estimators.Regressor {
		return &pipeline.Regressor{Steps: standardScaler(), Final: &lssvm.Regressor{}}
	}},
}

// transformerList lists the transformers, which are tested as steps of a golearn.Pipeline before the first estimator of a list.
var transformerList = []listed[[]transformers.Transformer]{
	{"StandardScaler", standardScaler},
	{"RMSScaler", func() []transformers.Transformer { return []transformers.Transformer{&scalers.RMSScaler{}} }},
	{"MinMaxScaler", func() []transformers.Transformer { return []transformers.Transformer{&scalers.MinMaxScaler{}} }},
	{"Winsorizer, PowerTransformer", func() []transformers.Transformer {
		return []transformers.Transformer{&columnwise.Winsorizer{}, &columnwise.PowerTransformer{}}
	}},
	{"QuantileTransformer", func() []transformers.Transformer {
		return []transformers.Transformer{&columnwise.QuantileTransformer{Output: columnwise.Normal}}
	}},
	{"StandardScaler, UnitRows", func() []transformers.Transformer {
		return append(standardScaler(), &scalers.UnitRows{})
	}},
	{"Imputer", func() []transformers.Transformer { return []transformers.Transformer{&columnwise.Imputer{}} }},
	{"OneHot", func() []transformers.Transformer {
		// The column is irrelevant, so new levels in it do not matter.
		return []transformers.Transformer{&columnwise.OneHot{Columns: []int{2}, MaxLevels: 1000}}
	}},
	{"TargetEncoder", func() []transformers.Transformer {
		return []transformers.Transformer{&columnwise.TargetEncoder{Columns: []int{2}}}
	}},
	{"StandardScaler, KernelMap, KernelCenterer", func() []transformers.Transformer {
		return append(standardScaler(), &featuremap.KernelMap{}, &featuremap.KernelCenterer{})
	}},
	{"StandardScaler, RandomHidden", func() []transformers.Transformer {
		return append(standardScaler(), &featuremap.RandomHidden{Units: 40})
	}},
	{"StandardScaler, RandomFourier", func() []transformers.Transformer {
		return append(standardScaler(), &featuremap.RandomFourier{Components: 60})
	}},
	{"StandardScaler, LocallyStationaryFourier", func() []transformers.Transformer {
		return append(standardScaler(), &featuremap.LocallyStationaryFourier{Components: 60})
	}},
	{"StandardScaler, Nystroem", func() []transformers.Transformer {
		return append(standardScaler(), &featuremap.Nystroem{Components: 20})
	}},
	{"StandardScaler, PCA", func() []transformers.Transformer {
		return append(standardScaler(), &pca.PCA{})
	}},
	{"ColumnTransformer", func() []transformers.Transformer {
		return []transformers.Transformer{&pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{1, 0}, Of: &scalers.StandardScaler{}}}}}
	}},
	{"StandardScaler, KernelPCA", func() []transformers.Transformer {
		return append(standardScaler(), &pca.KernelPCA{Components: 20})
	}},
}

// The lists contain every estimator and transformer.
func TestPlacesHaveAll(t *testing.T) {
	const several = "has several targets, but golearn's Predict returns one"
	var all []string
	for _, c := range classifierList {
		if e := c.build(); e != nil {
			all = append(all, declared.Name(e))
		}
	}
	for _, r := range regressorList {
		if e := r.build(); e != nil {
			all = append(all, declared.Name(e))
		}
	}
	for _, steps := range transformerList {
		for _, step := range steps.build() {
			all = append(all, declared.Name(step))
		}
	}
	declared.Lists(t, "places_test.go", all, map[string]string{
		"ridge.DirectKernel":      "wants rows of a centred kernel",
		"ridge.MultiRegressor":    several,
		"lssvm.MultiRegressor":    several,
		"falkon.MultiRegressor":   several,
		"pipeline.MultiRegressor": several,
		"pipeline.Transformer":    "is built by golearn.Pipeline from its steps",
		"forecast.Forecaster":     "needs a series, not rows",
		"text.TFIDF":              "needs documents, not rows",
		"svm.OneClass":            "is fitted without a class, for which golearn has no contract",
		"novelty.Density":         "is fitted without a class, for which golearn has no contract",
	}, filepath.Join("..", ".."), "Fit")
}

// cellPlace is a place in golearn in which a model can be used. Its check receives a function that builds new models.
type cellPlace struct {
	name  string
	check func(t *testing.T, build func() base.Classifier)
}

// species returns n random rows of three classes in three features. One line separates two classes, and no line separates the
// third.
func species(n int, seed uint64) (*mat.Dense, []string) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := mat.NewDense(n, 3, nil)
	labels := make([]string, n)
	for i := range n {
		k := i % 3
		labels[i] = []string{"fern", "moss", "reed"}[k]
		x.SetRow(i, []float64{
			[]float64{-2, 0, 2}[k] + 0.3*rng.NormFloat64(),
			[]float64{1, -1, 1}[k] + 0.3*rng.NormFloat64(),
			rng.NormFloat64(),
		})
	}
	return x, labels
}

func speciesGrid(t *testing.T, n int, seed uint64) *base.DenseInstances {
	t.Helper()
	x, labels := species(n, seed)
	g, err := grids.LabelledGrid(x, []string{"length", "width", "noise"}, "kind", labels)
	require.NoError(t, err)
	return g
}

// texts returns the printed class of each row.
func texts(t *testing.T, m base.Classifier, g base.FixedDataGrid) []string {
	t.Helper()
	pred, err := m.Predict(g)
	require.NoError(t, err)
	_, rows := g.Size()
	_, got := pred.Size()
	require.Equal(t, rows, got)
	out := make([]string, rows)
	for i := range out {
		out[i] = base.GetClass(pred, i)
	}
	return out
}

func fit(t *testing.T, m base.Classifier, g base.FixedDataGrid) base.Classifier {
	t.Helper()
	require.NoError(t, m.Fit(g))
	return m
}

// luck is the number of attempts in a check that depends on golearn's random draws, which have no seed. One bag in thirty has a
// lower accuracy than the others.
const luck = 6

// leastOf is the accuracy that at least one of luck attempts must exceed.
const leastOf = 0.85

// oneReaches checks that the accuracy of at least one of luck draws exceeds leastOf, since golearn draws bags and folds without a
// seed.
func oneReaches(t *testing.T, accuracy func() float64) {
	t.Helper()
	best := 0.0
	for range luck {
		if best = max(best, accuracy()); best > leastOf {
			return
		}
	}
	require.Greater(t, best, leastOf, "the best of %d draws", luck)
}

// bagged returns golearn's own bagging, whose Fit returns nothing.
func bagged(build func() base.Classifier, n int) *meta.BaggedModel {
	out := new(meta.BaggedModel)
	for range n {
		out.AddModel(build())
	}
	return out
}

// identity is a filter that leaves every cell unchanged, and counts the cells.
type identity struct {
	pairs []base.FilteredAttribute
	seen  map[string]int
}

func newIdentity(t *testing.T, g base.FixedDataGrid) *identity {
	f := &identity{seen: map[string]int{}}
	for _, a := range g.AllAttributes() {
		require.NoError(t, f.AddAttribute(a))
	}
	return f
}

func (f *identity) AddAttribute(a base.Attribute) error {
	twin := base.Attribute(base.NewFloatAttribute(a.GetName()))
	if c, ok := a.(*base.CategoricalAttribute); ok {
		other := base.NewCategoricalAttribute()
		other.SetName(c.GetName())
		for _, v := range c.GetValues() {
			other.GetSysValFromString(v)
		}
		twin = other
	}
	f.pairs = append(f.pairs, base.FilteredAttribute{Old: a, New: twin})
	return nil
}

func (f *identity) GetAttributesAfterFiltering() []base.FilteredAttribute { return f.pairs }
func (f *identity) String() string                                        { return "identity" }
func (f *identity) Train() error                                          { return nil }
func (f *identity) Transform(old, _ base.Attribute, cell []byte) []byte {
	f.seen[old.GetName()]++
	return cell
}

// lazy returns the same grid behind a filter that runs at each read of a cell.
func lazy(t *testing.T, g base.FixedDataGrid) (*base.LazilyFilteredInstances, *identity) {
	f := newIdentity(t, g)
	return base.NewLazilyFilteredInstances(g, f), f
}

// shuffled returns the same rows in another order, in the form that golearn's bagging passes to models. The function row maps a row
// of the view to the row of g.
func shuffled(g base.FixedDataGrid) (view base.FixedDataGrid, row func(int) int) {
	_, n := g.Size()
	rows := map[int]int{}
	for i := range n {
		rows[i] = (i*7 + 3) % n
	}
	return base.NewInstancesViewFromRows(g, rows), func(i int) int { return rows[i] }
}

// numbers returns a gonum matrix as a golearn grid, with the last column as the class.
func numbers(t *testing.T, x *mat.Dense, y []float64) *base.Mat64Instances {
	n, d := x.Dims()
	all := mat.NewDense(n, d+1, nil)
	all.Slice(0, n, 0, d).(*mat.Dense).Copy(x)
	all.SetCol(d, y)
	g := base.InstancesFromMat64(n, d+1, all)
	require.NoError(t, g.AddClassAttribute(g.AllAttributes()[d]))
	return g
}

func classifierPlaces() []cellPlace {
	return []cellPlace{
		{"confusion matrix and summary", func(t *testing.T, build func() base.Classifier) {
			test := speciesGrid(t, 60, 2)
			pred, err := fit(t, build(), speciesGrid(t, 60, 1)).Predict(test)
			require.NoError(t, err)
			cm, err := evaluation.GetConfusionMatrix(test, pred)
			require.NoError(t, err)
			require.Greater(t, evaluation.GetAccuracy(cm), 0.9)
			require.Contains(t, evaluation.GetSummary(cm), "Overall accuracy")
		}},
		{"GenerateCrossFoldValidationConfusionMatrices", func(t *testing.T, build func() base.Classifier) {
			oneReaches(t, func() float64 {
				folds, err := evaluation.GenerateCrossFoldValidationConfusionMatrices(speciesGrid(t, 60, 1), build(), 3)
				require.NoError(t, err)
				mean, _ := evaluation.GetCrossValidatedMetric(folds, evaluation.GetAccuracy)
				return mean
			})
		}},
		{"BaggedModel", func(t *testing.T, build func() base.Classifier) {
			train, test := speciesGrid(t, 60, 1), speciesGrid(t, 60, 2)
			oneReaches(t, func() float64 {
				bag := bagged(build, 3)
				bag.Fit(train)
				pred, err := bag.Predict(test)
				require.NoError(t, err)
				votes := make([]map[string]int, 60)
				for i := range votes {
					votes[i] = map[string]int{}
				}
				for _, m := range bag.Models {
					// A pipeline rejects rows with a level that its training rows lack. golearn then counts only the votes of
					// the other models.
					if said, err := m.Predict(test); err == nil {
						for i := range votes {
							votes[i][base.GetClass(said, i)]++
						}
					}
				}
				for i, v := range votes {
					got := v[base.GetClass(pred, i)]
					for class, n := range v {
						require.LessOrEqual(t, n, got, "row %d: %s has more votes", i, class)
					}
				}
				return accuracyOf(t, test, pred)
			})
		}},
		{"Save and Load of BaggedModel", func(t *testing.T, build func() base.Classifier) {
			grid := speciesGrid(t, 60, 1)
			path := filepath.Join(t.TempDir(), "bag")
			oneReaches(t, func() float64 {
				bag, again := bagged(build, 1), bagged(build, 1) // golearn breaks ties between several models at random
				bag.Fit(grid)
				require.NoError(t, bag.Save(path))
				require.NoError(t, again.Load(path))
				want, err := bag.Predict(grid)
				require.NoError(t, err)
				got, err := again.Predict(grid)
				require.NoError(t, err)
				require.Equal(t, 1.0, accuracyOf(t, want, got))
				return accuracyOf(t, grid, got)
			})
		}},
		{"OneVsAllModel", func(t *testing.T, build func() base.Classifier) {
			test := speciesGrid(t, 60, 2)
			ova := meta.NewOneVsAllModel(func(string) base.Classifier { return build() })
			ova.Fit(speciesGrid(t, 60, 1))
			pred, err := ova.Predict(test)
			require.NoError(t, err)
			require.Greater(t, accuracyOf(t, test, pred), 0.85)
		}},
		{"Save and Load of OneVsAllModel", func(t *testing.T, build func() base.Classifier) {
			grid := speciesGrid(t, 60, 1)
			path := filepath.Join(t.TempDir(), "ova")
			var of [2]base.FixedDataGrid
			for i := range of {
				ova := meta.NewOneVsAllModel(func(string) base.Classifier { return build() })
				if i == 0 {
					ova.Fit(grid)
				} else {
					require.NoError(t, ova.Load(path))
				}
				var err error
				of[i], err = ova.Predict(grid)
				require.NoError(t, err)
				if i == 0 {
					require.NoError(t, ova.Save(path))
				}
			}
			require.Equal(t, 1.0, accuracyOf(t, of[0], of[1]))
			require.Greater(t, accuracyOf(t, grid, of[1]), 0.85)
		}},
		{"DenseInstances", func(t *testing.T, build func() base.Classifier) {
			grid := speciesGrid(t, 60, 1)
			m := fit(t, build(), grid)
			require.Equal(t, texts(t, m, grid), texts(t, fit(t, build(), grid), grid), "the same again")
		}},
		{"InstancesView", func(t *testing.T, build func() base.Classifier) {
			grid := speciesGrid(t, 60, 1)
			view, row := shuffled(grid)
			m := fit(t, build(), view)
			all, got := texts(t, m, grid), texts(t, m, view)
			right := 0
			for i := range got {
				require.Equal(t, all[row(i)], got[i], "row %d", i)
				if got[i] == base.GetClass(view, i) {
					right++
				}
			}
			require.Greater(t, right, 52)
		}},
		{"LazilyFilteredInstances", func(t *testing.T, build func() base.Classifier) {
			grid := speciesGrid(t, 60, 1)
			filtered, f := lazy(t, grid)
			m := fit(t, build(), filtered)
			require.Equal(t, map[string]int{"length": 60, "width": 60, "noise": 60, "kind": 60}, f.seen, "each cell once")
			require.Equal(t, texts(t, fit(t, build(), grid), grid), texts(t, m, filtered))
		}},
		{"Mat64Instances", func(t *testing.T, build func() base.Classifier) {
			x, labels := species(60, 1)
			y := make([]float64, 60)
			for i, l := range labels {
				if l == "moss" {
					y[i] = 1
				}
			}
			grid := numbers(t, x, y)
			pred, err := fit(t, build(), grid).Predict(grid)
			require.NoError(t, err)
			scores, err := grids.Targets(pred)
			require.NoError(t, err)
			right := 0
			for i := range scores {
				if (scores[i] > 0.5) == (y[i] == 1) {
					right++
				}
			}
			require.Greater(t, right, 52)
		}},
		{"Save and Load", func(t *testing.T, build func() base.Classifier) {
			grid := speciesGrid(t, 60, 1)
			m, again := fit(t, build(), grid), build()
			path := filepath.Join(t.TempDir(), "model")
			require.NoError(t, m.Save(path))
			require.NoError(t, again.Load(path))
			require.Equal(t, texts(t, m, grid), texts(t, again, grid))
		}},
	}
}

// curve returns n random rows of two features and a number that depends on both.
func curve(n int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 4))
	x := mat.NewDense(n, 2, nil)
	y := make([]float64, n)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		y[i] = 2*a + math.Sin(b) + 0.05*rng.NormFloat64()
	}
	return x, y
}

func curveGrid(t *testing.T, n int, seed uint64) *base.DenseInstances {
	t.Helper()
	x, y := curve(n, seed)
	g, err := grids.TargetGrid(x, []string{"a", "b"}, "y", y)
	require.NoError(t, err)
	return g
}

// targets returns a model's predictions for a grid.
func targets(t *testing.T, m base.Classifier, g base.FixedDataGrid) []float64 {
	t.Helper()
	pred, err := m.Predict(g)
	require.NoError(t, err)
	out, err := grids.Targets(pred)
	require.NoError(t, err)
	return out
}

// near checks that the predictions explain more than nine tenths of the variance of y.
func near(t *testing.T, y, predicted []float64) {
	t.Helper()
	nmse, err := metrics.NMSE(y, predicted, nil)
	require.NoError(t, err)
	require.Less(t, nmse, 0.1)
}

func regressorPlaces() []cellPlace {
	return []cellPlace{
		{"GenerateCrossFoldValidationConfusionMatrices", func(t *testing.T, build func() base.Classifier) {
			// The confusion matrices count printed numbers, which is not informative. The test only checks that there is no error.
			folds, err := evaluation.GenerateCrossFoldValidationConfusionMatrices(curveGrid(t, 40, 1), build(), 3)
			require.NoError(t, err)
			require.Len(t, folds, 3)
		}},
		{"BaggedModel", func(t *testing.T, build func() base.Classifier) {
			// The bag votes on printed numbers, so it has a single model.
			grid, test := curveGrid(t, 60, 1), curveGrid(t, 40, 2)
			bag := bagged(build, 1)
			bag.Fit(grid)
			pred, err := bag.Predict(test)
			require.NoError(t, err)
			got, err := grids.Targets(pred)
			require.NoError(t, err)
			// The accuracy depends on the rows that are drawn. Therefore, the bag is compared with its model, to the digits that it
			// prints.
			require.InDeltaSlice(t, targets(t, bag.Models[0], test), got, 1e-6)
		}},
		{"Save and Load of BaggedModel", func(t *testing.T, build func() base.Classifier) {
			grid := curveGrid(t, 60, 1)
			bag, again := bagged(build, 1), bagged(build, 1)
			bag.Fit(grid)
			path := filepath.Join(t.TempDir(), "bag")
			require.NoError(t, bag.Save(path))
			require.NoError(t, again.Load(path))
			want, err := bag.Predict(grid)
			require.NoError(t, err)
			got, err := again.Predict(grid)
			require.NoError(t, err)
			a, err := grids.Targets(want)
			require.NoError(t, err)
			b, err := grids.Targets(got)
			require.NoError(t, err)
			require.Equal(t, a, b)
		}},
		{"DenseInstances", func(t *testing.T, build func() base.Classifier) {
			_, y := curve(40, 2)
			near(t, y, targets(t, fit(t, build(), curveGrid(t, 60, 1)), curveGrid(t, 40, 2)))
		}},
		{"InstancesView", func(t *testing.T, build func() base.Classifier) {
			grid := curveGrid(t, 60, 1)
			view, row := shuffled(grid)
			m := fit(t, build(), view)
			all, got := targets(t, m, grid), targets(t, m, view)
			for i := range got {
				require.InDelta(t, all[row(i)], got[i], 1e-9, "row %d", i)
			}
			_, y := curve(60, 1)
			near(t, y, all)
		}},
		{"LazilyFilteredInstances", func(t *testing.T, build func() base.Classifier) {
			grid := curveGrid(t, 60, 1)
			filtered, f := lazy(t, grid)
			m := fit(t, build(), filtered)
			require.Equal(t, map[string]int{"a": 60, "b": 60, "y": 60}, f.seen, "each cell once")
			require.Equal(t, targets(t, fit(t, build(), grid), grid), targets(t, m, filtered))
		}},
		{"Mat64Instances", func(t *testing.T, build func() base.Classifier) {
			x, y := curve(60, 1)
			grid := numbers(t, x, y)
			near(t, y, targets(t, fit(t, build(), grid), grid))
		}},
		{"Save and Load", func(t *testing.T, build func() base.Classifier) {
			grid := curveGrid(t, 60, 1)
			m, again := fit(t, build(), grid), build()
			path := filepath.Join(t.TempDir(), "model")
			require.NoError(t, m.Save(path))
			require.NoError(t, again.Load(path))
			require.Equal(t, targets(t, m, grid), targets(t, again, grid))
		}},
	}
}

// A lazy filter runs once for each cell, even with one-hot features and pipelines.
func TestALazyFilterSeesEachCellOnce(t *testing.T) {
	grid := read(t, plants(30, 1))
	for name, build := range map[string]func() base.Classifier{
		"Classifier": func() base.Classifier { return &golearn.Classifier{Estimator: &lssvm.Classifier{}} },
		"Transform": func() base.Classifier {
			return &golearn.Pipeline{Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{})}, Final: &golearn.Classifier{Estimator: &lssvm.Classifier{}}}
		},
		"no steps": func() base.Classifier {
			return &golearn.Pipeline{Final: &golearn.Classifier{Estimator: &lssvm.Classifier{}}}
		},
		"Filter": func() base.Classifier {
			return &golearn.Pipeline{Final: &golearn.Classifier{Estimator: &lssvm.Classifier{}}, Steps: []golearn.Step{
				golearn.Filter(func(train base.FixedDataGrid) (base.Filter, error) { return newIdentity(t, train), nil }),
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			filtered, f := lazy(t, grid)
			m := fit(t, build(), filtered)
			assert.Equal(t, map[string]int{"length": 30, "width": 30, "soil": 30, "kind": 30}, f.seen)
			clear(f.seen)
			_, err := m.Predict(filtered)
			require.NoError(t, err)
			assert.Equal(t, map[string]int{"length": 30, "width": 30, "soil": 30}, f.seen, "the class is not asked for")
		})
	}
}

func TestPlaces(t *testing.T) {
	if testing.Short() {
		t.Skip("every estimator in every place, one after the other")
	}
	var lists strings.Builder
	rows(t, &lists, "Classification", classifierPlaces(), classifierList, func(e estimators.Classifier) base.Classifier {
		return &golearn.Classifier{Estimator: e}
	})
	rows(t, &lists, "Regression", regressorPlaces(), regressorList, func(e estimators.Regressor) base.Classifier {
		return &golearn.Regressor{Estimator: e}
	})
	if !t.Failed() {
		inDocument(t, lists.String())
	}
}

// rows tests each listed estimator in each place, alone and as the Final of a golearn.Pipeline with a step of this module. It
// writes the places, and the estimators that work in all of them, to lists. The page is changed only if nothing failed.
func rows[E any](t *testing.T, lists *strings.Builder, title string, places []cellPlace, list []listed[E], wrap func(E) base.Classifier) {
	fmt.Fprintf(lists, "### %s: %d places\n\n", title, len(places))
	for i, p := range places {
		fmt.Fprintf(lists, "%d. %s\n", i+1, p.name)
	}
	fmt.Fprintf(lists, "\nThe following models work in all of these places:\n\n")
	line := func(name string, build func() base.Classifier) {
		for _, p := range places {
			t.Run(name+"/"+p.name, func(t *testing.T) { p.check(t, build) })
		}
		fmt.Fprintf(lists, "- %s\n", name)
	}
	for _, e := range list {
		line(e.name, func() base.Classifier { return wrap(e.build()) })
	}
	for _, e := range transformerList {
		if title != "Classification" && (e.name == "OneHot" || e.name == "TargetEncoder" || strings.HasSuffix(e.name, "UnitRows")) {
			continue // the curve depends on the values, and on the length, of both its features
		}
		line("golearn.Pipeline of "+e.name+", "+list[0].name, func() base.Classifier {
			p := &golearn.Pipeline{Final: wrap(list[0].build())}
			for _, step := range e.build() {
				p.Steps = append(p.Steps, golearn.Transform(step))
			}
			return p
		})
	}
	lists.WriteString("\n")
}

// inDocument checks that the lists of the document equal the results.
func inDocument(t *testing.T, lists string) {
	const begin, end = "<!-- places: begin -->\n", "<!-- places: end -->"
	path := filepath.Join("..", "..", "docs", "golearn.md")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(raw), begin)
	require.True(t, ok)
	old, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *updatePlaces {
		require.NoError(t, os.WriteFile(path, []byte(before+begin+lists+end+after), 0o644))
		return
	}
	assert.Equal(t, lists, old, "go test ./adapters/golearn -run TestPlaces -update-places")
}
