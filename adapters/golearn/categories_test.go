package golearn_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// towns returns a grid with a number, one of several towns, and a price that depends on both columns. If odd is set, the town of
// the first row occurs nowhere else.
func towns(t *testing.T, n, towns int, seed uint64, odd bool) *base.DenseInstances {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	var text bytes.Buffer
	fmt.Fprintln(&text, "size,town,price")
	for i := range n {
		size, town := rng.NormFloat64(), rng.IntN(towns)
		name := fmt.Sprintf("town %d", town*town%97)
		if odd && i == 0 {
			name = "elsewhere"
		}
		fmt.Fprintf(&text, "%.6f,%s,%.6f\n", size, name, math.Sin(2*size)+3*math.Sin(float64(7*(town*town%97)))+.1*rng.NormFloat64())
	}
	g, err := grids.ParseCSV("towns", &text, nil)
	require.NoError(t, err)
	return g
}

// A pipeline chooses attributes by name. The name of a categorical attribute selects the columns of all its levels.
func TestPipelinesChooseAttributesByName(t *testing.T) {
	train := towns(t, 300, 4, 1, false)
	part := func(town string) *golearn.Regressor {
		return &golearn.Regressor{Estimator: &pipeline.Regressor{
			Steps: []transformers.Transformer{&pipeline.ColumnTransformer{
				Parts: []pipeline.ColumnPart{{Names: []string{town}}, {Names: []string{"size"}, Of: &scalers.StandardScaler{}}},
			}},
			Final: &lssvm.Regressor{},
		}}
	}
	r := part("town")
	require.NoError(t, r.Fit(train))
	fitted := r.Fitted().(*pipeline.Regressor)
	assert.Equal(t, "size", fitted.ColumnNames()[0])
	names, err := fitted.FeatureNames(nil)
	require.NoError(t, err)
	assert.Equal(t, append(slices.Clone(fitted.ColumnNames()[1:]), "size"), names)
	assert.True(t, strings.HasPrefix(names[0], "town=town "), names[0])
	assert.ErrorContains(t, part("sizes").Fit(train), `Parts[0].Names = "sizes", want a column, perhaps "size"`)
}

// With more than 32 levels, the search receives a column of codes, with a single length. With fewer levels it receives
// dummies, as other estimators always do.
func TestManyCategoriesAreOneColumn(t *testing.T) {
	train, test := towns(t, 300, 60, 1, false), towns(t, 200, 60, 2, true)
	r := &golearn.Regressor{}
	require.NoError(t, r.Fit(train))
	res := r.Fitted().(*selection.Regressor).Result()
	assert.Len(t, res.Lengths, 2)
	assert.Contains(t, res.Kernel, "categories=[0]")
	got, err := r.Predict(test)
	require.NoError(t, err)
	s, err := golearn.SummarizeRegression(test, got)
	require.NoError(t, err)
	assert.Less(t, s.RMSE, .5, "of prices that spread by 2")
	seen, err := r.Inspect(test)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"town": 1}, seen.Unseen)

	data, err := r.MarshalBinary()
	require.NoError(t, err)
	read := &golearn.Regressor{}
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.Predict(test)
	require.NoError(t, err)
	assert.True(t, base.InstancesAreEqual(got, again))

	few := &golearn.Regressor{}
	require.NoError(t, few.Fit(towns(t, 60, 4, 1, false)))
	assert.NotContains(t, few.Fitted().(*selection.Regressor).Result().Kernel, "categories")
	other := &golearn.Regressor{Estimator: &lssvm.Regressor{}}
	require.NoError(t, other.Fit(train))
	assert.Error(t, (&golearn.Regressor{NoOneHot: true}).Fit(train))
}

// shops returns a CSV file with a size, one of a thousand shops, and a price. Every ninth row has no shop and a high price. If more
// is set, as for new rows, the shop of every tenth row occurs nowhere else.
func shops(n int, seed uint64, more bool) string {
	rng := rand.New(rand.NewPCG(seed, 3))
	var text strings.Builder
	fmt.Fprintln(&text, "shop,size,price")
	for i := range n {
		size, shop := rng.NormFloat64(), rng.IntN(1000)
		if shop%3 > 0 {
			shop %= 40 // two of three rows belong to large shops
		}
		name, own := fmt.Sprintf("Shop No. %d", shop), 4*math.Sin(float64(shop*shop))
		switch {
		case i%9 == 0:
			name, own = "", 8
		case more && i%10 == 1:
			name, own = fmt.Sprintf("New shop %d", i), 0
		}
		fmt.Fprintf(&text, "%s,%.6f,%.6f\n", name, size, size+own+.1*rng.NormFloat64())
	}
	return text.String()
}

