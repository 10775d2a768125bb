package golearn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
)

// tallied is a grid that counts the calls of its methods.
type tallied struct {
	base.FixedDataGrid
	calls map[string]int
}

func tally(g base.FixedDataGrid) *tallied { return &tallied{g, map[string]int{}} }

func (t *tallied) AllAttributes() []base.Attribute {
	t.calls["attributes"]++
	return t.FixedDataGrid.AllAttributes()
}

func (t *tallied) AllClassAttributes() []base.Attribute {
	t.calls["classes"]++
	return t.FixedDataGrid.AllClassAttributes()
}

func (t *tallied) Size() (attributes, rows int) {
	t.calls["size"]++
	return t.FixedDataGrid.Size()
}

func (t *tallied) GetAttribute(a base.Attribute) (base.AttributeSpec, error) {
	t.calls["bind "+a.GetName()]++
	return t.FixedDataGrid.GetAttribute(a)
}

func (t *tallied) Get(s base.AttributeSpec, row int) []byte {
	a := s.GetAttribute()
	t.calls["read "+a.GetName()]++
	return t.FixedDataGrid.Get(s, row)
}

// fiveTypes returns the five types, in configurations that can all be fitted to one grid.
func fiveTypes() map[string]func() gridEstimator {
	cls := func() base.Classifier { return &Classifier{Estimator: &centroids{}} }
	return map[string]func() gridEstimator{
		"Classifier": func() gridEstimator { return &Classifier{Estimator: &centroids{}} },
		"Regressor":  func() gridEstimator { return &Regressor{Estimator: &leastSquares{}} },
		"Pipeline": func() gridEstimator {
			return &Pipeline{Steps: []Step{binning(2), Transform(&scaler{})}, Final: cls()}
		},
		"Pipeline without steps": func() gridEstimator { return &Pipeline{Final: trees.NewID3DecisionTree(0)} },
		"Bagging":                func() gridEstimator { return &Bagging{New: cls, Models: 3, Fraction: 1} },
		"Refitted":               func() gridEstimator { return &Refitted{New: func() Model { return trees.NewID3DecisionTree(0) }} },
	}
}

func fiveTypesGrid(tb testing.TB, name string) base.FixedDataGrid {
	if name == "Regressor" {
		return csvGridOf(tb, "a,colour,class", "1,red,1", "2,blue,2", "1.5,red,1", "3,green,4")
	}
	return csvGridOf(tb, "a,colour,class", "1,red,x", "2,blue,y", "1.5,red,x", "3,green,y")
}

// Fit reads the attributes of a grid and each of its cells once. Predict does the same, but does not read the class.
func TestAGridIsReadOnce(t *testing.T) {
	for name, build := range fiveTypes() {
		t.Run(name, func(t *testing.T) {
			m, g := build(), tally(fiveTypesGrid(t, name))
			want := map[string]int{"attributes": 1, "classes": 1, "size": 1,
				"bind a": 1, "read a": 4, "bind colour": 1, "read colour": 4, "bind class": 1, "read class": 4}
			require.NoError(t, m.Fit(g))
			assert.Equal(t, want, g.calls)
			clear(g.calls)
			_, err := m.Predict(g)
			require.NoError(t, err)
			delete(want, "bind class")
			delete(want, "read class")
			assert.Equal(t, want, g.calls)
		})
	}
	g := tally(fiveTypesGrid(t, ""))
	_, err := CrossValidateClassifier(t.Context(), g, &Classifier{Estimator: &centroids{}}, 2, 1)
	require.NoError(t, err)
	assert.Equal(t, 1, g.calls["attributes"])
	assert.Equal(t, 4, g.calls["read a"], "not once a fold")
	assert.Equal(t, 4, g.calls["read class"])
}

// Errors name the first invalid row, although columns are read block by block.
func TestTheFirstBadRowIsNamed(t *testing.T) {
	for _, c := range []struct{ ofA, ofB, first int }{{70, 3, 3}, {3, 70, 3}, {5, 4, 4}, {5, 5, 5}, {gridtable.BlockRows + 9, gridtable.BlockRows + 7, gridtable.BlockRows + 7}} {
		x, labels := flowers(3*gridtable.BlockRows, 1)
		x.Set(c.ofA, 0, math.NaN())
		x.Set(c.ofB, 1, math.Inf(1))
		g, err := grids.LabelledGrid(x, nil, "class", labels)
		require.NoError(t, err)
		for _, grid := range []base.FixedDataGrid{g, tally(g)} {
			err = (&Classifier{Estimator: &centroids{}}).Fit(grid)
			require.ErrorIs(t, err, estimators.ErrNotFinite)
			assert.ErrorContains(t, err, fmt.Sprintf("row %d is", c.first))
		}
	}
}

