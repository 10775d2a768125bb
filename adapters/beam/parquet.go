package kernelbeam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// parquetFile is an open Parquet file.
type parquetFile struct {
	of *opened
	in *file.Reader
}

// openParquet opens a file. One that is no Parquet is a DataError. Where the file system has no random access, the
// whole file is read.
func openParquet(ctx context.Context, path string) (f *parquetFile, err error) {
	o, err := open(ctx, path, 0)
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
	source, ok := o.of.(parquet.ReaderAtSeeker)
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

func damaged(path string, why any) *DataError {
	return &DataError{File: path, Reason: fmt.Sprintf("damaged, or no Parquet file: %v", why), Err: fault.ErrBadModel}
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
func (r *reading) parquetRange(ctx context.Context, path string, span span, c *collector) (err error) {
	f, err := openParquet(ctx, path)
	if fatal := c.faulty(err); fatal != nil || err != nil {
		span.finish()
		return fatal
	}
	defer f.close()
	defer func() {
		if p := recover(); p != nil { // the reader panics at some files
			c.fault(-1, damaged(path, p))
			span.finish()
			err = nil
		}
	}()
	cols, err := r.columnsOf(f.names())
	if err != nil {
		c.fault(-1, err)
		span.finish()
		return nil
	}
	from, first := span.start(), int64(0)
	for g := range f.in.NumRowGroups() {
		meta := f.in.MetaData().RowGroup(g)
		if begin := groupBegin(meta.FileOffset(), f.in, g); begin >= from {
			if !span.claim(begin) {
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
	span.finish()
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
func (r *reading) parquetGroup(ctx context.Context, f *parquetFile, g int, cols columns, first int64, c *collector) error {
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
func (r *reading) parquetBatch(ctx context.Context, batch arrow.RecordBatch, first int64, c *collector) (int64, error) {
	byName := map[string]arrow.Array{}
	for i := range batch.NumCols() {
		byName[batch.ColumnName(int(i))] = batch.Column(int(i))
	}
	features := make([]numberAt, len(r.Features))
	var target, weight numberAt
	read := map[string]*numberAt{}
	for i, name := range r.Features {
		read[name] = &features[i]
	}
	if r.Target != "" && !r.Labelled {
		read[r.Target] = &target
	}
	if r.Weight != "" {
		read[r.Weight] = &weight
	}
	for name, to := range read {
		var err error
		if *to, err = numbers(byName[name]); err != nil {
			c.fault(-1, fmt.Errorf("column %q: %w", name, err))
			return 0, nil
		}
	}
	id := func(i int) string {
		if r.ID == "" || byName[r.ID].IsNull(i) {
			return ""
		}
		return byName[r.ID].ValueStr(i)
	}
	one := block{width: len(features), places: []place{{}}, hashes: []uint64{0}}
	for i := range int(batch.NumRows()) {
		one.x, one.y, one.labels, one.weights = one.x[:0], one.y[:0], one.labels[:0], one.weights[:0]
		err := r.parquetRow(&one, features, target, weight, byName[r.Target], i)
		if err == nil && !utf8.ValidString(id(i)) {
			err = fmt.Errorf("column %q: %q is not UTF-8", r.ID, id(i))
		}
		if err != nil {
			c.badRow(first+int64(i), id(i), err.Error(), "")
		} else {
			c.rows.append(&one, 0)
			c.rows.places, c.rows.hashes = c.rows.places[:c.rows.rows()-1], c.rows.hashes[:len(c.rows.hashes)-1]
			if err := c.took(ctx, first+int64(i), id(i)); err != nil {
				return 0, err
			}
		}
		if c.done() {
			return 0, nil
		}
	}
	return batch.NumRows(), nil
}

// parquetRow reads row i into an empty block.
func (r *reading) parquetRow(one *block, features []numberAt, target, weight numberAt, labels arrow.Array, i int) error {
	for j, f := range features {
		v, err := r.exactNumber(f, i)
		if err == nil {
			err = r.feature(v)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", r.Features[j], err)
		}
		one.x = append(one.x, v)
	}
	switch {
	case target != nil:
		y, err := r.exactNumber(target, i)
		if err == nil {
			err = one.real(y)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", r.Target, err)
		}
	case r.Target != "":
		text := ""
		if !labels.IsNull(i) {
			text = labels.ValueStr(i)
		}
		label, err := r.label(text)
		if err != nil {
			return fmt.Errorf("column %q: %w", r.Target, err)
		}
		one.labels = append(one.labels, label)
	}
	if weight != nil {
		w, err := r.exactNumber(weight, i)
		if err == nil {
			err = one.weight(w)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", r.Weight, err)
		}
	}
	return nil
}

// numberAt returns an element of a column, and false where it is an integer that float64 may not hold. A null is NaN.
type numberAt func(i int) (v float64, exact bool)

// exactNumber returns an element, or the error of an integer.
func (r *reading) exactNumber(at numberAt, i int) (float64, error) {
	v, exact := at(i)
	if !exact && !r.Round {
		return 0, notExact(strconv.FormatFloat(v, 'f', -1, 64) + " or next to it")
	}
	return v, nil
}

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
	case nil:
		return nil, fmt.Errorf("there is none: %w", fault.ErrShape)
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
