package arrow

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/badtext"
)

// A schema with a text that is not UTF-8 is not written as another one, and nothing is read by it.
func TestTextsOfSchemasAreUTF8(t *testing.T) {
	s := &Schema{Features: []Column{{Name: "x", Kind: Number}, {Name: "c", Kind: Category, Categories: []string{"röt", "b"}}}, Target: "y", Label: "l", Weight: "w", Classes: []string{"u", "v"}}
	data, err := json.Marshal(s)
	require.NoError(t, err)
	again := &Schema{}
	require.NoError(t, json.Unmarshal(data, again))
	assert.Equal(t, s, again)
	shard := inMemory("a.csv", []byte("x,c\n1,b\n"))
	n := badtext.ForEachField(s, func(_ string) {
		for _, of := range []any{s, *s} {
			_, err := json.Marshal(of)
			says(t, err, estimators.ErrParam, `"j\xe4", want UTF-8`)
		}
		_, err := drained((&Table{Schema: s, Shards: []Shard{shard}}).Targets(ctx))
		says(t, err, estimators.ErrParam, `"j\xe4", want UTF-8`)
	})
	assert.Equal(t, 9, n)

	c := Columns{Features: []string{"x"}, Target: "y", Label: "l", Weight: "w", Ignore: []string{"i"}, Categorical: []string{"x"}, Classes: []string{"u"}}
	n = badtext.ForEachField(&c, func(field string) {
		_, err := c.Learn(ctx, shard)
		require.ErrorIs(t, err, estimators.ErrParam, field)
	})
	assert.Equal(t, 7, n)
	s, model := fittedRegressor(t)
	_, err = (&Predictor[float64]{Model: model, Schema: s, Name: badtext.Text}).Write(ctx, filepath.Join(t.TempDir(), "out.parquet"), given("more", numbered(t, 200, 5)))
	says(t, err, estimators.ErrParam, `"j\xe4", want UTF-8`)
}

// latin is a batch of two numbers and a text that is not UTF-8, in a column or a dictionary.
func latin(t *testing.T, dictionary bool) arrow.RecordBatch {
	t.Helper()
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	texts.AppendValues([]string{"r\xe9", "r\xe8"}, nil)
	column := texts.NewArray()
	if dictionary {
		index := array.NewInt8Builder(memory.DefaultAllocator)
		index.AppendValues([]int8{0, 1}, nil)
		column = array.NewDictionaryArray(dict, index.NewArray(), column)
	}
	numbers := func() arrow.Array {
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		b.AppendValues([]float64{1, 2}, nil)
		return b.NewArray()
	}
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("x", floats), field("z", floats), field("c", column.DataType())}, nil), []arrow.Array{numbers(), numbers(), column}, 2)
}

// Two categories that are not UTF-8 do not become one, and no file is written that others cannot read.
func TestTextsOfFilesAreUTF8(t *testing.T) {
	s, model := fittedRegressor(t)
	for _, dictionary := range []bool{false, true} {
		shard := given("a", latin(t, dictionary))
		_, err := Columns{}.Learn(ctx, shard)
		says(t, err, estimators.ErrParam, `a: a category of column "c" = "r\xe9", want UTF-8`)
		to := filepath.Join(t.TempDir(), "out.parquet")
		_, err = (&Predictor[float64]{Model: model, Schema: s}).Write(ctx, to, shard)
		says(t, err, estimators.ErrParam, `column "c"`, `"r\xe9", want UTF-8`)
		assert.NoFileExists(t, to)
	}
	names := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field(badtext.Text, floats)}, nil), []arrow.Array{array.MakeArrayOfNull(memory.DefaultAllocator, floats, 1)}, 1)
	_, err := Columns{}.Learn(ctx, given("a", names))
	says(t, err, estimators.ErrParam, `a: column name = "j\xe4", want UTF-8`)
}
