package golearn

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/filters"
	"github.com/sjwhitworth/golearn/meta"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

func TestClassifierDropsIn(t *testing.T) {
	train, test := flowerGrid(t, 90, 1), flowerGrid(t, 60, 2)
	cls := fitted(t, train)
	pred, err := cls.Predict(test)
	require.NoError(t, err)
	assert.Len(t, pred.AllAttributes(), 1)
	assert.Len(t, pred.AllClassAttributes(), 1)
	cm, err := evaluation.GetConfusionMatrix(test, pred)
	require.NoError(t, err)
	assert.Greater(t, evaluation.GetAccuracy(cm), 0.9)
	assert.Equal(t, speciesNames, cls.Labels())
	assert.Equal(t, flowerColumns, cls.Features())
	assert.Contains(t, cls.String(), "4 features, 3 classes")
	assert.True(t, cls.Report().Converged)
	assert.Equal(t, []int{0, 1, 2}, cls.Fitted().Classes())
}

func TestClassifierUnderCrossValidation(t *testing.T) {
	// The same instance is fitted again for each fold, on masked views.
	cms, err := evaluation.GenerateCrossFoldValidationConfusionMatrices(flowerGrid(t, 90, 1), &Classifier{Estimator: &centroids{}}, 5)
	require.NoError(t, err)
	mean, _ := evaluation.GetCrossValidatedMetric(cms, evaluation.GetAccuracy)
	assert.Greater(t, mean, 0.9)
}

func TestClassifierProbabilities(t *testing.T) {
	train := flowerGrid(t, 90, 1)
	cls := fitted(t, train)
	p, err := cls.PredictProba(train)
	require.NoError(t, err)
	pred, err := cls.Predict(train)
	require.NoError(t, err)
	got := classTexts(t, pred)
	for i := range 90 {
		row := p.RawRowView(i)
		assert.InDelta(t, 1, mat.Sum(p.RowView(i)), 1e-12)
		assert.Equal(t, got[i], cls.Labels()[slices.Index(row, slices.Max(row))])
	}
	without := &Classifier{Estimator: &plain{}}
	require.NoError(t, without.Fit(train))
	_, err = without.PredictProba(train)
	require.ErrorIs(t, err, errUnsupported)
	assert.False(t, without.Supports(estimators.Proba))
	assert.True(t, cls.Supports(estimators.Proba))
	assert.True(t, cls.Supports(estimators.Marshalling))
	assert.False(t, cls.Supports(estimators.Variance))
	assert.Equal(t, estimators.Report{}, without.Report())
}

// Trap 1: for a view whose rows are mapped, MapOverRows and NewDenseCopy read the rows of the source.
func TestBootstrapViewIsReadThroughItsRowMap(t *testing.T) {
	g := flowerGrid(t, 90, 1)
	cls := fitted(t, g)
	rows := map[int]int{}
	for i := range 90 {
		rows[i] = (i*7 + 3) % 90
	}
	view := base.NewInstancesViewFromRows(g, rows)
	pred, err := cls.Predict(view)
	require.NoError(t, err)
	direct, err := cls.Predict(g)
	require.NoError(t, err)
	of, on := classTexts(t, direct), classTexts(t, pred)
	for i := range 90 {
		assert.Equal(t, of[rows[i]], on[i], "row %d", i)
	}
	y, labels, err := grids.Labels(view)
	require.NoError(t, err)
	for i := range y {
		assert.Equal(t, base.GetClass(view, i), labels[y[i]])
	}
	x, _, err := grids.Matrix(view, nil)
	require.NoError(t, err)
	want, _ := flowers(90, 1)
	assert.Equal(t, want.RawRowView(rows[5]), x.RawRowView(5))
}

func TestMaskedViewKeepsItsOrder(t *testing.T) {
	g := flowerGrid(t, 90, 1)
	cls := fitted(t, g)
	view := base.NewInstancesViewFromVisible(g, []int{80, 3, 41, 7}, g.AllAttributes())
	pred, err := cls.Predict(view)
	require.NoError(t, err)
	direct, err := cls.Predict(g)
	require.NoError(t, err)
	all := classTexts(t, direct)
	assert.Equal(t, []string{all[80], all[3], all[41], all[7]}, classTexts(t, pred))
}