// A column of a thousand names becomes a column of codes. A gap is a level, and names that are new to the model differ from all
// others. A stored model gives the same predictions for a file whose names are in another order.
func TestNamesFromText(t *testing.T) {
	read := func(text string, o *table.Options) *base.DenseInstances {
		g, err := grids.ParseCSV("shops.csv", strings.NewReader(text), o)
		require.NoError(t, err)
		return g
	}
	trainText, testText := shops(700, 1, false), shops(400, 2, true)
	learnt, err := table.ParseCSV("shops.csv", strings.NewReader(trainText), &table.Options{Target: "price", Kinds: map[string]table.Kind{"shop": table.Category}})
	require.NoError(t, err)
	schema := learnt.Schema
	train, err := grids.FromTable(learnt)
	require.NoError(t, err)
	test := read(testText, &table.Options{Schema: schema})
	prices := func(g base.FixedDataGrid) []float64 {
		y, err := grids.Targets(g)
		require.NoError(t, err)
		return y
	}
	want := prices(test)
	for name, r := range map[string]*golearn.Regressor{
		"alone": {},
		"in wrappers": {Estimator: &conformal.Regressor{
			Method: conformal.Split, Estimator: &pipeline.Regressor{Final: &selection.Regressor{SingleModel: true}},
		}},
	} {
		require.NoError(t, r.Fit(train), name)
		assert.Len(t, r.Features(), 2, "%s: a column of codes and one of sizes", name)
		pred, err := r.Predict(test)
		require.NoError(t, err, name)
		got := prices(pred)
		squares := map[string]float64{}
		for i, v := range got {
			kind := "known"
			switch {
			case i%9 == 0:
				kind = "gap"
			case i%10 == 1:
				kind = "new"
			}
			squares[kind] += (v - want[i]) * (v - want[i])
		}
		assert.Less(t, math.Sqrt(squares["gap"]/45), .3, "%s: a gap is a category of its own", name)
		assert.Less(t, math.Sqrt(squares["known"]/320), 1.8, "%s: prices that spread by 3, a quarter of rare shops", name)
		assert.Less(t, math.Sqrt(squares["new"]/35), .8, "%s: the mean of all shops", name)
		seen, err := r.Inspect(test)
		require.NoError(t, err)
		assert.Greater(t, seen.Unseen["shop"], 30, name)
		assert.Less(t, seen.Unseen["shop"], 150, name)

		// Two new shops get the same prediction. A file without a shop column gets the same predictions as one with gaps in it.
		strange := read("shop,size,price\nNowhere,0.5,0\nElsewhere,0.5,0\n,0.5,0\n", nil)
		pred, err = r.Predict(strange)
		require.NoError(t, err)
		three := prices(pred)
		assert.Equal(t, three[0], three[1], name)
		assert.InDelta(t, 8.5, three[2], .6, name)
		gaps := read("shop,size,price\n,0.5,0\n", &table.Options{Schema: schema})
		pred, err = r.Predict(gaps)
		require.NoError(t, err)
		assert.InDelta(t, three[2], prices(pred)[0], 1e-9, name)

		path := filepath.Join(t.TempDir(), "shops.model")
		require.NoError(t, r.Save(path))
		again := &golearn.Regressor{Estimator: estimators.Clone(r.Estimator)}
		require.NoError(t, again.Load(path))
		lines := strings.Split(strings.TrimSpace(testText), "\n")
		slices.Reverse(lines[1:])
		backwards := read(strings.Join(lines, "\n"), nil)
		pred, err = again.Predict(backwards)
		require.NoError(t, err)
		reversed := prices(pred)
		slices.Reverse(reversed)
		assert.InDeltaSlice(t, got, reversed, 1e-9, name)
	}
}

// A classifier also accepts names as a feature.
func TestNamesFromTextWithClasses(t *testing.T) {
	var text strings.Builder
	fmt.Fprintln(&text, "shop,size,open")
	rng := rand.New(rand.NewPCG(1, 1))
	for range 400 {
		shop := rng.IntN(60)
		fmt.Fprintf(&text, "Shop No. %d,%.3f,%s\n", shop, rng.NormFloat64(), []string{"no", "yes"}[shop*shop%7%2])
	}
	g, err := grids.ParseCSV("open.csv", strings.NewReader(text.String()), nil)
	require.NoError(t, err)
	train, test, err := grids.Split(g, .25, 1)
	require.NoError(t, err)
	c := &golearn.Classifier{Estimator: &calibration.Classifier{Folds: 3, Estimator: &selection.Classifier{SingleModel: true}}}
	require.NoError(t, c.Fit(train))
	assert.Len(t, c.Features(), 2)
	pred, err := c.Predict(test)
	require.NoError(t, err)
	matrix, err := evaluation.GetConfusionMatrix(test, pred)
	require.NoError(t, err)
	assert.Greater(t, evaluation.GetAccuracy(matrix), .9)
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	read := &golearn.Classifier{Estimator: estimators.Clone(c.Estimator)}
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.Predict(test)
	require.NoError(t, err)
	assert.True(t, base.InstancesAreEqual(pred, again))
}
