package inspection

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// The names that a transformer assigns to its columns let inspection recognise the levels of a category.
func TestNamesOfTransformers(t *testing.T) {
	rows, y := mat.NewDense(60, 2, nil), make([]float64, 60)
	for i := range y {
		rows.SetRow(i, []float64{float64(i % 7), float64(i % 3)})
		y[i] = float64(i%7) + 10*float64(i%3%2)
	}
	ctx := context.Background()
	table := &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{
		{Columns: []int{1}, Of: &columnwise.OneHot{}}, {Columns: []int{0}, Of: &scalers.StandardScaler{}},
	}}
	require.NoError(t, table.Fit(ctx, rows))
	x, err := table.Transform(rows)
	require.NoError(t, err)
	names, err := table.FeatureNames([]string{"age", "make"})
	require.NoError(t, err)
	r := &ridge.Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	relevances, err := RegressorRelevances(ctx, r, x, &Options{Names: names})
	require.NoError(t, err)
	require.Len(t, relevances, 2)
	assert.Equal(t, "make", relevances[0].Name)
	assert.Equal(t, "age", relevances[1].Name)
	assert.Greater(t, relevances[0].Relevance, relevances[1].Relevance)
}

// If a model holds the names of its columns, Names can be nil.
func TestNamesOfModels(t *testing.T) {
	x, y := mat.NewDense(40, 2, nil), make([]float64, 40)
	for i := range y {
		x.SetRow(i, []float64{float64(i % 7), float64(i % 5)})
		y[i] = float64(i % 7)
	}
	ctx := context.Background()
	p := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &ridge.Regressor{}}
	require.True(t, estimators.SetColumnNames(p, []string{"age", "height"}))
	require.NoError(t, p.Fit(ctx, x, y))
	relevances, err := RegressorRelevances(ctx, p, x, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"age", "height"}, []string{relevances[0].Name, relevances[1].Name})
	importances, err := RegressorImportances(ctx, p, x, y, nil)
	require.NoError(t, err)
	assert.Equal(t, "age", importances.Columns[0].Name)
	relevances, err = RegressorRelevances(ctx, p, x, &Options{Names: []string{"mine", "others"}})
	require.NoError(t, err)
	assert.Equal(t, "mine", relevances[0].Name, "the given names count")
}