// Trap 2: if attributes were compared as pointers, the class would become a feature.
func TestClassIsNoFeatureWhenSetByAnEqualAttribute(t *testing.T) {
	g := flowerGrid(t, 30, 1)
	view := base.NewInstancesViewFromAttrs(g, g.AllAttributes())
	class := g.AllClassAttributes()[0]
	require.NoError(t, view.RemoveClassAttribute(class))
	twin := gridtable.NewCategorical("species", speciesNames)
	require.NoError(t, view.AddClassAttribute(twin))
	require.Len(t, base.NonClassAttributes(view), 5, "golearn's own function lets it in")
	cls := fitted(t, view)
	assert.Equal(t, flowerColumns, cls.Features())
	require.NoError(t, view.AddClassAttribute(class), "two pointers to equal class attributes are one class")
	require.NoError(t, cls.Fit(view))
}

func TestLazilyFilteredAndMat64Instances(t *testing.T) {
	g := csvGridOf(t, "a,colour,b,class", "1,red,0,x", "2,blue,1,y", "1.5,red,0,x", "2.5,green,1,y")
	f := filters.NewFloatConvertFilter()
	for _, a := range base.NonClassAttributes(g) {
		require.NoError(t, f.AddAttribute(a))
	}
	require.NoError(t, f.Train())
	lazy := base.NewLazilyFilteredInstances(g, f)
	cls := fitted(t, lazy)
	assert.ElementsMatch(t, []string{"a", "b", "colour_red", "colour_blue", "colour_green"}, cls.Features())
	pred, err := cls.Predict(lazy)
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "y", "x", "y"}, classTexts(t, pred))

	m := base.InstancesFromMat64(4, 3, mat.NewDense(4, 3, []float64{1, 5, 0, 2, 6, 0, 9, 1, 1, 8, 2, 1}))
	require.NoError(t, m.AddClassAttribute(m.AllAttributes()[2]))
	cls = fitted(t, m)
	pred, err = cls.Predict(m)
	require.NoError(t, err)
	scores, err := grids.Targets(pred)
	require.NoError(t, err)
	assert.Less(t, scores[0], 0.5)
	assert.Greater(t, scores[3], 0.5)
}

func TestSeparatelyParsedGrid(t *testing.T) {
	x, labels := flowers(60, 1)
	train := csvGridOf(t, rowLines(x, labels, []int{0, 1, 2, 3}, "a,b,c,d,species")...)
	cls := fitted(t, train)
	want, err := cls.Predict(train)
	require.NoError(t, err)
	// The rows and columns of the second grid are reversed.
	reversed := mat.NewDense(60, 4, nil)
	backward := make([]string, 60)
	for i := range 60 {
		reversed.SetRow(i, x.RawRowView(59-i))
		backward[i] = labels[59-i]
	}
	test := csvGridOf(t, rowLines(reversed, backward, []int{3, 1, 0, 2}, "d,b,a,c,species")...)
	got, err := cls.Predict(test)
	require.NoError(t, err)
	a, b := classTexts(t, want), classTexts(t, got)
	slices.Reverse(b)
	assert.Equal(t, a, b)
	cm, err := evaluation.GetConfusionMatrix(test, got)
	require.NoError(t, err)
	assert.Greater(t, evaluation.GetAccuracy(cm), 0.9)
}

func TestCategoricalFeatures(t *testing.T) {
	train := csvGridOf(t, "colour,size,class", "red,1,x", "blue,2,y", "red,1.1,x", "blue,2.1,y")
	cls := fitted(t, train)
	assert.ElementsMatch(t, []string{"colour=red", "colour=blue", "size"}, cls.Features())
	// The columns of the test grid have another order. It has a new colour, an additional column and no class.
	test, err := unlabelled("extra,size,colour\n7,2,blue\n8,1,red\n9,1,pink\n")
	require.NoError(t, err)
	pred, err := cls.Predict(test)
	require.NoError(t, err)
	assert.Equal(t, []string{"y", "x", "x"}, classTexts(t, pred))
	report, err := cls.Inspect(test)
	require.NoError(t, err)
	assert.Equal(t, Inspection{Rows: 3, Ignored: []string{"extra"}, Unseen: map[string]int{"colour": 1}}, report)

	strict := &Classifier{Estimator: &centroids{}, NoOneHot: true}
	err = strict.Fit(train)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, `"colour"`)
}

