package arrow

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// csvSource reads the cells of a CSV file as texts, which package table parses.
type csvSource struct {
	projection
	file Input
	want *request
	rows *celltext.Records
}

func openCSV(in Input, want *request) (source, error) {
	f := want.format
	parser, err := celltext.Rules{Missing: f.Missing, Decimal: f.Decimal, Thousands: f.Thousands, Percent: f.Percent, Latin1: f.Latin1}.
		Parser(want.name + ": Format")
	if err != nil {
		return nil, errNamed{err}
	}
	text, err := celltext.Unpacked(want.name, in)
	if err != nil {
		return nil, err
	}
	layout := celltext.Layout{Comma: celltext.Comma(f.Comma, want.name), NoHeader: f.NoHeader}
	c := &csvSource{file: in, want: want}
	if c.rows, err = celltext.Open(want.name, text, parser, layout); err != nil {
		return nil, errNamed{err}
	}
	var fields []arrow.Field
	for _, name := range c.rows.Names() {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true})
	}
	if fields == nil {
		return nil, fault.Shape("the file has", 0, "lines", "want a header or rows")
	}
	c.of = arrow.NewSchema(fields, nil)
	return c, nil
}

func (c *csvSource) next() (arrow.RecordBatch, error) {
	c.release()
	b := array.NewRecordBuilder(c.want.mem, c.chosen)
	defer b.Release()
	n := 0
	for ; n < c.want.rows; n++ {
		cells, err := c.rows.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, errNamed{err}
		}
		for k, j := range c.columns {
			b.Field(k).(*array.StringBuilder).Append(cells[j])
		}
	}
	if n == 0 {
		return nil, io.EOF
	}
	c.cur = b.NewRecordBatch()
	return c.cur, nil
}

func (c *csvSource) close() {
	defer closeInput(c.file)
	c.release()
}
