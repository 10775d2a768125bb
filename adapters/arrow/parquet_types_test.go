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
	"github.com/kernelearn/kernelearn/adapters/table"
)

// parquetOfDurations returns a file in the form in which Arrow's libraries write durations: integers, and a schema with their
// types.
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

// Durations of Parquet files are seconds, like those of Arrow files.
func TestDurationsOfParquet(t *testing.T) {
	for typ, per := range map[arrow.DataType]float64{arrow.FixedWidthTypes.Duration_s: 1, arrow.FixedWidthTypes.Duration_ms: 1e3, arrow.FixedWidthTypes.Duration_us: 1e6, arrow.FixedWidthTypes.Duration_ns: 1e9} {
		shard := inMemory("a.parquet", parquetOfDurations(t, typ))
		s, err := learnt(t, &table.Options{Drop: []string{"z"}}, shard)
		require.NoError(t, err)
		assert.Equal(t, []table.Column{{Name: "d", Kind: table.Duration}, number("x")}, kinds(s)[:2])
		got, err := rowsOf(t, s, shard)
		require.NoError(t, err)
		same(t, mat.NewDense(3, 2, []float64{1500 / per, 1, nan, 2, -2500 / per, 3}), got)
	}
}

// A file with durations can be written with predictions, and read again, whether the durations are features or not.
func TestPredictionsBesideDurations(t *testing.T) {
	model := fittedModel(t)
	batch := batchOf(t, `[{"d":1500,"x":1,"z":2},{"d":null,"x":2,"z":3},{"d":-2500,"x":3,"z":1}]`, field("d", arrow.FixedWidthTypes.Duration_ms), field("x", floats), field("z", floats))
	for name, shard := range map[string]Shard{"Parquet": inMemory("a.parquet", parquetOfDurations(t, arrow.FixedWidthTypes.Duration_ms)), "Arrow": inMemory("a.arrow", ipcBytes(t, false, batch))} {
		to := filepath.Join(t.TempDir(), "out.parquet")
		rows, err := (&Predictor{Model: model, mem: checked(t)}).Write(ctx, to, shard)
		require.NoError(t, err, name)
		assert.Equal(t, 3, rows)
		back := readBack(t, to)
		d := back.Column(back.Schema().FieldIndices("d")[0]).(*array.Duration)
		assert.Equal(t, "[1500 (null) -2500]", d.String(), name)
		used, err := learnt(t, nil, Files(to)...)
		require.NoError(t, err)
		assert.Equal(t, table.Duration, used.Columns[0].Kind)
	}
}

// Types that package arrow-go cannot write are written as the corresponding types of Parquet.
func TestPredictionsBesideOtherTypes(t *testing.T) {
	model := fittedModel(t)
	batch := batchOf(t, `[{"v":"b","a":"2.5","b":"-1.25","x":1,"z":2},{"v":null,"a":null,"b":null,"x":2,"z":3}]`, field("v", arrow.BinaryTypes.StringView),
		field("a", &arrow.Decimal32Type{Precision: 9, Scale: 1}), field("b", &arrow.Decimal64Type{Precision: 12, Scale: 2}), field("x", floats), field("z", floats))
	to := filepath.Join(t.TempDir(), "out.parquet")
	_, err := (&Predictor{Model: model, mem: checked(t)}).Write(ctx, to, inMemory("a.arrow", ipcBytes(t, false, batch)))
	require.NoError(t, err)
	used, err := learnt(t, &table.Options{Drop: []string{"x", "z", "prediction"}}, Files(to)...)
	require.NoError(t, err)
	assert.Equal(t, []table.Column{category("v", "b"), number("a"), number("b")}, kinds(used)[:3])
	got, err := rowsOf(t, used, Files(to)...)
	require.NoError(t, err)
	same(t, mat.NewDense(2, 3, []float64{0, 2.5, -1.25, nan, nan, nan}), got)
}
