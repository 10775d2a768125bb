package cells

import (
	"bytes"
	"encoding/base64"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/kernelearn/kernelearn/adapters/arrow/internal/flatcheck"
)

// Parquet has no durations. Arrow's libraries write them as 64-bit integers, and store a schema with the durations in the metadata.
// Package arrow-go takes the types of columns from that schema, and can then neither read nor write durations. This package
// therefore passes integers to arrow-go. Arrow-go also cannot write string views, or decimals of 32 and 64 bits. They are converted
// to other Parquet types.

// IsDuration reports whether the values of a type are durations.
func IsDuration(t arrow.DataType) bool { return t.ID() == arrow.DURATION }

// parquetType returns the type in which a column is written.
func parquetType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.DurationType:
		return arrow.PrimitiveTypes.Int64
	case *arrow.StringViewType:
		return arrow.BinaryTypes.String
	case *arrow.Decimal32Type:
		return &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
	case *arrow.Decimal64Type:
		return &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
	}
	return t
}

// ParquetSchema returns the schema with the types that are written. If it contains durations, durations is true, and the metadata
// store a schema with the durations, in the form that Parquet files use.
func ParquetSchema(s *arrow.Schema) (out *arrow.Schema, durations bool, err error) {
	fields, said := s.Fields(), s.Fields()
	for j, f := range fields {
		fields[j].Type = parquetType(f.Type)
		if said[j].Type = fields[j].Type; IsDuration(f.Type) {
			said[j].Type, durations = f.Type, true
		}
	}
	meta := s.Metadata()
	if durations {
		stored, err := StoredSchema(arrow.NewSchema(said, &meta))
		if err != nil {
			return nil, false, err
		}
		meta = arrow.NewMetadata(append(slices.Clone(meta.Keys()), flatcheck.ParquetMeta), append(slices.Clone(meta.Values()), stored))
	}
	return arrow.NewSchema(fields, &meta), durations, nil
}

// StoredSchema returns a schema in the form in which the metadata of Parquet files store it.
func StoredSchema(s *arrow.Schema) (string, error) {
	var out bytes.Buffer
	if err := ipc.NewWriter(&out, ipc.WithSchema(s)).Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(out.Bytes()), nil
}

// Convert returns the batch b with the schema to, which differs from b's schema only in types: integers for durations, durations
// for integers, or the other types that Parquet supports. The caller releases the result.
func Convert(mem memory.Allocator, b arrow.RecordBatch, to *arrow.Schema) arrow.RecordBatch {
	arrays := make([]arrow.Array, b.NumCols())
	for k, a := range b.Columns() {
		want := to.Field(k).Type
		arrays[k] = a
		switch a := a.(type) {
		case *array.StringView:
			if want.ID() == arrow.STRING {
				arrays[k] = textsOfViews(mem, a)
			}
		case *array.Decimal32:
			if want.ID() == arrow.DECIMAL128 {
				arrays[k] = decimals(mem, a, want, func(i int) int64 { return int64(a.Value(i)) })
			}
		case *array.Decimal64:
			if want.ID() == arrow.DECIMAL128 {
				arrays[k] = decimals(mem, a, want, func(i int) int64 { return int64(a.Value(i)) })
			}
		default:
			if IsDuration(want) != IsDuration(a.DataType()) {
				d := array.NewData(want, a.Len(), a.Data().Buffers(), nil, a.NullN(), a.Data().Offset())
				arrays[k] = array.MakeFromData(d)
				d.Release()
			}
		}
		if arrays[k] != a {
			defer arrays[k].Release()
		}
	}
	return array.NewRecordBatch(to, arrays, b.NumRows())
}

func textsOfViews(mem memory.Allocator, a *array.StringView) arrow.Array {
	b := array.NewStringBuilder(mem)
	defer b.Release()
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(a.Value(i))
		}
	}
	return b.NewArray()
}

func decimals(mem memory.Allocator, a arrow.Array, want arrow.DataType, value func(i int) int64) arrow.Array {
	b := array.NewDecimal128Builder(mem, want.(*arrow.Decimal128Type))
	defer b.Release()
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(decimal128.FromI64(value(i)))
		}
	}
	return b.NewArray()
}
