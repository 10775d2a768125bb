package rowblocks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// parquetFile is an open Parquet file.
type parquetFile struct {
	of *beamfiles.File
	in *file.Reader
}

// openParquet opens a file. If it is not a Parquet file, the error is a Finding. If the file system has no random access,
// openParquet reads the complete file into memory.
func openParquet(ctx context.Context, path string) (f *parquetFile, err error) {
	o, err := beamfiles.Open(ctx, path, 0)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = damaged(path, r)
		}
		if err != nil {
			o.Close()
		}
	}()
	source, ok := o.Reader.(parquet.ReaderAtSeeker)
	if !ok {
		data, err := io.ReadAll(o)
		if err != nil {
			return nil, err
		}
		source = bytes.NewReader(data)
	}
	in, err := file.NewParquetReader(source)
	if err != nil {
		return nil, damaged(path, err)
	}
	return &parquetFile{o, in}, nil
}

func damaged(path string, why any) *Finding {
	return newFinding(path, -1, fmt.Sprintf("damaged, or not a Parquet file: %v", why), fault.ErrBadModel)
}

func (f *parquetFile) close() error { return errors.Join(f.in.Close(), f.of.Close()) }

// names returns the names of the columns.
func (f *parquetFile) names() []string {
	schema := f.in.MetaData().Schema
	out := make([]string, schema.NumColumns())
	for i := range out {
		out[i] = schema.Column(i).Path()
	}
	return out
}

// parquetHead returns the first rows of a file.
func parquetHead(ctx context.Context, path string) (columns []table.Column, rows [][]any, err error) {
	f, err := openParquet(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	defer f.close()
	defer func() {
		if p := recover(); p != nil { // the reader panics on some files
			err = damaged(path, p)
		}
	}()
	in, err := pqarrow.NewFileReader(f.in, pqarrow.ArrowReadProperties{BatchSize: mostBlockRows}, memory.DefaultAllocator)
	if err != nil {
		return nil, nil, damaged(path, err)
	}
	batches, err := in.GetRecordReader(ctx, nil, nil)
	if err != nil {
		return nil, nil, damaged(path, err)
	}
	defer batches.Release()
	for _, field := range batches.Schema().Fields() {
		columns = append(columns, declared(field))
	}
	for len(rows) < headRows(len(columns)) && batches.Next() {
		batch := batches.RecordBatch()
		some := make([][]any, batch.NumRows())
		for i := range some {
			some[i] = make([]any, len(columns))
		}
		for j, a := range batch.Columns() {
			if columns[j].Role == table.LeftOut {
				continue
			}
			value, err := values(a)
			if err != nil {
				return nil, nil, damaged(path, err)
			}
			for i := range some {
				some[i][j] = value(i)
			}
		}
		rows = append(rows, some...)
	}
	if err := batches.Err(); err != nil && err != io.EOF {
		return nil, nil, damaged(path, err)
	}
	return columns, rows, nil
}

// declared returns the column with the kind that the type of f determines.
func declared(f arrow.Field) table.Column {
	out := table.Column{Name: f.Name}
	switch t := f.Type.(type) {
	case *arrow.StringType, *arrow.LargeStringType:
		out.Kind = table.Text
	case *arrow.DictionaryType:
		out.Kind = table.Category
	case *arrow.BooleanType, *arrow.Date32Type, *arrow.TimestampType:
	default:
		if _, ok := t.(arrow.FixedWidthDataType); !ok || !(arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID())) {
			out.Role, out.Note = table.LeftOut, "of the type "+t.String()
		}
	}
	return out
}