// The errors of a Bagging name the rows of the grid.
func TestABaggingNamesTheGridsRows(t *testing.T) {
	x, labels := flowers(60, 1)
	x.Set(17, 2, math.NaN())
	g, err := grids.LabelledGrid(x, nil, "class", labels)
	require.NoError(t, err)
	for _, m := range []base.Classifier{
		&Classifier{Estimator: &centroids{}},
		&Classifier{Estimator: &centroids{}, Missing: Pass}, // found by the estimator
	} {
		err := (&Bagging{New: func() base.Classifier { return m }, Models: 1, Fraction: 1}).Fit(g)
		require.ErrorIs(t, err, estimators.ErrNotFinite)
		assert.ErrorContains(t, err, `attribute "x2", row 17`)
	}
}

// A model that contains other models passes them rows and columns of its own selection.
func TestModelsWithinModels(t *testing.T) {
	train, test := flowerGrid(t, 90, 1), flowerGrid(t, 60, 2)
	bag := func(inner base.Classifier) *Bagging {
		return &Bagging{New: func() base.Classifier { return copyOf(inner) }, Models: 4, Features: 3, Fraction: 0.7}
	}
	cls := &Classifier{Estimator: &centroids{}}
	for name, m := range map[string]gridEstimator{
		"bagging of bagging":   bag(bag(cls)),
		"bagging of pipelines": bag(&Pipeline{Steps: []Step{binning(8), Transform(&scaler{})}, Final: cls}),
		"bagging of trees":     &Bagging{New: func() base.Classifier { return &Refitted{New: func() Model { return trees.NewID3DecisionTree(0) }} }, Models: 5},
		"pipeline of bagging":  &Pipeline{Steps: []Step{Transform(&scaler{})}, Final: bag(&Pipeline{Final: cls})},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, m.Fit(train))
			pred, err := m.Predict(test)
			require.NoError(t, err)
			want := classTexts(t, pred)
			assert.Greater(t, accuracy(t, test, pred), 0.8)
			pred, err = m.Predict(tally(test))
			require.NoError(t, err)
			assert.Equal(t, want, classTexts(t, pred), "cell by cell")
		})
	}
}

// overriding embeds a type of this package and has its own Fit and Predict.
type overriding struct {
	*Classifier
	fits, predicts int
}

func (o *overriding) Fit(g base.FixedDataGrid) error { o.fits++; return o.Classifier.Fit(g) }

func (o *overriding) Predict(g base.FixedDataGrid) (base.FixedDataGrid, error) {
	o.predicts++
	return o.Classifier.Predict(g)
}

// If a type embeds one of the five types, its own methods are called.
func TestAnEmbeddedModelIsAStranger(t *testing.T) {
	g := flowerGrid(t, 30, 1)
	o := &overriding{Classifier: &Classifier{Estimator: &centroids{}}}
	p := &Pipeline{Steps: []Step{Transform(&scaler{})}, Final: o}
	require.NoError(t, p.Fit(g))
	_, err := p.Predict(g)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1}, []int{o.fits, o.predicts})
	_, err = CrossValidateClassifier(t.Context(), g, o, 3, 1)
	require.NoError(t, err)
	assert.Equal(t, []int{4, 4}, []int{o.fits, o.predicts})
	assert.Same(t, o, p.Clone().Final, "it cannot be copied")
	assert.False(t, p.Supports(estimators.Proba))
	_, err = p.PredictProba(g)
	require.ErrorIs(t, err, errUnsupported)
}

// An attribute with levels that occur in no row still counts as the same attribute, since golearn's classifiers would reject a
// different one.
func TestCategoriesThatNoRowHas(t *testing.T) {
	train := csvGridOf(t, "colour,class", "red,x", "blue,y", "red,x", "blue,y")
	wide := csvGridOf(t, "colour,class", "green,x", "red,x", "blue,y")
	test := base.NewInstancesViewFromVisible(wide, []int{2, 1}, wide.AllAttributes())
	for name, m := range map[string]base.Classifier{
		"golearn's": &Refitted{New: func() Model { return &first{} }}, "ours": &Classifier{Estimator: &centroids{}},
	} {
		require.NoError(t, m.Fit(train), name)
		pred, err := m.Predict(test)
		require.NoError(t, err, name)
		assert.Equal(t, []string{"y", "x"}, classTexts(t, pred), name)
	}
	seen, err := gridtable.Read(test)
	require.NoError(t, err)
	aligned, err := seen.Align([]gridtable.Column{{Name: "colour", Kind: gridtable.CategoricalKind, Values: []string{"red", "blue"}}})
	require.NoError(t, err)
	assert.Equal(t, []string{"red", "blue"}, aligned.Features[0].Column.Values)
}

