package rowblocks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// parquetFile is an open Parquet file.
type parquetFile struct {
	of *beamfiles.File
	in *file.Reader
}

// openParquet opens a file. One that is no Parquet is a finding. Where the file system has no random access, the
// whole file is read.
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
	return newFinding(path, -1, fmt.Sprintf("damaged, or no Parquet file: %v", why), fault.ErrBadModel)
}

func (f *parquetFile) close() error { return errors.Join(f.in.Close(), f.of.Close()) }

// names are those of the columns.
func (f *parquetFile) names() []string {
	schema := f.in.MetaData().Schema
	out := make([]string, schema.NumColumns())
	for i := range out {
		out[i] = schema.Column(i).Path()
	}
	return out
}

// parquetNames returns the columns of a file.
func parquetNames(ctx context.Context, path string) ([]string, error) {
	f, err := openParquet(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return f.names(), nil
}

// parquetRange hands the rows of those row groups that begin in a range of a file to c.
func (r *Layout) parquetRange(ctx context.Context, path string, span span, c *Collector) (err error) {
	f, err := openParquet(ctx, path)
	if fatal := c.openFault(err); fatal != nil || err != nil {
		span.Finish()
		return fatal
	}
	defer f.close()
	defer func() {
		if p := recover(); p != nil { // the reader panics at some files
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

// groupBegin is where a row group begins, which not all writers say.
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

// parquetGroup hands over a row group, of which the first row has a number in the file.
func (r *Layout) parquetGroup(ctx context.Context, f *parquetFile, g int, cols columns, first int64, c *Collector) error {
	in, err := pqarrow.NewFileReader(f.in, pqarrow.ArrowReadProperties{BatchSize: mostBlockRows}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	wanted := append([]int(nil), cols.features...)
	for _, j := range []int{cols.target, cols.weight, cols.id} {
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

// parquetBatch hands over some rows.
func (r *Layout) parquetBatch(ctx context.Context, batch arrow.RecordBatch, first int64, c *Collector) (int64, error) {
	in := &parquetCells{round: r.Round}
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
	arrays  []arrow.Array
	numbers []numberAt // nil where a column is not to be numbers
	row     int
	round   bool
}

// use takes the columns of a batch, and returns which are which.
func (p *parquetCells) use(r *Layout, batch arrow.RecordBatch) (columns, error) {
	names := make([]string, batch.NumCols())
	for j := range names {
		names[j] = batch.ColumnName(j)
	}
	cols, err := r.columnsOf(names)
	if err != nil {
		return cols, err
	}
	measured := append(slices.Clone(cols.features), cols.weight)
	if !r.Labelled {
		measured = append(measured, cols.target)
	}
	p.arrays, p.numbers = batch.Columns(), make([]numberAt, len(names))
	for _, j := range measured {
		if j < 0 {
			continue
		}
		if p.numbers[j], err = numbers(p.arrays[j]); err != nil {
			return cols, fmt.Errorf("column %q: %w", names[j], err)
		}
	}
	return cols, nil
}

// number implements cells.
func (p *parquetCells) number(column int) (float64, error) {
	v, exact := p.numbers[column](p.row)
	if !exact && !p.round {
		return 0, notExact(strconv.FormatFloat(v, 'f', -1, 64) + " or next to it")
	}
	return v, nil
}

// text implements cells.
func (p *parquetCells) text(column int) (string, error) {
	if a := p.arrays[column]; !a.IsNull(p.row) {
		return a.ValueStr(p.row), nil
	}
	return "", nil
}

// numberAt returns an element of a column, and false where it is an integer that float64 may not hold. A null is NaN.
type numberAt func(i int) (v float64, exact bool)

// exactNumbers reads numbers that float64 holds.
func exactNumbers[T int8 | int16 | int32 | uint8 | uint16 | uint32 | float32 | float64](value func(int) T) numberAt {
	return func(i int) (float64, bool) { return float64(value(i)), true }
}

// numbers returns the elements of a column of numbers.
func numbers(a arrow.Array) (numberAt, error) {
	var at numberAt
	switch a := a.(type) {
	case *array.Float64:
		at = exactNumbers(a.Value)
	case *array.Float32:
		at = exactNumbers(a.Value)
	case *array.Int64:
		const most = 1 << 53
		at = func(i int) (float64, bool) { v := a.Value(i); return float64(v), -most <= v && v <= most }
	case *array.Int32:
		at = exactNumbers(a.Value)
	case *array.Int16:
		at = exactNumbers(a.Value)
	case *array.Int8:
		at = exactNumbers(a.Value)
	case *array.Uint32:
		at = exactNumbers(a.Value)
	case *array.Uint16:
		at = exactNumbers(a.Value)
	case *array.Uint8:
		at = exactNumbers(a.Value)
	case *array.Boolean:
		at = func(i int) (float64, bool) {
			if a.Value(i) {
				return 1, true
			}
			return 0, true
		}
	default:
		return nil, fmt.Errorf("its type is %s, and no number: %w", a.DataType(), fault.ErrParam)
	}
	if a.NullN() == 0 {
		return at, nil
	}
	return func(i int) (float64, bool) {
		if a.IsNull(i) {
			return math.NaN(), true
		}
		return at(i)
	}, nil
}
