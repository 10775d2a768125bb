package pipeline_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

var flatNames = []string{"area", "district", "built", "rooms"}

// flats returns rows with an area, one of three districts, a year and a number of rooms.
func flats() (*mat.Dense, []float64) {
	x := mat.NewDense(6, 4, []float64{
		58, 0, 1975, 2,
		105, 1, 1901, 4,
		57, 2, 1950, 2,
		47, 0, 1929, 1,
		67, 1, 1985, 3,
		31, 2, 2005, 1,
	})
	return x, []float64{1266, 1885, 1188, 707, 1372, 761}
}

// byName returns a pipeline that chooses columns by name and kind, after a step that keeps the columns.
func byName() *pipeline.Regressor {
	return &pipeline.Regressor{
		Steps: []transformers.Transformer{&columnwise.Imputer{}, &pipeline.ColumnTransformer{
			Parts: []pipeline.ColumnPart{
				{Names: []string{"district"}, Of: &columnwise.OneHot{}},
				{Names: []string{"built", "area"}, Of: &scalers.StandardScaler{}},
			},
			DropRest: true,
		}},
		Final: &ridge.Regressor{Ridge: 0.1},
	}
}

func byNumber() *pipeline.Regressor {
	return &pipeline.Regressor{
		Steps: []transformers.Transformer{&columnwise.Imputer{}, &pipeline.ColumnTransformer{
			Parts: []pipeline.ColumnPart{
				{Columns: []int{1}, Of: &columnwise.OneHot{}},
				{Columns: []int{2, 0}, Of: &scalers.StandardScaler{}},
			},
			DropRest: true,
		}},
		Final: &ridge.Regressor{Ridge: 0.1},
	}
}

// A part that is chosen by name receives the column with that name. This also holds after steps that keep the names, for a model
// from a file, and for streams.
func TestColumnsByName(t *testing.T) {
	ctx := context.Background()
	x, y := flats()
	want := byNumber()
	require.NoError(t, want.Fit(ctx, x, y))
	predicted, err := want.Predict(x)
	require.NoError(t, err)

	p := byName()
	p.Names = flatNames
	require.NoError(t, p.Fit(ctx, x, y))
	got, err := p.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, predicted, got)
	names, err := p.FeatureNames(nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"district=0", "district=1", "district=2", "built", "area"}, names)

	data, err := modelfile.Marshal(p, modelfile.Notes{})
	require.NoError(t, err)
	info, err := modelfile.Describe(data)
	require.NoError(t, err)
	assert.Equal(t, flatNames, info.ColumnNames)
	read, err := modelfile.Unmarshal[*pipeline.Regressor](data)
	require.NoError(t, err)
	assert.Equal(t, flatNames, read.ColumnNames())
	got, err = read.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, predicted, got)

	steps := &pipeline.Transformer{Steps: byName().Steps, Names: flatNames}
	plain := &pipeline.Transformer{Steps: byNumber().Steps}
	blocks := func(yield func(streaming.Block[streaming.None], error) bool) { yield(streaming.Rows(x), nil) }
	require.NoError(t, steps.FitBlocks(ctx, blocks))
	require.NoError(t, plain.FitBlocks(ctx, blocks))
	a, err := steps.Transform(x)
	require.NoError(t, err)
	b, err := plain.Transform(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(a, b))
	steps.Names = flatNames[1:]
	assert.ErrorIs(t, steps.FitBlocks(ctx, blocks), estimators.ErrParam)
	assert.Equal(t, flatNames, steps.ColumnNames(), "the fitted model stays")
}

// A part that is chosen by kind receives the categories of a table. If there are none, the part is left out.
func TestColumnsByKind(t *testing.T) {
	ctx := context.Background()
	x, _ := flats()
	encoder := func() *pipeline.ColumnTransformer {
		return &pipeline.ColumnTransformer{
			Parts: []pipeline.ColumnPart{{Categories: true, Of: &columnwise.OneHot{}}}, Rest: &scalers.StandardScaler{},
		}
	}
	chain := &pipeline.Transformer{Steps: []transformers.Transformer{encoder(), &scalers.UnitRows{}}}
	assert.True(t, estimators.SetCategories(chain, []int{1, 3}))
	require.NoError(t, chain.Fit(ctx, x))
	numbered := &pipeline.Transformer{Steps: []transformers.Transformer{&pipeline.ColumnTransformer{
		Parts: []pipeline.ColumnPart{{Columns: []int{1, 3}, Of: &columnwise.OneHot{}}}, Rest: &scalers.StandardScaler{},
	}, &scalers.UnitRows{}}}
	require.NoError(t, numbered.Fit(ctx, x))
	got, err := chain.Transform(x)
	require.NoError(t, err)
	want, err := numbered.Transform(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(want, got))
	data, err := chain.MarshalBinary()
	require.NoError(t, err)
	read := &pipeline.Transformer{Steps: []transformers.Transformer{encoder(), &scalers.UnitRows{}}}
	require.NoError(t, read.UnmarshalBinary(data))
	got, err = read.Transform(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(want, got))

	none := encoder()
	assert.ErrorIs(t, none.Fit(ctx, x), estimators.ErrParam, "no list of categorical columns")
	none.Names = flatNames
	require.NoError(t, none.Fit(ctx, x), "the table has no categories")
	got, err = none.Transform(x)
	require.NoError(t, err)
	_, width := got.Dims()
	assert.Equal(t, 4, width)
	assert.False(t, estimators.Supports(byName(), estimators.Categorizing))
}

