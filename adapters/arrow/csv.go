package arrow

import (
	"bufio"
	"context"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/csv"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// defaultMissing lists the cells that are gaps: "", "?", "NA" and "NaN", as golearn.ReadCSV has them.
func defaultMissing() []string { return []string{"", "?", "NA", "NaN"} }

// CSVOptions says how to read a CSV file. The zero value is a header line, commas, and types that the cells tell: a column is
// of integers, of numbers or of timestamps (2006-01-02 or RFC 3339) if all its cells but gaps are, and of text otherwise. Learn
// finds that in a pass over the file; a Table takes the types of its schema. A file that gzip has compressed, of whatever name, is read
// as what it was.
type CSVOptions struct {
	// NoHeader says that the first line is data. The columns are then called "0", "1" and so on.
	NoHeader bool
	// Comma stands between cells; 0 is ',', and a tab for a name that ends in .tsv.
	Comma rune
	// Missing lists the cells that stand for a gap, without the white space around them; nil is "", "?", "NA" and "NaN".
	Missing []string
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
	if o.Missing == nil {
		o.Missing = defaultMissing()
	}
	return o
}

// csvSource reads the cells as texts, by arrow-go, and makes columns of them. Arrow-go's own conversion does not say in which
// row a cell is wrong, and tells types by the first row alone.
type csvSource struct {
	file    Input
	in      io.ReadSeeker // of its text
	opt     CSVOptions
	want    *request
	texts   *arrow.Schema // a text for each column of the file
	of      *arrow.Schema
	columns []int
	chosen  *arrow.Schema
	rows    *csv.Reader
	first   int // rows before the current batch
	cur     arrow.RecordBatch
}

func openCSV(ctx context.Context, in Input, opt CSVOptions, want *request) (source, error) {
	c := &csvSource{file: in, in: in, opt: opt, want: want}
	if packed(in) {
		c.in = &unpacked{in: in}
	}
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	fields := make([]arrow.Field, len(names))
	for j, n := range names {
		fields[j] = arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	c.texts = arrow.NewSchema(fields, nil)
	types := make([]arrow.DataType, len(names))
	if want.infer {
		if types, err = c.infer(ctx); err != nil {
			return nil, err
		}
	}
	fields = slices.Clone(fields)
	for j, n := range names {
		if known, ok := want.types[n]; ok {
			types[j] = known
		}
		if types[j] != nil {
			fields[j].Type = types[j]
		}
	}
	c.of = arrow.NewSchema(fields, nil)
	return c, nil
}

// names reads the first line, which has to be there to know the columns.
func (c *csvSource) names() ([]string, error) {
	r := stdcsv.NewReader(bufio.NewReader(c.in))
	r.Comma = c.opt.Comma
	names, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fault.Shape("the file has", 0, "lines", "want a header or rows")
	}
	if err != nil {
		return nil, err
	}
	for j := range names {
		names[j] = strings.TrimSpace(names[j])
		if c.opt.NoHeader {
			names[j] = strconv.Itoa(j)
		}
	}
	names[0] = strings.TrimPrefix(names[0], "\ufeff") // written by spreadsheets
	return names, nil
}

// open goes to the first row.
func (c *csvSource) open() error {
	if _, err := c.in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if c.rows != nil {
		c.rows.Release()
	}
	// A chunk of 1 has another meaning to arrow-go, which then gives no error where a row has too many cells.
	c.rows = csv.NewReader(bufio.NewReaderSize(c.in, 1<<16), c.texts, csv.WithHeader(!c.opt.NoHeader), csv.WithComma(c.opt.Comma),
		csv.WithChunk(max(c.want.rows, 2)), csv.WithAllocator(c.want.mem))
	return nil
}

// texts of the next rows; io.EOF at the end. Rows before an error are not given.
func (c *csvSource) nextTexts() (arrow.RecordBatch, error) {
	if !c.rows.Next() {
		if err := c.rows.Err(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	if err := c.rows.Err(); err != nil {
		return nil, err
	}
	return c.rows.RecordBatch(), nil
}

// missing reports whether a cell stands for a gap, and returns it without white space.
func (c *csvSource) cell(column arrow.Array, i int) (text string, missing bool) {
	text = strings.TrimSpace(column.(*array.String).Value(i))
	return text, slices.Contains(c.opt.Missing, text)
}

// infer finds the types of all columns.
func (c *csvSource) infer(ctx context.Context) ([]arrow.DataType, error) {
	if err := c.open(); err != nil {
		return nil, err
	}
	defer func() {
		c.rows.Release()
		c.rows = nil
	}()
	may := make([][]cellType, c.texts.NumFields())
	for j, f := range c.texts.Fields() {
		may[j] = cellTypes
		switch texts := cellTypes[len(cellTypes)-1]; {
		case c.want.texts[f.Name]:
			may[j] = []cellType{texts}
		case f.Name == c.want.label:
			may[j] = []cellType{cellTypes[0], texts}
		}
	}
	seen := make([]bool, len(may))
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch, err := c.nextTexts()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for j := range may {
			for i := range int(batch.NumRows()) {
				text, missing := c.cell(batch.Column(j), i)
				if missing {
					continue
				}
				seen[j] = true
				for !may[j][0].fits(text) {
					may[j] = may[j][1:]
				}
			}
		}
	}
	out := make([]arrow.DataType, len(may))
	for j := range may {
		if out[j] = may[j][0].typ; !seen[j] {
			out[j] = arrow.Null
		}
	}
	return out, nil
}

func (c *csvSource) schema() *arrow.Schema { return c.of }

func (c *csvSource) start(_ context.Context, columns []int) error {
	c.columns, c.chosen = columns, choose(c.of, columns)
	return c.open()
}

func (c *csvSource) next() (arrow.RecordBatch, error) {
	c.release()
	texts, err := c.nextTexts()
	if err != nil {
		return nil, err
	}
	b := array.NewRecordBuilder(c.want.mem, c.chosen)
	defer b.Release()
	for k, j := range c.columns {
		add := cellTypeOf(c.chosen.Field(k).Type).add
		for i := range int(texts.NumRows()) {
			text, missing := c.cell(texts.Column(j), i)
			if missing {
				b.Field(k).AppendNull()
			} else if !add(b.Field(k), text) {
				return nil, errNamed{c.misfit(k, i, text)}
			}
		}
	}
	c.first += int(texts.NumRows())
	c.cur = b.NewRecordBatch()
	return c.cur, nil
}

func (c *csvSource) misfit(k, i int, text string) error {
	f := c.chosen.Field(k)
	return fault.Param(c.want.name, fmt.Sprintf("column %q, row %d", f.Name, c.first+i), strconv.Quote(text), "a cell of type "+f.Type.String())
}

func (c *csvSource) release() {
	if c.cur != nil {
		c.cur.Release()
		c.cur = nil
	}
}

func (c *csvSource) close() {
	defer closeInput(c.file)
	c.release()
	if c.rows != nil {
		c.rows.Release()
	}
}
