package arrow

import (
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/badtext"
)

// latin returns a batch with two columns of numbers and a column of texts that are not UTF-8. If dictionary is true, the texts are
// in a dictionary.
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

// Texts that are not UTF-8 are an error, since two of them could become one category. No file is written that other programs cannot
// read.
func TestTextsOfFilesAreUTF8(t *testing.T) {
	model := fittedModel(t)
	for _, dictionary := range []bool{false, true} {
		shard := given("a", latin(t, dictionary))
		_, err := learnt(t, nil, shard)
		says(t, err, estimators.ErrParam, `a:1: column "c" = "r\xe9", want UTF-8`)
		to := filepath.Join(t.TempDir(), "out.parquet")
		_, err = (&Predictor{Model: model}).Write(ctx, to, shard)
		says(t, err, estimators.ErrParam, `column "c"`, `"r\xe9", want UTF-8`)
		assert.NoFileExists(t, to)
	}
	names := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field(badtext.Text, floats)}, nil), []arrow.Array{latin(t, false).Column(0)}, 2)
	_, err := learnt(t, nil, given("a", names))
	says(t, err, estimators.ErrParam, `"j\xe4", want UTF-8`)
	_, err = (&Predictor{Model: model, Name: badtext.Text}).Write(ctx, filepath.Join(t.TempDir(), "out.parquet"), given("more", numbered(t, 200, 5)))
	says(t, err, estimators.ErrParam, `"j\xe4", want UTF-8`)
}
