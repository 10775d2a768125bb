package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// CSVOptions says how to read a CSV file. The zero value is UTF-8 with a header line, commas, and types that the cells tell: a column is
// of integers, of numbers or of timestamps (2006-01-02 or RFC 3339) if all its cells but gaps are, and of text otherwise. Learn
// finds that in a pass over the file; a Table takes the types of its schema. A file that gzip has compressed, of whatever name, is read
// as what it was.
//
// Learn returns an estimators.MixedColumnError, which has the words and their lines, for a column that is nearly all numbers, or times,
// four of five at least, and has other words, unless the column is Categorical or the Label.
type CSVOptions struct {
	// NoHeader says that the first line is data. The columns are then called "0", "1" and so on.
	NoHeader bool
	// Comma stands between cells; 0 is ',', and a tab for a name that ends in .tsv.
	Comma rune
	// Missing lists the cells that stand for a gap, without the white space around them; nil is "", NA, N/A, n/a, NaN, nan, NULL,
	// null, None, ?, -, ., \N and #N/A.
	Missing []string
	// WordsAsGaps makes gaps of the words of a column of numbers, or times, in place of an error.
	WordsAsGaps bool
	// Decimal is the decimal mark of numbers; 0 is '.'.
	Decimal rune
	// Thousands stands between groups of three digits; 0: nothing does.
	Thousands rune
	// Percent makes 0.1 of 10%.
	Percent bool
	// Latin1 says that the file is Latin-1 as Windows writes it, code page 1252, and not UTF-8.
	Latin1 bool
}

func (s Shard) csvOptions() CSVOptions {
	var o CSVOptions
	if s.CSV != nil {
		o = *s.CSV
	}
	if o.Comma == 0 {
		o.Comma = ','
		if ending(s.Name) == ".tsv" {
			o.Comma = '\t'
		}
	}
	return o
}

// csvSource reads the texts of cells, and makes columns of them.
type csvSource struct {
	projection
	file   Input
	in     io.ReadSeeker // of its text
	opt    CSVOptions
	parser *celltext.Parser
	want   *request
	names  []string
	mixed  map[string]error // by columns that Learn is not to take
	rows   *celltext.Records
	first  int // rows before the current batch
}

func openCSV(ctx context.Context, in Input, opt CSVOptions, want *request) (source, error) {
	c := &csvSource{file: in, in: in, opt: opt, want: want, mixed: map[string]error{}}
	if packed(in) {
		c.in = &unpacked{in: in}
	}
	var err error
	rules := celltext.Rules{Missing: opt.Missing, Decimal: opt.Decimal, Thousands: opt.Thousands, Percent: opt.Percent, Latin1: opt.Latin1}
	if c.parser, err = rules.Parser(want.name + ": CSVOptions"); err != nil {
		return nil, errNamed{err}
	}
	if err := c.open(); err != nil {
		return nil, err
	}
	if c.names = c.rows.Names(); len(c.names) == 0 {
		return nil, fault.Shape("the file has", 0, "lines", "want a header or rows")
	}
	types := make([]arrow.DataType, len(c.names))
	if want.infer {
		if types, err = c.infer(ctx); err != nil {
			return nil, err
		}
	}
	fields := make([]arrow.Field, len(c.names))
	for j, n := range c.names {
		if known, ok := want.types[n]; ok {
			types[j] = known
		}
		if types[j] == nil {
			types[j] = arrow.BinaryTypes.String
		}
		fields[j] = arrow.Field{Name: n, Type: types[j], Nullable: true}
	}
	c.of = arrow.NewSchema(fields, nil)
	return c, nil
}

// open goes to the first row.
func (c *csvSource) open() (err error) {
	if _, err = c.in.Seek(0, io.SeekStart); err == nil {
		c.rows, err = celltext.Open(c.want.name, c.in, c.parser, celltext.Layout{Comma: c.opt.Comma, NoHeader: c.opt.NoHeader})
	}
	return unreadableCSV(err)
}

// nextRow returns the cells of the next row; io.EOF at the end.
func (c *csvSource) nextRow() ([]string, error) {
	cells, err := c.rows.Next()
	if err == io.EOF {
		return nil, err
	}
	return cells, unreadableCSV(err)
}

// unreadable is an error of a file that cannot be read, which names the file.
type unreadable struct{ error }

func (u unreadable) Unwrap() []error { return []error{ErrUnreadable, u.error} }

