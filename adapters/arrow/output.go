package arrow

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/kernelearn/kernelearn/adapters/arrow/internal/cells"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// A row group is held in memory until it is complete. The constants limit its cells and rows.
const (
	groupCells = 1 << 24
	groupRows  = 1 << 17
)

// output is a Parquet file under construction, with the columns of an input and additional columns.
type output struct {
	to, from string // to names the file; from names the input whose columns it has
	of       *arrow.Schema
	written  *arrow.Schema // with types that Parquet supports
	file     *pqarrow.FileWriter
	mem      memory.Allocator
}

// newOutput creates the output, with the columns of in and then own. If many is true, further inputs follow, whose nulls may be in
// any column.
func newOutput(to string, file io.Writer, in *reading, own []arrow.Field, many bool, mem memory.Allocator) (*output, error) {
	fields := slices.Clone(in.schema().Fields())
	for j := range fields {
		fields[j].Nullable = fields[j].Nullable || many
	}
	for _, f := range own {
		if in.schema().HasField(f.Name) {
			return nil, fault.Param(predictorName, "Name", strconv.Quote(f.Name), "a column that "+in.name+" does not have already")
		}
		fields = append(fields, f)
	}
	names := make([]string, len(fields))
	for j, f := range fields {
		names[j] = f.Name
	}
	if err := check.Text(in.name, "column name", names...); err != nil {
		return nil, err
	}
	if n, ok := celltext.Duplicate(names); ok {
		return nil, fault.Param(in.name, "column", strconv.Quote(n)+" twice", "each name once, to be written")
	}
	meta := in.schema().Metadata()
	out := &output{to: to, from: in.name, of: arrow.NewSchema(fields, &meta), mem: mem}
	return out, out.writing(func() (err error) {
		props := parquet.NewWriterProperties(parquet.WithAllocator(mem),
			parquet.WithMaxRowGroupLength(max(1,
				min(groupRows, groupCells/int64(len(fields))))), parquet.WithCompression(compress.Codecs.Snappy))
		options := []pqarrow.WriterOption{pqarrow.WithAllocator(mem)}
		var durations bool
		if out.written, durations, err = cells.ParquetSchema(out.of); err != nil {
			return err
		}
		if !durations {
			options = append(options, pqarrow.WithStoreSchema())
		}
		// The wrapper hides Close, since the writer would close the file.
		out.file, err = pqarrow.NewFileWriter(out.written, struct{ io.Writer }{file}, props, pqarrow.NewArrowWriterProperties(options...))
		return err
	})
}

// writing calls f, and turns its panics into errors that name the file.
func (o *output) writing(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			cause, ok := v.(error)
			if !ok {
				cause = fmt.Errorf("%v", v)
			}
			err = fmt.Errorf("%s: writing the columns of %s: %w", o.to, o.from, cause)
		}
	}()
	if err := f(); err != nil {
		return fmt.Errorf("%s: writing the columns of %s: %w", o.to, o.from, err)
	}
	return nil
}

// accepts returns ErrParam if a further input does not have the columns of the first one. The argument own is the number of columns
// that do not come from the input.
func (o *output) accepts(in *reading, own int) error {
	want := o.of.Fields()[:o.of.NumFields()-own]
	if got := in.schema().NumFields(); got != len(want) {
		return fault.Param(in.name, "columns", got, fmt.Sprintf("the %d of %s, to be in one file with them", len(want), o.from))
	}
	for j, f := range in.schema().Fields() {
		if f.Name != want[j].Name || !arrow.TypeEqual(f.Type, want[j].Type) {
			return fault.Param(in.name, fmt.Sprintf("column %d", j), fmt.Sprintf("%q of type %s", f.Name, f.Type),
				fmt.Sprintf("%q of type %s, as in %s", want[j].Name, want[j].Type, o.from))
		}
	}
	return nil
}

// write appends rows. Their predictions start at index from of columns.
func (o *output) write(rows arrow.RecordBatch, columns []table.PredictionColumn, from int) error {
	return o.writing(func() error {
		arrays := slices.Clone(rows.Columns())
		own := o.of.Fields()[len(arrays):]
		for k, c := range columns {
			a := arrayOf(o.mem, own[k].Type, c, from, from+int(rows.NumRows()))
			defer a.Release()
			arrays = append(arrays, a)
		}
		all := array.NewRecordBatch(o.of, arrays, rows.NumRows())
		defer all.Release()
		if err := validColumns(all); err != nil {
			return err
		}
		written := cells.Convert(o.mem, all, o.written)
		defer written.Release()
		return o.file.WriteBuffered(written)
	})
}

// validColumns returns ErrParam for a text that is not UTF-8, which other programs could not read.
func validColumns(b arrow.RecordBatch) error {
	for j, a := range b.Columns() {
		if d, ok := a.(*array.Dictionary); ok {
			a = d.Dictionary()
		}
		texts, ok := a.(interface {
			Value(i int) string
			IsNull(i int) bool
		})
		if !ok {
			continue
		}
		for i := range a.Len() {
			if !texts.IsNull(i) && !utf8.ValidString(texts.Value(i)) {
				return fault.Param(fmt.Sprintf("column %q", b.ColumnName(j)), "a text", strconv.Quote(texts.Value(i)), "UTF-8")
			}
		}
	}
	return nil
}

// arrayOf returns an array of rows from to to-1 of a column of predictions. The caller releases it. If typ is an integer type, the
// integers are parsed from the texts.
func arrayOf(mem memory.Allocator, typ arrow.DataType, c table.PredictionColumn, from, to int) arrow.Array {
	b := array.NewBuilder(mem, typ)
	defer b.Release()
	switch b := b.(type) {
	case *array.Float64Builder:
		b.AppendValues(c.Numbers[from:to], nil)
	case *array.StringBuilder:
		b.AppendValues(c.Texts[from:to], nil)
	case *array.Int64Builder:
		for _, text := range c.Texts[from:to] {
			v, _ := strconv.ParseInt(text, 10, 64) // all classes are integers
			b.Append(v)
		}
	}
	return b.NewArray()
}

func (o *output) close() error { return o.writing(o.file.Close) }

// discard releases the resources of an incomplete file. The output may be nil.
func (o *output) discard() {
	if o != nil && o.file != nil {
		_ = o.writing(o.file.Close) // an earlier error is reported by the caller
	}
}
