package arrow

import (
	"bytes"
	"encoding/base64"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// Parquet has no durations. Arrow's libraries write them as integers of 64 bits, and the schema with the durations beside them;
// package arrow-go takes the type from there, and then neither reads nor writes the column. So it is given the integers.

// isDuration reports whether the values of a type are durations.
func isDuration(t arrow.DataType) bool { return t.ID() == arrow.DURATION }

// integersOf returns a schema with integers for durations, and whether there are some.
func integersOf(s *arrow.Schema) (out *arrow.Schema, some bool) {
	fields := s.Fields()
	for j, f := range fields {
		if isDuration(f.Type) {
			fields[j].Type, some = arrow.PrimitiveTypes.Int64, true
		}
	}
	meta := s.Metadata()
	return arrow.NewSchema(fields, &meta), some
}

// storedSchema returns a schema as files keep it among their metadata.
func storedSchema(s *arrow.Schema) (string, error) {
	var out bytes.Buffer
	if err := ipc.NewWriter(&out, ipc.WithSchema(s)).Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(out.Bytes()), nil
}

// retyped returns a batch over the same memory in a schema that has integers where the batch has durations, or the other way. It
// has to be released.
func retyped(b arrow.RecordBatch, to *arrow.Schema) arrow.RecordBatch {
	arrays := make([]arrow.Array, b.NumCols())
	for k, a := range b.Columns() {
		if want := to.Field(k).Type; isDuration(want) != isDuration(a.DataType()) {
			d := array.NewData(want, a.Len(), a.Data().Buffers(), nil, a.NullN(), a.Data().Offset())
			a = array.MakeFromData(d)
			d.Release()
			defer a.Release()
		}
		arrays[k] = a
	}
	return array.NewRecordBatch(to, arrays, b.NumRows())
}