// unreadableCSV marks the errors of a file's text.
func unreadableCSV(err error) error {
	var path *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path), ofOurs(err):
		return errNamed{err}
	}
	return errNamed{unreadable{err}}
}

// infer finds the types of all columns.
func (c *csvSource) infer(ctx context.Context) ([]arrow.DataType, error) {
	cells := make([]celltext.Column, len(c.names))
	for row := 0; ; row++ {
		if row%defaultBlockRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		texts, err := c.nextRow()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for j, text := range texts {
			cells[j].Add(c.parser.Parse(text), text, c.rows.Line())
		}
	}
	types := make([]arrow.DataType, len(c.names))
	for j, name := range c.names {
		types[j] = c.typeOf(name, &cells[j])
	}
	return types, nil
}

// typeOf returns the type that a column's cells tell.
func (c *csvSource) typeOf(name string, cells *celltext.Column) arrow.DataType {
	text := arrow.BinaryTypes.String
	typ, mixed := cells.Type()
	switch {
	case typ == celltext.Empty:
		return arrow.Null
	case typ == celltext.Texts, c.want.texts[name]:
		return text
	case typ == celltext.Integers && cells.Int64():
		return arrow.PrimitiveTypes.Int64
	case name == c.want.label, c.want.pass && (mixed || cells.Numeric("", "", false, "") != nil): // as it is written
		return text
	case mixed && !c.opt.WordsAsGaps:
		c.mixed[name] = cells.Mixed(c.want.name, name, celltext.MixedHint)
	}
	if typ == celltext.Times {
		return csvType(Time)
	}
	return arrow.PrimitiveTypes.Float64
}

func (c *csvSource) start(ctx context.Context, columns []int) error {
	_ = c.projection.start(ctx, columns) // never fails
	return c.open()
}

func (c *csvSource) next() (arrow.RecordBatch, error) {
	c.release()
	b := array.NewRecordBuilder(c.want.mem, c.chosen)
	defer b.Release()
	n := 0
	for ; n < c.want.rows; n++ {
		cells, err := c.nextRow()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for k, j := range c.columns {
			if err := c.add(b.Field(k), cells[j]); err != nil {
				return nil, c.misfit(k, c.first+n, err)
			}
		}
	}
	if n == 0 {
		return nil, io.EOF
	}
	c.first += n
	if len(c.columns) == 0 { // which a builder cannot count the rows of
		c.cur = array.NewRecordBatch(c.chosen, nil, int64(n))
	} else {
		c.cur = b.NewRecordBatch()
	}
	return c.cur, nil
}

// add appends a cell to a column. Errors have no place yet.
func (c *csvSource) add(to array.Builder, text string) error {
	cell := c.parser.Parse(text)
	if cell.Kind == celltext.Gap {
		to.AppendNull()
		return nil
	}
	switch to := to.(type) {
	case *array.StringBuilder:
		to.Append(text)
		return nil
	case *array.Int64Builder:
		if v, err := strconv.ParseInt(c.parser.Digits(text), 10, 64); cell.Kind == celltext.Integer && err == nil {
			to.Append(v)
			return nil
		}
	case *array.Float64Builder:
		switch {
		case cell.Measured() && cell.Value-cell.Value != 0:
			return celltext.TooLarge(text)
		case cell.Rounded && !c.want.round:
			return &cellError{text, "an integer that float64 holds to the last digit, or RoundIntegers"}
		case cell.Measured():
			to.Append(cell.Value)
			return nil
		}
	case *array.TimestampBuilder:
		if t, ok := celltext.ParseTime(text); ok {
			to.Append(arrow.Timestamp(t.UnixMicro()))
			return nil
		}
	}
	if c.opt.WordsAsGaps {
		to.AppendNull()
		return nil
	}
	return &cellError{strconv.Quote(text), "a cell of type " + to.Type().String()}
}

// misfit names the place of a cell's error.
func (c *csvSource) misfit(k, row int, err error) error {
	place := fmt.Sprintf("column %q, row %d", c.chosen.Field(k).Name, row)
	var cell *cellError
	if errors.As(err, &cell) {
		return errNamed{fault.Param(c.want.name, place, cell.value, cell.want)}
	}
	return errNamed{fmt.Errorf("%s: %s: %w", c.want.name, place, err)}
}

func (c *csvSource) close() {
	defer closeInput(c.file)
	c.release()
}
