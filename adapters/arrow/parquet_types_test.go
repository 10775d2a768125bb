package arrow

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/arrow/internal/cells"
	"github.com/kernelearn/kernelearn/adapters/arrow/internal/flatcheck"
)

// parquetOfDurations is a file as Arrow's libraries write durations: integers, and a schema that says what they are.
func parquetOfDurations(t *testing.T, typ arrow.DataType) []byte {
	t.Helper()
	said := arrow.NewSchema([]arrow.Field{field("d", typ), field("x", floats), field("z", floats)}, nil)
	stored, err := cells.StoredSchema(said)
	require.NoError(t, err)
	batch := batchOf(t, `[{"d":1500,"x":1,"z":2},{"d":null,"x":2,"z":3},{"d":-2500,"x":3,"z":1}]`, field("d", ints), field("x", floats), field("z", floats))
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(batch.Schema(), &out, parquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties())
	require.NoError(t, err)
	require.NoError(t, w.AppendKeyValueMetadata(flatcheck.ParquetMeta, stored))
	require.NoError(t, w.Write(batch))
	require.NoError(t, w.Close())
	return out.Bytes()
}

// Durations of Parquet files are seconds, as those of Arrow files.
func TestDurationsOfParquet(t *testing.T) {
	for typ, per := range map[arrow.DataType]float64{arrow.FixedWidthTypes.Duration_s: 1, arrow.FixedWidthTypes.Duration_ms: 1e3, arrow.FixedWidthTypes.Duration_us: 1e6, arrow.FixedWidthTypes.Duration_ns: 1e9} {
		shard := inMemory("a.parquet", parquetOfDurations(t, typ))
		s, err := Columns{Features: []string{"x", "d"}, mem: checked(t)}.Learn(ctx, shard)
		require.NoError(t, err)
		assert.Equal(t, []Column{{"x", Number, nil}, {"d", Duration, nil}}, s.Features)
		got, err := rowsOf(t, checked(t), s, shard)
		require.NoError(t, err)
		same(t, mat.NewDense(3, 2, []float64{1, 1500 / per, 2, nan, 3, -2500 / per}), got)
	}
}

// A file with durations can be written with predictions, and read again, whether they are used or not.
func TestPredictionsBesideDurations(t *testing.T) {
	s, model := fittedRegressor(t)
	batch := batchOf(t, `[{"d":1500,"x":1,"z":2},{"d":null,"x":2,"z":3},{"d":-2500,"x":3,"z":1}]`, field("d", arrow.FixedWidthTypes.Duration_ms), field("x", floats), field("z", floats))
	for name, shard := range map[string]Shard{"Parquet": inMemory("a.parquet", parquetOfDurations(t, arrow.FixedWidthTypes.Duration_ms)), "Arrow": inMemory("a.arrow", ipcBytes(t, false, batch))} {
		to := filepath.Join(t.TempDir(), "out.parquet")
		rows, err := (&Predictor[float64]{Model: model, Schema: s, mem: checked(t)}).Write(ctx, to, shard)
		require.NoError(t, err, name)
		assert.Equal(t, 3, rows)
		back := readBack(t, to)
		d := back.Column(back.Schema().FieldIndices("d")[0]).(*array.Duration)
		assert.Equal(t, "[1500 (null) -2500]", d.String(), name)
		used, err := Columns{Features: []string{"d"}}.Learn(ctx, Files(to)...)
		require.NoError(t, err)
		assert.Equal(t, Duration, used.Features[0].Kind)
	}
}

// Types that package arrow-go does not write are written as those that Parquet has for them.
func TestPredictionsBesideOtherTypes(t *testing.T) {
	s, model := fittedRegressor(t)
	batch := batchOf(t, `[{"v":"b","a":"2.5","b":"-1.25","x":1,"z":2},{"v":null,"a":null,"b":null,"x":2,"z":3}]`, field("v", arrow.BinaryTypes.StringView),
		field("a", &arrow.Decimal32Type{Precision: 9, Scale: 1}), field("b", &arrow.Decimal64Type{Precision: 12, Scale: 2}), field("x", floats), field("z", floats))
	to := filepath.Join(t.TempDir(), "out.parquet")
	_, err := (&Predictor[float64]{Model: model, Schema: s, mem: checked(t)}).Write(ctx, to, inMemory("a.arrow", ipcBytes(t, false, batch)))
	require.NoError(t, err)
	used, err := Columns{Features: []string{"v", "a", "b"}}.Learn(ctx, Files(to)...)
	require.NoError(t, err)
	assert.Equal(t, []Column{{"v", Category, []string{"b"}}, {"a", Number, nil}, {"b", Number, nil}}, used.Features)
	got, err := rowsOf(t, checked(t), used, Files(to)...)
	require.NoError(t, err)
	same(t, mat.NewDense(2, 3, []float64{0, 2.5, -1.25, nan, nan, nan}), got)
}
