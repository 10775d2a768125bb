package arrow

import (
	"context"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/kernelearn/kernelearn/adapters/arrow/internal/cells"
	"github.com/kernelearn/kernelearn/adapters/table"
)

// Source returns a table.Source that reads the rows of shards, one shard after the other. Its Learn returns their schema, its Table
// reads them into memory, and table.Blocks passes them to FitBlocks. Each pass opens the shards again. Only the required columns of
// a file are read, and only a few Parquet pages at a time. CSV files are read like those of [table.File].
//
// Errors name the file, the column and the row, counted from 1.
func Source(shards ...Shard) table.Source {
	parts := make([]table.Source, len(shards))
	for i, s := range shards {
		parts[i] = s.source()
	}
	return table.Join(parts...)
}

// source returns a table.Source of the rows of one shard.
func (s Shard) source() table.Source {
	if f, err := s.format(); err == nil && f == CSV && s.Batches == nil {
		return table.Source{Name: s.Name, Open: func() (io.ReadCloser, error) {
			in, err := s.input(context.Background())
			return csvFile{in}, err
		}}
	}
	return table.Source{Name: s.Name, Read: func(ctx context.Context) (table.Reader, error) {
		in, err := s.open(ctx, table.Format{})
		if err != nil {
			return nil, err
		}
		return &reader{in: in}, nil
	}}
}

// csvFile adds a Close method to the Input of a CSV file.
type csvFile struct{ Input }

// Close implements io.Closer.
func (f csvFile) Close() error {
	closeInput(f.Input)
	return nil
}

// reader implements table.Reader.
type reader struct {
	in      *reading
	only    func(name string) bool    // columns to convert to cells; nil: all
	all     bool                      // read the other columns too, for taken
	taken   func(b arrow.RecordBatch) // called with the rows of each Next, if not nil
	columns []int                     // columns to read; nil before the first Next
	from    int                       // the next row of the batch
	numbers []float64
}

// Columns implements table.Reader.
func (r *reader) Columns() []table.Column {
	fields := r.in.schema().Fields()
	out := make([]table.Column, len(fields))
	for j, f := range fields {
		if out[j] = declared(f); r.only != nil && !r.only(f.Name) {
			out[j] = table.Column{Name: f.Name, Role: table.LeftOut, Note: "no feature"}
		}
	}
	return out
}

// declared returns the column with the kind that the type of f determines. A column of another type is left out, with a note.
func declared(f arrow.Field) table.Column {
	out := table.Column{Name: f.Name}
	t := storage(f.Type)
	switch t.ID() {
	case arrow.NULL, arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256,
		arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP: // the kind depends on the cells
		return out
	case arrow.TIME32, arrow.TIME64, arrow.DURATION:
		out.Kind = table.Duration
		return out
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		out.Kind = table.Text
		return out
	case arrow.DICTIONARY:
		if v := t.(*arrow.DictionaryType).ValueType; v.ID() != arrow.DICTIONARY && cells.Countable(v) {
			out.Kind = table.Category
			return out
		}
	}
	out.Role, out.Note = table.LeftOut, "of the Arrow type "+f.Type.String()
	return out
}

// storage returns the type in which the values of an extension type are stored, and all other types unchanged.
func storage(t arrow.DataType) arrow.DataType {
	if e, ok := t.(arrow.ExtensionType); ok {
		return storage(e.StorageType())
	}
	return t
}

// Next implements table.Reader.
func (r *reader) Next(ctx context.Context, to []*table.Cells, most int) (int, error) {
	if r.columns == nil {
		r.columns = []int{}
		for j, c := range to {
			if c != nil || r.all {
				r.columns = append(r.columns, j)
			}
		}
		if err := r.in.start(ctx, r.columns); err != nil {
			return 0, err
		}
	}
	for r.in.batch == nil || r.from == int(r.in.batch.NumRows()) {
		some, err := r.in.next(ctx)
		if err != nil {
			return 0, err
		}
		if r.from = 0; !some {
			return 0, io.EOF
		}
	}
	n := min(most, int(r.in.batch.NumRows())-r.from)
	err := guarded(r.in.name, r.in.rowPlace(), func() error {
		rows := r.in.batch.NewSlice(int64(r.from), int64(r.from+n))
		defer rows.Release()
		for k, j := range r.columns {
			if to[j] == nil {
				continue
			}
			if err := r.append(to[j], rows.Column(k)); err != nil {
				return err
			}
		}
		if r.taken != nil {
			r.taken(rows)
		}
		return nil
	})
	r.from += n
	return n, err
}

// Close implements io.Closer.
func (r *reader) Close() error {
	r.in.close()
	return nil
}

// append appends the cells of an array to a column.
func (r *reader) append(to *table.Cells, a arrow.Array) error {
	for {
		e, ok := a.(array.ExtensionArray)
		if !ok {
			break
		}
		a = e.Storage()
	}
	switch of := a.(type) {
	case *array.Float64:
		if of.NullN() == 0 {
			to.AppendNumbers(of.Float64Values())
			return nil
		}
	case *array.Boolean:
		return appendEach(to, a, func(i int) any { return of.Value(i) })
	case *array.Dictionary:
		return appendDictionary(to, of)
	}
	if _, isText := a.(interface{ Value(int) string }); isText {
		text, err := cells.Texts(a)
		if err != nil {
			return err
		}
		return appendEach(to, a, func(i int) any { return text(i) })
	}
	return r.appendNumbers(to, a)
}

// appendNumbers appends numbers, times and durations.
func (r *reader) appendNumbers(to *table.Cells, a arrow.Array) error {
	number, err := cells.Numbers(a)
	if err != nil {
		return err
	}
	r.numbers = r.numbers[:0]
	for i := range a.Len() {
		v, exact := math.NaN(), true
		if !a.IsNull(i) {
			v, exact = number(i)
		}
		if !exact {
			return appendIntegers(to, a)
		}
		r.numbers = append(r.numbers, v)
	}
	switch a.DataType().ID() {
	case arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		to.AppendTimes(r.numbers)
	default:
		to.AppendNumbers(r.numbers)
	}
	return nil
}

// appendIntegers appends 64-bit integers, some of which float64 may not represent.
func appendIntegers(to *table.Cells, a arrow.Array) error {
	switch of := a.(type) {
	case *array.Int64:
		return appendEach(to, a, func(i int) any { return of.Value(i) })
	default:
		return appendEach(to, a, func(i int) any { return a.(*array.Uint64).Value(i) })
	}
}

// appendDictionary appends the values of a dictionary array as texts.
func appendDictionary(to *table.Cells, a *array.Dictionary) error {
	values := a.Dictionary()
	if values.DataType().ID() == arrow.NULL {
		return appendEach(to, a, func(int) any { return nil })
	}
	text, err := cells.Texts(values)
	if err != nil {
		return err
	}
	return appendEach(to, a, func(i int) any {
		if k := a.GetValueIndex(i); !values.IsNull(k) {
			return text(k)
		}
		return nil
	})
}

// appendEach appends value(i) for each row i of an array, and a gap where the array is null.
func appendEach(to *table.Cells, a arrow.Array, value func(i int) any) error {
	for i := range a.Len() {
		var v any
		if !a.IsNull(i) {
			v = value(i)
		}
		if err := to.Append(v); err != nil {
			return errNamed{err}
		}
	}
	return nil
}