func TestBinaryFeaturesAndClass(t *testing.T) {
	g := base.NewDenseInstances()
	wet, size, class := base.NewBinaryAttribute("wet"), base.NewFloatAttribute("size"), base.NewBinaryAttribute("class")
	var specs []base.AttributeSpec
	for _, a := range []base.Attribute{wet, size, class} {
		specs = append(specs, g.AddAttribute(a))
	}
	require.NoError(t, g.AddClassAttribute(class))
	require.NoError(t, g.Extend(6))
	for i := range 6 {
		g.Set(specs[0], i, []byte{byte(i % 2)})
		g.Set(specs[1], i, base.PackFloatToBytes(float64(i)/10))
		g.Set(specs[2], i, []byte{byte(i % 2)})
	}
	cls := fitted(t, g)
	assert.Equal(t, []string{"0", "1"}, cls.Labels())
	pred, err := cls.Predict(g)
	require.NoError(t, err)
	assert.Equal(t, base.BinaryType, pred.AllClassAttributes()[0].GetType())
	assert.Equal(t, []string{"0", "1", "0", "1", "0", "1"}, classTexts(t, pred))
	x, names, err := grids.Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 0.3}, []float64{x.At(3, slices.Index(names, "wet")), x.At(3, slices.Index(names, "size"))})
}

func TestFloatClassGivesScores(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 1, 9, 10})
	g, err := grids.TargetGrid(x, nil, "is", []float64{0, 0, 1, 1})
	require.NoError(t, err)
	for _, est := range []estimators.Classifier{&centroids{}, &plain{}} {
		cls := &Classifier{Estimator: est}
		require.NoError(t, cls.Fit(g))
		pred, err := cls.Predict(g)
		require.NoError(t, err)
		s, err := grids.Targets(pred)
		require.NoError(t, err)
		assert.Less(t, s[1], 0.5)
		assert.Greater(t, s[2], 0.5)
		assert.Equal(t, "is", pred.AllClassAttributes()[0].GetName())
	}
	g, err = grids.TargetGrid(x, nil, "is", []float64{0, 0, 1, 2.5})
	require.NoError(t, err)
	err = (&Classifier{Estimator: &centroids{}}).Fit(g)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "row 3")
}

func TestInsideGolearnsComposites(t *testing.T) {
	train, test := flowerGrid(t, 90, 1), flowerGrid(t, 60, 2)
	ova := meta.NewOneVsAllModel(func(string) base.Classifier { return &Classifier{Estimator: &centroids{}} })
	ova.Fit(train)
	pred, err := ova.Predict(test)
	require.NoError(t, err)
	// A single centroid is a poor model for two classes together.
	assert.Greater(t, accuracy(t, test, pred), 0.6)

	bag := new(meta.BaggedModel)
	for range 5 {
		bag.AddModel(&Classifier{Estimator: &centroids{}})
	}
	bag.RandomFeatures = 3
	bag.Fit(train)
	pred, err = bag.Predict(test)
	require.NoError(t, err)
	assert.Greater(t, accuracy(t, test, pred), 0.9)
}

// Trap 6: BaggedModel dereferences the grid that is returned with an error.
func TestErrorsComeWithAGrid(t *testing.T) {
	bag := new(meta.BaggedModel)
	bag.AddModel(&Classifier{Estimator: &lssvm.Classifier{Ridge: -1}})
	g := flowerGrid(t, 30, 1)
	bag.Fit(g)
	_, err := bag.Predict(g)
	require.NoError(t, err, "BaggedModel drops it, and did not crash")
	pred, err := new(Classifier).Predict(g)
	requireRefused(t, pred, err)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	pred, err = fitted(t, g).Predict(nil)
	requireRefused(t, pred, err)
}

// Trap 5: models share nothing with the grids that they receive or return.
func TestClassAttributesAreNotShared(t *testing.T) {
	train := flowerGrid(t, 30, 1)
	cls := fitted(t, train)
	a, err := cls.Predict(train)
	require.NoError(t, err)
	first := a.AllClassAttributes()[0].(*base.CategoricalAttribute)
	first.GetSysValFromString("weed")
	assert.Equal(t, speciesNames, train.AllClassAttributes()[0].(*base.CategoricalAttribute).GetValues())
	b, err := cls.Predict(train)
	require.NoError(t, err)
	assert.Equal(t, speciesNames, b.AllClassAttributes()[0].(*base.CategoricalAttribute).GetValues())
}

func TestClassesThatDoNotOccur(t *testing.T) {
	g := flowerGrid(t, 30, 1)
	var rows []int
	for i := range 30 {
		if i%3 != 1 {
			rows = append(rows, i)
		}
	}
	view := base.NewInstancesViewFromVisible(g, rows, g.AllAttributes())
	cls := fitted(t, view)
	assert.Equal(t, []string{"setosa", "virginica"}, cls.Labels())
	pred, err := cls.Predict(view)
	require.NoError(t, err)
	assert.Equal(t, 1.0, accuracy(t, view, pred))
	assert.Equal(t, speciesNames, pred.AllClassAttributes()[0].(*base.CategoricalAttribute).GetValues())
}