// Nested transformers receive the names of their columns, and the name of a category selects the columns of its levels.
func TestNestedNames(t *testing.T) {
	x, _ := flats()
	inner := &pipeline.ColumnTransformer{
		Parts: []pipeline.ColumnPart{{Names: []string{"kind"}}, {Categories: true, Of: &columnwise.OneHot{}}}, DropRest: true,
	}
	outer := &pipeline.ColumnTransformer{
		Names: []string{"kind=a", "area", "kind=b", "rooms"}, Categories: []int{3},
		Parts: []pipeline.ColumnPart{{Names: []string{"rooms", "kind"}, Of: &pipeline.Transformer{Steps: []transformers.Transformer{inner}}}},
	}
	require.NoError(t, outer.Fit(context.Background(), x))
	names, err := outer.FeatureNames(nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"kind=a", "kind=b", "rooms=1", "rooms=2", "rooms=3", "rooms=4", "area"}, names)
	assert.Equal(t, []string{"rooms", "kind=a", "kind=b"}, outer.FittedParts()[0].Names)
	assert.Equal(t, `pipeline.ColumnTransformer(["rooms" "kind"]: pipeline.Transformer(pipeline.ColumnTransformer(["kind"]: as they are, `+
		`categories: columnwise.OneHot; not fitted); not fitted); fitted on 4 columns)`, outer.String())
}

func TestColumnNameErrors(t *testing.T) {
	ctx := context.Background()
	x, y := flats()
	for says, part := range map[string]pipeline.ColumnPart{
		`Parts[0].Names = "distirct", want a column, perhaps "district"`:                       {Names: []string{"distirct"}},
		`Parts[0].Names = "xyz", want one of the columns "area", "district", "built", "rooms"`: {Names: []string{"xyz"}},
		`Parts[0].Names = ["area" "area"], want names of columns, each once`:                   {Names: []string{"area", "area"}},
		`Parts[0] = Columns [0], Names ["area"], Categories false, want one of the three`:      {Names: []string{"area"}, Columns: []int{0}},
		`Parts[0].Columns = [], want at least one column, by Columns, Names or Categories`:     {},
	} {
		err := (&pipeline.ColumnTransformer{Names: flatNames, Parts: []pipeline.ColumnPart{part}}).Fit(ctx, x)
		assert.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, says)
	}
	twice := &pipeline.ColumnTransformer{Names: []string{"a", "a", "b", "c"}, Parts: []pipeline.ColumnPart{{Names: []string{"a"}}}}
	assert.ErrorContains(t, twice.Fit(ctx, x), "the name of one column, not of 2")
	unnamed := &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Names: []string{"area"}}}}
	assert.ErrorContains(t, unnamed.Fit(ctx, x), "want Names of the ColumnTransformer")
	few := &pipeline.ColumnTransformer{Names: flatNames[1:], Parts: []pipeline.ColumnPart{{Columns: []int{0}}}}
	assert.ErrorContains(t, few.Fit(ctx, x), "Names = 3, want a name for each of 4 columns, or nil")
	outside := &pipeline.ColumnTransformer{Categories: []int{4}, Parts: []pipeline.ColumnPart{{Categories: true}}}
	assert.ErrorContains(t, outside.Fit(ctx, x), "Categories[0] = 4")

	p := byName()
	p.Steps[0] = &scalers.MinMaxScaler{}
	p.Names = flatNames
	require.NoError(t, p.Fit(ctx, x, y))
	gap := mat.DenseCopyOf(x)
	gap.Set(4, 2, math.NaN())
	_, err := p.Predict(gap)
	assert.EqualError(t, err, `column "built", row 4: pipeline: Regressor: step 0 (MinMaxScaler): x[4,2] is NaN (counted from 0): `+
		`fill gaps with columnwise.Imputer`)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
	assert.ErrorContains(t, p.PredictTo(make([]float64, 6), gap), `column "built", row 4: `)
	assert.ErrorContains(t, p.Fit(ctx, gap, y), `column "built", row 4: `)
	_, err = p.Predict(mat.NewDense(1, 3, nil))
	assert.EqualError(t, err, "pipeline: Regressor: step 0 (MinMaxScaler): x has 3 columns, fitted on 4: area, district, built, rooms")
	assert.ErrorIs(t, err, estimators.ErrShape)
	plain := &pipeline.Regressor{Final: &ridge.Regressor{Ridge: 1}, Names: flatNames}
	assert.ErrorContains(t, plain.Fit(ctx, gap, y), `column "built", row 4: pipeline: Regressor: final (ridge.Regressor): x[4,2] is NaN`)
}