// parquetRange passes the rows of the row groups that begin in a range of a file to c.
func (r *Layout) parquetRange(ctx context.Context, path string, span span, c *Collector) (err error) {
	f, err := openParquet(ctx, path)
	if fatal := c.openFault(err); fatal != nil || err != nil {
		span.Finish()
		return fatal
	}
	defer f.close()
	defer func() {
		if p := recover(); p != nil { // the reader panics on some files
			c.fault(-1, damaged(path, p))
			span.Finish()
			err = nil
		}
	}()
	cols, err := r.columnsOf(f.names())
	if err != nil {
		c.fault(-1, err)
		span.Finish()
		return nil
	}
	from, first := span.Start(), int64(0)
	for g := range f.in.NumRowGroups() {
		meta := f.in.MetaData().RowGroup(g)
		if begin := groupBegin(meta.FileOffset(), f.in, g); begin >= from {
			if !span.Claim(begin) {
				return nil
			}
			if err := r.parquetGroup(ctx, f, g, cols, first, c); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				c.fault(-1, damaged(path, fmt.Sprintf("row group %d: %v", g, err)))
			}
		}
		if c.done() {
			break
		}
		first += meta.NumRows()
	}
	span.Finish()
	return nil
}

// groupBegin returns the offset of row group g. It is the stored offset, said, or the offset of the first page if said is not set.
func groupBegin(said int64, in *file.Reader, g int) int64 {
	if said > 0 {
		return said
	}
	column, err := in.MetaData().RowGroup(g).ColumnChunk(0)
	if err != nil {
		return 0
	}
	begin := column.DataPageOffset()
	if column.HasDictionaryPage() {
		begin = min(begin, column.DictionaryPageOffset())
	}
	return begin
}

