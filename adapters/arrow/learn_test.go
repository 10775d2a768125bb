package arrow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

var testMem = memory.DefaultAllocator

// dictionaryOf makes a batch of a dictionary column with these values and indices, of which -1 is null.
func dictionaryOf(t *testing.T, ordered bool, values string, indices ...int8) arrow.RecordBatch {
	t.Helper()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text, Ordered: ordered}
	v, _, err := array.FromJSON(testMem, text, strings.NewReader(values))
	require.NoError(t, err)
	b := array.NewInt8Builder(testMem)
	for _, i := range indices {
		if i < 0 {
			b.AppendNull()
		} else {
			b.Append(i)
		}
	}
	a := array.NewDictionaryArray(typ, b.NewArray(), v)
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("c", typ)}, nil), []arrow.Array{a}, int64(len(indices)))
}

// Codes are the same whatever dictionary a shard has, or none.
func TestCategoriesOverDictionaries(t *testing.T) {
	first := dictionaryOf(t, false, `["red", "green", "never"]`, 0, 1, -1, 0)
	second := dictionaryOf(t, false, `["blue", null, "green"]`, 2, 0, 1)
	plain := batchOf(t, `[{"c": "red"}, {"c": "azure"}]`, field("c", text))
	shards := []Shard{given("1", first), inMemory("2.arrow", ipcBytes(t, false, second)), inMemory("3.parquet", parquetBytes(t, plain))}
	s, err := Columns{mem: checked(t)}.Learn(ctx, shards...)
	require.NoError(t, err)
	assert.Equal(t, []string{"azure", "blue", "green", "never", "red"}, s.Features[0].Categories)
	got, err := rowsOf(t, checked(t), s, shards...)
	require.NoError(t, err)
	same(t, mat.NewDense(9, 1, []float64{4, 2, nan, 4, 2, 1, nan, 4, 0}), got)

	// The reverse order of shards learns the same.
	back, err := Columns{}.Learn(ctx, shards[2], shards[1], shards[0])
	require.NoError(t, err)
	assert.Equal(t, s, back)
}

func TestOrderedDictionaryKeepsItsOrder(t *testing.T) {
	batch := dictionaryOf(t, true, `["low", "high", "extreme"]`, 1, 0)
	s, err := Columns{}.Learn(ctx, given("a", batch))
	require.NoError(t, err)
	assert.Equal(t, []string{"low", "high", "extreme"}, s.Features[0].Categories)
}

// A stream whose dictionary grows, and one that is replaced, are read by each batch's own.
func TestDictionariesThatChange(t *testing.T) {
	stream := inMemory("a.arrows", ipcBytes(t, true, dictionaryOf(t, false, `["a", "b"]`, 0, 1), dictionaryOf(t, false, `["c", "a"]`, 0, 1)))
	s, err := Columns{mem: checked(t)}.Learn(ctx, stream)
	require.NoError(t, err)
	got, err := rowsOf(t, checked(t), s, stream)
	require.NoError(t, err)
	same(t, mat.NewDense(4, 1, []float64{0, 1, 2, 0}), got)
}

func TestUnseenCategories(t *testing.T) {
	known := batchOf(t, `[{"c": "a"}, {"c": "b"}]`, field("c", text))
	s, err := Columns{}.Learn(ctx, given("known", known))
	require.NoError(t, err)
	for format, shard := range everyFormat(t, dictionaryOf(t, false, `["b", "new", "newer"]`, 0, 0, 1, 0)) {
		_, err = rowsOf(t, checked(t), s, shard)
		says(t, err, estimators.ErrParam, shard.Name, `column "c", row 2`, `"new"`, "2 categories", "UnseenAsGap")
		gaps := *s
		gaps.UnseenAsGap = true
		got, err := rowsOf(t, checked(t), &gaps, shard)
		require.NoError(t, err, format)
		same(t, mat.NewDense(4, 1, []float64{1, 1, nan, 1}), got)
	}
}

