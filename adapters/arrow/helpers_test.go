package arrow

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/streaming"
)

var (
	ctx     = context.Background()
	testMem = memory.DefaultAllocator
)

// checked returns an allocator that fails the test if any memory is not released.
func checked(t *testing.T) memory.Allocator {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// batchOf returns a batch of columns from JSON, with one object per row.
func batchOf(t *testing.T, json string, fields ...arrow.Field) arrow.RecordBatch {
	t.Helper()
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(json))
	require.NoError(t, err)
	return batch
}

func field(name string, typ arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: typ, Nullable: true}
}

var (
	floats = arrow.PrimitiveTypes.Float64
	ints   = arrow.PrimitiveTypes.Int64
	text   = arrow.BinaryTypes.String
	dict   = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text}
)

// parquetBytes returns a Parquet file with one row group for each batch.
func parquetBytes(t testing.TB, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(batches[0].Schema(), &out, parquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	require.NoError(t, err)
	for _, b := range batches {
		require.NoError(t, w.Write(b))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func ipcBytes(t testing.TB, stream bool, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var out bytes.Buffer
	if stream {
		w := ipc.NewWriter(&out, ipc.WithSchema(batches[0].Schema()))
		for _, b := range batches {
			require.NoError(t, w.Write(b))
		}
		require.NoError(t, w.Close())
		return out.Bytes()
	}
	w, err := ipc.NewFileWriter(&out, ipc.WithSchema(batches[0].Schema()))
	require.NoError(t, err)
	for _, b := range batches {
		require.NoError(t, w.Write(b))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// onDisk writes a file to a temporary folder of the test, and returns its shard.
func onDisk(t *testing.T, name string, content []byte) Shard {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return Shard{Name: path}
}

// inMemory returns a shard that opens content. Its name is not a path.
func inMemory(name string, content []byte) Shard {
	return Shard{Name: name, Open: func(context.Context) (Input, error) { return bytes.NewReader(content), nil }}
}

// given returns a shard of record batches.
func given(name string, batches ...arrow.RecordBatch) Shard {
	return Shard{Name: name, Batches: func(context.Context) (array.RecordReader, error) {
		return array.NewRecordReader(batches[0].Schema(), batches)
	}}
}

// everyFormat returns a shard with the same batches for each format, by the name of the format.
func everyFormat(t *testing.T, batches ...arrow.RecordBatch) map[string]Shard {
	return map[string]Shard{
		"parquet": inMemory("a.parquet", parquetBytes(t, batches...)),
		"file":    inMemory("a.arrow", ipcBytes(t, false, batches...)),
		"stream":  inMemory("a.arrows", ipcBytes(t, true, batches...)),
		"batches": given("a", batches...),
	}
}

// counted returns a copy of the shards with mem as their allocator.
func counted(mem memory.Allocator, shards []Shard) []Shard {
	shards = slices.Clone(shards)
	for i := range shards {
		shards[i].mem = mem
	}
	return shards
}

// learnt returns the schema of shards, and checks that all memory is released.
func learnt(t *testing.T, o *table.Options, shards ...Shard) (*table.Schema, error) {
	t.Helper()
	return Source(counted(checked(t), shards)...).Learn(ctx, o)
}

// rowsOf reads all features, in blocks of two rows.
func rowsOf(t *testing.T, s *table.Schema, shards ...Shard) (*mat.Dense, error) {
	t.Helper()
	out := &mat.Dense{}
	for b, err := range Source(counted(checked(t), shards)...).Tables(ctx, s, 2) {
		if err != nil {
			return nil, err
		}
		if out.IsEmpty() {
			out = mat.DenseCopyOf(b.X)
			continue
		}
		both := &mat.Dense{}
		both.Stack(out, b.X)
		out = both
	}
	return out, nil
}

// schemaOf returns a schema with the columns. The target, if there is one, determines its task.
func schemaOf(columns ...table.Column) *table.Schema {
	s := &table.Schema{Columns: columns}
	if c, ok := s.Target(); ok {
		if s.Task = table.Regression; c.Kind == table.Category {
			s.Task = table.Classification
		}
	}
	return s
}

func number(name string) table.Column { return table.Column{Name: name, Kind: table.Number} }

func target(name string) table.Column {
	return table.Column{Name: name, Kind: table.Number, Role: table.Target}
}

func category(name string, levels ...string) table.Column {
	return table.Column{Name: name, Kind: table.Category, Levels: levels}
}

// kinds returns the columns of a schema, with their notes and numbers of gaps removed.
func kinds(s *table.Schema) (out []table.Column) {
	for _, c := range s.Columns {
		c.Note, c.Gaps = "", 0
		out = append(out, c)
	}
	return out
}

// same checks that two matrices are equal to the bit, with NaN in the same places.
func same(t *testing.T, want, got *mat.Dense, at ...any) {
	t.Helper()
	wr, wc := want.Dims()
	gr, gc := got.Dims()
	require.Equal(t, []int{wr, wc}, []int{gr, gc}, at...)
	for i := range wr {
		for j := range wc {
			w, g := want.At(i, j), got.At(i, j)
			if math.Float64bits(w) != math.Float64bits(g) && !(math.IsNaN(w) && math.IsNaN(g)) {
				assert.Failf(t, "cells differ", "%v: [%d,%d] is %v, want %v", at, i, j, g, w)
			}
		}
	}
}

// says checks that err wraps kind and that its message contains the texts.
func says(t *testing.T, err, kind error, texts ...string) {
	t.Helper()
	require.ErrorIs(t, err, kind)
	for _, text := range texts {
		assert.ErrorContains(t, err, text)
	}
}

// drained reads a stream up to its first error. It returns the number of rows before the error, and the error.
func drained[Y float64 | int](stream func(func(streaming.Block[Y], error) bool)) (rows int, err error) {
	for b, e := range stream {
		if e != nil {
			return rows, e
		}
		rows += len(b.Y)
	}
	return rows, nil
}

// numbered returns a batch of columns x, z, y and c, whose rows are numbered from the argument from.
func numbered(t *testing.T, from, rows int) arrow.RecordBatch {
	t.Helper()
	var out strings.Builder
	out.WriteString("[")
	for i := from; i < from+rows; i++ {
		if i > from {
			out.WriteString(",")
		}
		z := math.Mod(float64(i)*.7310585786, 1)
		x := math.Mod(float64(i)*.3819660113, 1)
		fmt.Fprintf(&out, `{"x": %v, "z": %v, "y": %v, "c": "%s"}`, x, z, x*x-z, []string{"no", "yes"}[(i*7/3)%2])
	}
	out.WriteString("]")
	return batchOf(t, out.String(), field("x", floats), field("z", floats), field("y", floats), field("c", text))
}

func writeBatch(to *bytes.Buffer, batch arrow.RecordBatch) error {
	w := ipc.NewWriter(to, ipc.WithSchema(batch.Schema()))
	if err := w.Write(batch); err != nil {
		return err
	}
	return w.Close()
}

func readBatch(t *testing.T, from *bytes.Buffer) arrow.RecordBatch {
	t.Helper()
	r, err := ipc.NewReader(from)
	require.NoError(t, err)
	require.True(t, r.Next())
	return r.RecordBatch()
}
