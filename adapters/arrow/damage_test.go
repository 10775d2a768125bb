package arrow

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
)

// whole returns undamaged files by name, all with the same eight rows. They contain dictionaries, gaps and compressed pages.
func whole(t testing.TB) map[string][]byte {
	rows := `[{"x": 1, "c": "a", "d": "u", "y": 1}, {"x": null, "c": "b", "d": null, "y": 2}, {"x": 3, "c": null, "d": "v", "y": 3}, {"x": 4, "c": "a", "d": "u", "y": 4}]`
	schema := arrow.NewSchema([]arrow.Field{field("x", floats), field("c", text), field("d", dict), field("y", arrow.PrimitiveTypes.Int16)}, nil)
	batch, _, err := array.RecordFromJSON(testMem, schema, bytes.NewReader([]byte(rows)))
	require.NoError(t, err)
	views := batch.Column(1).(*array.String)
	b := array.NewStringViewBuilder(testMem)
	for i := range views.Len() {
		if views.IsNull(i) {
			b.AppendNull()
			continue
		}
		b.Append(views.Value(i) + " is too long to stand in a view") // too long for the view itself, so it needs a buffer
	}
	viewed := array.NewRecordBatch(arrow.NewSchema(append(schema.Fields(), field("v", arrow.BinaryTypes.StringView)), nil), append(batch.Columns(), b.NewArray()), 4)
	out := map[string][]byte{
		"a.parquet": parquetBytes(t, batch, batch),
		"a.arrow":   ipcBytes(t, false, viewed, viewed),
		"a.arrows":  ipcBytes(t, true, viewed, viewed),
	}
	var packed bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &packed, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDataPageVersion(parquet.DataPageV2)), pqarrow.DefaultWriterProps())
	require.NoError(t, err)
	require.NoError(t, w.Write(batch))
	require.NoError(t, w.Write(batch))
	require.NoError(t, w.Close())
	out["packed.parquet"] = packed.Bytes()
	return out
}

var ofWhole = schemaOf(number("x"), category("c", "a", "b"), category("d", "u", "v"), target("y"))

// readAll learns a schema from a file and reads its blocks. It returns the number of rows and the first error.
func readAll(name string, content []byte, mem memory.Allocator) (rows int, err error) {
	shard := inMemory(name, content)
	shard.mem, shard.MaxBytes = mem, 1<<26
	if _, err := Source(shard).Learn(ctx, &table.Options{Target: "y"}); err != nil {
		return 0, err
	}
	return drained(table.Blocks[float64](ctx, Source(shard), ofWhole, 3))
}

// A file that is truncated at any byte gives an error that names it. The exception is a stream, which has no required end.
func TestTruncatedFiles(t *testing.T) {
	for name, content := range whole(t) {
		rows, err := readAll(name, content, checked(t))
		require.NoError(t, err, name)
		require.Equal(t, 8, rows, name)
		for n := range len(content) {
			rows, err := readAll(name, content[:n], memory.DefaultAllocator)
			if name == "a.arrows" && errors.Is(err, estimators.ErrShape) {
				assert.ErrorContains(t, err, "0 rows", "of the schema alone")
				continue
			}
			if name == "a.arrows" && err == nil {
				assert.Contains(t, []int{0, 4, 8}, rows, "complete batches")
				continue
			}
			require.ErrorIs(t, err, ErrUnreadable, "%s of %d bytes", name, n)
			assert.ErrorContains(t, err, name+": ")
		}
	}
}

// If bytes of a file are changed, reading returns an error that names the file, or other values. It never panics.
func TestDamagedFiles(t *testing.T) {
	turns := 500
	if testing.Short() {
		turns = 100
	}
	for name, content := range whole(t) {
		rng := rand.New(rand.NewPCG(1, 26))
		damaged := 0
		for range turns {
			bad := bytes.Clone(content)
			for range 1 + rng.IntN(3) {
				bad[rng.IntN(len(bad))] = byte(rng.Uint32())
			}
			if _, err := readAll(name, bad, memory.DefaultAllocator); err != nil {
				damaged++
				assert.ErrorContains(t, err, name+":")
			}
		}
		assert.Greater(t, damaged, turns/10, name)
	}
}

// Files of another format, or of no format, are errors.
func TestFilesOfSomethingElse(t *testing.T) {
	for _, content := range [][]byte{nil, []byte("PAR1"), []byte("ARROW1\x00\x00"), []byte("x,y\n1,2\n"), bytes.Repeat([]byte{0xff}, 1000), make([]byte, 1000)} {
		for _, name := range []string{"a.parquet", "a.arrow"} {
			_, err := readAll(name, content, checked(t))
			says(t, err, ErrUnreadable, name+": ")
		}
	}
}

// The error of a damaged shard after a valid one names only the damaged shard, and the rows before it are read.
func TestADamagedShardAmongGoodOnes(t *testing.T) {
	content := whole(t)["a.parquet"]
	bad := bytes.Clone(content)
	copy(bad[4:], bytes.Repeat([]byte{0xff}, 40)) // the first pages
	rows, err := drained(table.Blocks[float64](ctx, Source(inMemory("1.parquet", content), inMemory("2.parquet", bad)), ofWhole, 8))
	says(t, err, ErrUnreadable, "2.parquet: ")
	assert.NotContains(t, err.Error(), "1.parquet")
	assert.Equal(t, 8, rows)
}

// A file whose batches need more memory than MaxBytes is an error.
func TestMemoryOfAFile(t *testing.T) {
	batch := numbered(t, 0, 3000)
	for name, content := range map[string][]byte{"a.parquet": parquetBytes(t, batch), "a.arrow": ipcBytes(t, false, batch), "a.arrows": ipcBytes(t, true, batch)} {
		shard := inMemory(name, content)
		shard.MaxBytes = 8 << 10
		_, err := drained(table.Blocks[float64](ctx, Source(shard), schemaOf(number("x"), number("z"), target("y")), 64))
		require.Error(t, err)
		assert.ErrorContains(t, err, name+": ")
		if name == "a.parquet" {
			says(t, err, estimators.ErrTooLarge, "MaxBytes")
		}
	}
}