func TestCategoricalColumns(t *testing.T) {
	batch := batchOf(t, `[{"i": 10, "b": true, "x": 1}, {"i": -9, "b": false, "x": 2}, {"i": null, "b": null, "x": 3}]`,
		field("i", arrow.PrimitiveTypes.Int32), field("b", arrow.FixedWidthTypes.Boolean), field("x", floats))
	for format, shard := range everyFormat(t, batch) {
		s, err := Columns{Categorical: []string{"i", "b"}}.Learn(ctx, shard)
		require.NoError(t, err, format)
		assert.Equal(t, []Column{{"i", Category, []string{"-9", "10"}}, {"b", Category, []string{"false", "true"}}, {"x", Number, nil}}, s.Features)
		got, err := rowsOf(t, checked(t), s, shard)
		require.NoError(t, err)
		same(t, mat.NewDense(3, 3, []float64{1, 1, 1, 0, 0, 2, nan, nan, 3}), got)
		_, err = Columns{Categorical: []string{"x"}}.Learn(ctx, shard)
		says(t, err, estimators.ErrParam, `column "x"`, "float64")
		_, err = Columns{Label: "x"}.Learn(ctx, shard)
		says(t, err, estimators.ErrParam, `column "x"`, "float64")
	}
}

func TestTooManyCategories(t *testing.T) {
	var rows strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&rows, ",{\"id\": \"n%d\"}", i)
	}
	shard := given("ids", batchOf(t, "["+rows.String()[1:]+"]", field("id", text)))
	_, err := Columns{}.Learn(ctx, shard)
	says(t, err, estimators.ErrTooLarge, "ids", `column "id"`, "1000")
	s, err := Columns{MaxCategories: 1001}.Learn(ctx, shard)
	require.NoError(t, err)
	assert.Len(t, s.Features[0].Categories, 1001)
}

// A column that is nothing but gaps in one shard has its kind from another.
func TestColumnsOfGaps(t *testing.T) {
	gaps := inMemory("gaps.csv", []byte("x,c\n,\nNA,?\n"))
	full := inMemory("full.csv", []byte("x,c\n1,a\n2,b\n"))
	for _, shards := range [][]Shard{{gaps, full}, {full, gaps}} {
		s, err := Columns{}.Learn(ctx, shards...)
		require.NoError(t, err)
		assert.Equal(t, []Column{{"x", Number, nil}, {"c", Category, []string{"a", "b"}}}, s.Features)
	}
	s, err := Columns{}.Learn(ctx, gaps)
	require.NoError(t, err)
	got, err := rowsOf(t, checked(t), s, gaps)
	require.NoError(t, err)
	same(t, mat.NewDense(2, 2, []float64{nan, nan, nan, nan}), got)
}

func TestSettingsOfColumns(t *testing.T) {
	shard := everyFormat(t, numbered(t, 0, 4))["parquet"]
	for want, c := range map[string]Columns{
		`"x" twice`:      {Features: []string{"x", "x"}},
		`"y" twice`:      {Target: "y", Label: "y"},
		`"z" twice`:      {Target: "z", Ignore: []string{"z"}},
		"Categorical":    {Features: []string{"x"}, Categorical: []string{"c"}},
		"MaxCategories":  {MaxCategories: -1},
		"Classes":        {Label: "c", Classes: []string{"a", "a"}},
		"Label":          {Classes: []string{"a", "b"}},
		`"q", which`:     {Target: "q"},
		`"r", which`:     {Ignore: []string{"r"}},
		"features":       {Ignore: []string{"x", "y", "z", "c"}},
		"one of numbers": {Target: "c"},
	} {
		_, err := c.Learn(ctx, shard)
		says(t, err, estimators.ErrParam, want)
	}
	_, err := Columns{}.Learn(ctx)
	says(t, err, estimators.ErrParam, "shards")
}