func TestWhatFitRefuses(t *testing.T) {
	good := flowerGrid(t, 30, 1)
	nan := csvGridOf(t, "a,b,class", "1,2,x", "3,,y", "4,5,x")
	two := flowerGrid(t, 30, 1)
	require.NoError(t, two.AddClassAttribute(two.AllAttributes()[0]))
	none := flowerGrid(t, 30, 1)
	require.NoError(t, none.RemoveClassAttribute(none.AllClassAttributes()[0]))
	inf, _ := flowers(30, 1)
	inf.Set(17, 2, math.Inf(-1))
	_, labels := flowers(30, 1)
	infinite, err := grids.LabelledGrid(inf, nil, "class", labels)
	require.NoError(t, err)
	zero, err := gridtable.ClassGrid(gridtable.NewCells(gridtable.Column{Name: "c", Kind: gridtable.FloatKind}, nil))
	require.NoError(t, err)
	onlyClass, err := gridtable.ClassGrid(gridtable.NewCells(gridtable.Column{Name: "c", Kind: gridtable.FloatKind}, []float64{0, 0}))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		grid base.FixedDataGrid
		is   error
		text string
	}{
		"nil grid":       {nil, estimators.ErrParam, "grid"},
		"NaN":            {nan, estimators.ErrNotFinite, `attribute "b", row 1`},
		"infinity":       {infinite, estimators.ErrNotFinite, `attribute "x2", row 17`},
		"two classes":    {two, estimators.ErrShape, `2 class attributes`},
		"no class":       {none, estimators.ErrShape, "0 class attributes"},
		"no rows":        {zero, estimators.ErrShape, "0 rows"},
		"no features":    {onlyClass, estimators.ErrShape, "0 feature attributes"},
		"a single class": {csvGridOf(t, "a,class", "1,x", "2,x"), estimators.ErrShape, "1 classes"},
		"missing class":  {csvGridOf(t, "a,class", "1,x", "2,y", "3,"), estimators.ErrParam, `"class", row 2`},
	} {
		t.Run(name, func(t *testing.T) {
			cls := fitted(t, good)
			before := cls.Fitted()
			err := cls.Fit(c.grid)
			require.ErrorIs(t, err, c.is)
			assert.ErrorContains(t, err, c.text)
			assert.Same(t, before, cls.Fitted(), "the old model stays")
			_, err = cls.Predict(good)
			require.NoError(t, err)
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, (&Classifier{Estimator: &centroids{}}).FitContext(ctx, good), context.Canceled)
}

func TestWhatPredictRefuses(t *testing.T) {
	cls := fitted(t, csvGridOf(t, "a,b,class", "1,2,x", "3,3,y", "4,5,x"))
	for name, c := range map[string]struct {
		lines []string
		is    error
		text  string
	}{
		"missing feature": {[]string{"a,class", "1,x"}, estimators.ErrShape, `"b" is missing`},
		"another type":    {[]string{"a,b,class", "1,red,x"}, estimators.ErrParam, `"b" of type categorical`},
		"NaN":             {[]string{"a,b,class", "1,2,x", "NaN,2,x"}, estimators.ErrNotFinite, `"a", row 1`},
		"question mark":   {[]string{"a,b,class", "?,2,x", "3,2,x"}, estimators.ErrNotFinite, `"a", row 0`},
	} {
		t.Run(name, func(t *testing.T) {
			pred, err := cls.Predict(csvGridOf(t, c.lines...))
			requireRefused(t, pred, err)
			require.ErrorIs(t, err, c.is)
			assert.ErrorContains(t, err, c.text)
		})
	}
}

func TestGridOfNoRows(t *testing.T) {
	train := flowerGrid(t, 30, 1)
	cls := fitted(t, train)
	view := base.NewInstancesViewFromVisible(train, nil, train.AllAttributes())
	pred, err := cls.Predict(view)
	require.NoError(t, err)
	_, rows := pred.Size()
	assert.Zero(t, rows)
	assert.Equal(t, "species", pred.AllClassAttributes()[0].GetName())
	p, err := cls.PredictProba(view)
	require.NoError(t, err)
	assert.True(t, p.IsEmpty())
}

func TestAGridThatPanicsIsAnError(t *testing.T) {
	g := csvGridOf(t, "a,colour,class", "1,red,x", "2,blue,y")
	f := filters.NewBinaryConvertFilter()
	for _, a := range base.NonClassAttributes(g) {
		require.NoError(t, f.AddAttribute(a))
	}
	require.NoError(t, f.Train())
	other := csvGridOf(t, "a,colour,class", "1,red,x", "2,blue,y", "3,green,y")
	cls := fitted(t, base.NewLazilyFilteredInstances(g, f))
	pred, err := cls.Predict(base.NewLazilyFilteredInstances(other, f))
	requireRefused(t, pred, err)
}

func TestConcurrentPredict(t *testing.T) {
	g := flowerGrid(t, 60, 1)
	cls := fitted(t, g)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			pred, err := cls.Predict(g)
			if assert.NoError(t, err) {
				base.SetClass(pred.(*base.DenseInstances), 0, "weed")
			}
		}()
	}
	wg.Wait()
}