// parquetGroup passes the rows of row group g to c. The number of its first row in the file is first.
func (r *Layout) parquetGroup(ctx context.Context, f *parquetFile, g int, cols columns, first int64, c *Collector) error {
	in, err := pqarrow.NewFileReader(f.in, pqarrow.ArrowReadProperties{BatchSize: mostBlockRows}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	var wanted []int
	for _, at := range cols.features {
		wanted = append(wanted, at.file)
	}
	for _, j := range []int{cols.target.file, cols.weight.file, cols.id} {
		if j >= 0 {
			wanted = append(wanted, j)
		}
	}
	batches, err := in.GetRecordReader(ctx, wanted, []int{g})
	if err != nil {
		return err
	}
	defer batches.Release()
	for batches.Next() {
		batch := batches.RecordBatch()
		n, err := r.parquetBatch(ctx, batch, first, c)
		if err != nil || c.done() {
			return err
		}
		first += n
	}
	if err := batches.Err(); err != nil && err != io.EOF {
		return err
	}
	return nil
}

// parquetBatch passes the rows of a batch to c, and returns their number.
func (r *Layout) parquetBatch(ctx context.Context, batch arrow.RecordBatch, first int64, c *Collector) (int64, error) {
	in := &parquetCells{schema: r.Schema}
	cols, err := in.use(r, batch)
	if err != nil {
		c.fault(-1, err)
		return 0, nil
	}
	for ; in.row < int(batch.NumRows()); in.row++ {
		at, id, wrong := first+int64(in.row), "", error(nil)
		if cols.id >= 0 {
			if id, _ = in.text(cols.id); !utf8.ValidString(id) {
				wrong = fmt.Errorf("column %q: %q is not UTF-8", r.ID, id)
			}
		}
		if wrong == nil {
			wrong = c.rows.parse(r, cols, in)
		}
		if wrong != nil {
			c.leaveOut(at, id, wrong.Error(), "")
		} else if err := c.closeRow(ctx, at, id); err != nil {
			return 0, err
		}
		if c.done() {
			return 0, nil
		}
	}
	return batch.NumRows(), nil
}

// parquetCells reads the cells of one row of a batch.
type parquetCells struct {
	schema  *table.Schema
	arrays  []arrow.Array
	numbers []numberAt        // nil for columns that are not read as numbers
	values  []func(i int) any // for the other columns
	row     int
}

// use sets the batch whose cells are read, and returns the places of its columns.
func (p *parquetCells) use(r *Layout, batch arrow.RecordBatch) (columns, error) {
	names := make([]string, batch.NumCols())
	for j := range names {
		names[j] = batch.ColumnName(j)
	}
	cols, err := r.columnsOf(names)
	if err != nil {
		return cols, err
	}
	p.arrays, p.numbers, p.values = batch.Columns(), make([]numberAt, len(names)), make([]func(int) any, len(names))
	for _, at := range append([]place{cols.target, cols.weight}, cols.features...) {
		if at.file < 0 {
			continue
		}
		a := p.arrays[at.file]
		if p.schema.Columns[at.schema].Kind == table.Number {
			p.numbers[at.file] = numbers(a)
		}
		if p.values[at.file], err = values(a); err != nil {
			return cols, fmt.Errorf("column %q: %w", names[at.file], err)
		}
	}
	return cols, nil
}

// number implements cells.
func (p *parquetCells) number(e *table.Encoder, at place) (float64, error) {
	if number := p.numbers[at.file]; number != nil {
		if v, ok := number(p.row); ok {
			return v, nil
		}
	}
	return e.Value(at.schema, p.values[at.file](p.row))
}

// text implements cells.
func (p *parquetCells) text(column int) (string, error) {
	if a := p.arrays[column]; !a.IsNull(p.row) {
		return a.ValueStr(p.row), nil
	}
	return "", nil
}

// numberAt returns element i of a column, or NaN for a null. It returns false for a number that is not finite, and for an integer
// that float64 may not represent exactly.
type numberAt func(i int) (v float64, ok bool)

// numbers returns the numberAt of a column of numbers, or nil for a column of another type.
func numbers(a arrow.Array) numberAt {
	switch a := a.(type) {
	case *array.Float64:
		return exactNumbers(a, a.Value)
	case *array.Float32:
		return exactNumbers(a, a.Value)
	case *array.Int64:
		return exactNumbers(a, a.Value)
	case *array.Int32:
		return exactNumbers(a, a.Value)
	case *array.Int16:
		return exactNumbers(a, a.Value)
	case *array.Int8:
		return exactNumbers(a, a.Value)
	case *array.Uint32:
		return exactNumbers(a, a.Value)
	case *array.Uint16:
		return exactNumbers(a, a.Value)
	case *array.Uint8:
		return exactNumbers(a, a.Value)
	}
	return nil
}

func exactNumbers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | float32 | float64](a arrow.Array, value func(int) T) numberAt {
	const most = 1 << 53
	_, float := any(*new(T)).(float64)
	return func(i int) (float64, bool) {
		if a.IsNull(i) {
			return math.NaN(), true
		}
		v := float64(value(i))
		return v, v-v == 0 && (float || math.Abs(v) < most) || v != v
	}
}

// values returns a function that returns the elements of a column, in the types that package table accepts. A null is nil.
func values(a arrow.Array) (func(i int) any, error) {
	number := numbers(a)
	var at func(i int) any
	switch a := a.(type) {
	case *array.Int64:
		at = func(i int) any { return a.Value(i) }
	case *array.Uint64:
		at = func(i int) any { return a.Value(i) }
	case *array.Boolean:
		at = func(i int) any { return a.Value(i) }
	case *array.String:
		at = func(i int) any { return a.Value(i) }
	case *array.LargeString:
		at = func(i int) any { return a.Value(i) }
	case *array.Date32:
		at = func(i int) any { return a.Value(i).ToTime() }
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		at = func(i int) any { return a.Value(i).ToTime(unit) }
	case *array.Dictionary:
		at = func(i int) any { return a.ValueStr(i) }
	default:
		if number == nil {
			return nil, fmt.Errorf("its type is %s, not a number, time or text: %w", a.DataType(), fault.ErrParam)
		}
		at = func(i int) any {
			v, _ := number(i)
			return v
		}
	}
	return func(i int) any {
		if a.IsNull(i) {
			return nil
		}
		return at(i)
	}, nil
}