// A model of golearn matches attributes by their position, but Refitted matches them by name.
func TestRefittedMatchesAttributes(t *testing.T) {
	lines := []string{"1,0,x", "1,1,x", "0,0,y", "0,1,y"}
	train := csvGridOf(t, append([]string{"a,b,class"}, lines...)...)
	r := &Refitted{New: func() Model { return &first{} }}
	require.ErrorIs(t, new(Refitted).Fit(train), estimators.ErrParam)
	require.ErrorIs(t, (&Refitted{New: func() Model { return nil }}).Fit(train), estimators.ErrParam)
	pred, err := r.Predict(train)
	requireRefused(t, pred, err)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, r.Fit(train))
	test := csvGridOf(t, "class,b,a", "y,1,1", "x,0,0")
	pred, err = r.Predict(test)
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "y"}, classTexts(t, pred))
	pred, err = r.Predict(csvGridOf(t, "b,class", "1,x"))
	requireRefused(t, pred, err)
	require.ErrorIs(t, err, estimators.ErrShape)
	report, err := r.Inspect(csvGridOf(t, "c,b,a,class", "1,1,1,x"))
	require.NoError(t, err)
	assert.Equal(t, []string{"c"}, report.Ignored)

	r.New = func() Model { return &first{refuse: true} }
	require.ErrorIs(t, r.Fit(train), estimators.ErrParam, "a panic")
	_, err = r.Predict(test)
	require.NoError(t, err, "the old model stays")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, r.FitContext(ctx, train), context.Canceled)
	assert.True(t, r.Supports(estimators.Marshalling))
	assert.False(t, r.Supports(estimators.Proba))
	assert.Contains(t, r.String(), "first")
	assert.Equal(t, "golearn.Refitted(not fitted)", estimators.Clone(r).String())
}

// first predicts the class of the training row with the same first feature. Like golearn's models, it rejects a grid whose
// attributes differ from those of the training grid. It panics if the grid has a class to read.
type first struct {
	refuse bool
	x      *mat.Dense
	attrs  []base.Attribute
	class  []string
}

func (f *first) Fit(g base.FixedDataGrid) (err error) {
	if f.refuse {
		panic("no")
	}
	if f.x, _, err = grids.Matrix(g, nil); err != nil {
		return err
	}
	f.attrs = g.AllAttributes()
	for i := range 4 {
		f.class = append(f.class, base.GetClass(g, i))
	}
	return nil
}

func (f *first) Predict(g base.FixedDataGrid) (base.FixedDataGrid, error) {
	for _, a := range g.AllAttributes() {
		if !slices.ContainsFunc(f.attrs, a.Equals) {
			return nil, fmt.Errorf("%v is none of %v", a, f.attrs)
		}
	}
	x, _, err := grids.Matrix(g, nil)
	if err != nil {
		return nil, err
	}
	out := base.GeneratePredictionVector(g)
	n, _ := x.Dims()
	for i := range n {
		if base.GetClass(g, i) != f.class[0] {
			panic("a test label")
		}
		for j := range f.class {
			if f.x.At(j, 0) == x.At(i, 0) {
				base.SetClass(out, i, f.class[j])
			}
		}
	}
	return out, nil
}

// BenchmarkPredictOneRow measures the time for predicting a single row. The share of the estimator is small here.
func BenchmarkPredictOneRow(b *testing.B) {
	cls := func() base.Classifier { return &Classifier{Estimator: &centroids{}} }
	for _, features := range []int{10, 1000} {
		x := mat.NewDense(40, features, nil)
		labels := make([]string, 40)
		for i := range labels {
			labels[i] = speciesNames[i%2]
			x.Set(i, i%features, 1)
		}
		train, err := grids.LabelledGrid(x, nil, "class", labels)
		require.NoError(b, err)
		row, err := grids.FeatureGrid(x.Slice(0, 1, 0, features), nil)
		require.NoError(b, err)
		for name, m := range map[string]base.Classifier{
			"Classifier": cls(), "Bagging": &Bagging{New: cls, Workers: 1},
			"Pipeline": &Pipeline{Steps: []Step{Transform(&scaler{}), Transform(&scaler{})}, Final: cls()},
		} {
			require.NoError(b, m.Fit(train))
			b.Run(fmt.Sprintf("%s/%d", name, features), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := m.Predict(row); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