func TestMissingIsPassedOn(t *testing.T) {
	g := csvGridOf(t, "a,b,class", "1,2,x", "3,,y", "4,5,x")
	cls := &Classifier{Estimator: &centroids{}, Missing: Pass}
	err := cls.Fit(g)
	require.ErrorIs(t, err, estimators.ErrNotFinite, "now it is the estimator that refuses")
	assert.ErrorContains(t, err, `attribute "b", row 1`)
}

func TestCloneIsIndependent(t *testing.T) {
	cls := fitted(t, flowerGrid(t, 30, 1))
	c := estimators.Clone(cls)
	assert.Nil(t, c.Fitted())
	assert.NotSame(t, cls.Estimator, c.Estimator)
	assert.Equal(t, cls.Estimator, c.Estimator)
}

// PredictSet returns the sets of the estimator with the names of the classes, also for a pipeline.
func TestClassifierSets(t *testing.T) {
	train, test := flowerGrid(t, 90, 1), flowerGrid(t, 30, 2)
	build := func() *Classifier {
		return &Classifier{Estimator: &conformal.Classifier{Method: conformal.Split, Score: conformal.Adaptive}}
	}
	c, p, bare := build(), &Pipeline{Final: build()}, &Classifier{Estimator: &lssvm.Classifier{}}
	_, err := c.PredictSet(test, 0.9)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	for _, m := range []base.Classifier{c, p, bare} {
		require.NoError(t, m.Fit(train))
	}
	x, labels := flowers(30, 2)
	want, err := c.Fitted().(estimators.SetPredictor).PredictSet(x, 0.9)
	require.NoError(t, err)
	for _, m := range []interface {
		PredictSet(base.FixedDataGrid, float64) ([][]string, error)
		Supports(estimators.Capability) bool
	}{c, p} {
		got, err := m.PredictSet(test, 0.9)
		require.NoError(t, err)
		require.Len(t, got, 30)
		within := 0
		for i, set := range got {
			var names []string
			for _, k := range want[i] {
				names = append(names, c.Labels()[k])
			}
			assert.Equal(t, names, set)
			if slices.Contains(set, labels[i]) {
				within++
			}
		}
		assert.Greater(t, within, 23)
		for _, level := range []float64{0, 1, math.NaN()} {
			_, err := m.PredictSet(test, level)
			require.ErrorIs(t, err, estimators.ErrParam)
		}
		none, err := m.PredictSet(base.NewInstancesViewFromVisible(test, nil, test.AllAttributes()), 0.9)
		require.NoError(t, err)
		assert.Empty(t, none)
		assert.True(t, m.Supports(estimators.Sets))
	}
	_, err = bare.PredictSet(test, 0.9)
	require.ErrorIs(t, err, errUnsupported)
	assert.False(t, bare.Supports(estimators.Sets))
}

func TestCategoryOutOfRangeIsAnError(t *testing.T) {
	g := csvGridOf(t, "colour,a,class", "red,1,x", "blue,2,y")
	a := base.GetAttributeByName(g, "colour")
	spec, err := g.GetAttribute(a)
	require.NoError(t, err)
	g.Set(spec, 1, base.PackU64ToBytes(7))
	err = (&Classifier{Estimator: &centroids{}}).Fit(g)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, `"colour", row 1`)
}

func TestTooManyModels(t *testing.T) {
	g, err := grids.LabelledGrid(mat.NewDense(4, 1, []float64{1, 2, 3, 4}), nil, "class", []string{"a", "b", "a", "b"})
	require.NoError(t, err)
	err = (&Bagging{New: func() base.Classifier { return &Classifier{Estimator: &centroids{}} }, Models: math.MaxInt}).Fit(g)
	require.ErrorIs(t, err, estimators.ErrTooLarge)
	assert.ErrorContains(t, err, "Models")
}
