package rowblocks

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unsafe"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// maxLine is the largest number of bytes of a line that are kept. It limits the memory for a file without line breaks.
const maxLine = 16 << 20

var (
	errOpenQuote = fmt.Errorf("a quote is not closed at the end of the line: set Data.WholeFiles for fields with line breaks: %w",
		fault.ErrParam)
	errLongLine = fmt.Errorf("a line of more than %d bytes: %w", maxLine, fault.ErrTooLarge)
	errReturns  = fmt.Errorf("lines end with carriage returns alone: set Data.WholeFiles, or convert the file: %w", fault.ErrParam)
	errQuote    = errors.New("a quote within a field")
)

// csvFile is an open file whose header has been read.
type csvFile struct {
	of      *beamfiles.File
	in      *bufio.Reader
	comma   byte
	names   []string // nil for an empty file
	dropped int      // number of columns at the end without a name
	parser  *celltext.Parser
	rows    int64       // offset of the first row
	whole   *csv.Reader // the reader with WholeFiles, which begins at offset base of the file
	base    int64
}

// openCSV opens a file and reads its header.
func openCSV(ctx context.Context, path string, r *Layout) (*csvFile, error) {
	o, err := beamfiles.Open(ctx, path, 0)
	if err != nil {
		return nil, err
	}
	f := &csvFile{of: o, in: bufio.NewReaderSize(o, 1<<18), comma: byte(celltext.Comma(r.Format.Comma, path))}
	if err := f.begin(path, r); err != nil {
		o.Close()
		return nil, err
	}
	return f, nil
}

// begin checks the first bytes of the file and reads its header.
func (f *csvFile) begin(path string, r *Layout) (err error) {
	if packed(f.in) {
		if !r.WholeFiles {
			return newFinding(path, -1, errPacked.Error(), errPacked)
		}
		if f.in, err = unpack(f.in); err != nil {
			return fileError(path, err)
		}
	}
	if f.parser, err = r.parser(); err != nil {
		return err
	}
	mark, err := celltext.SkipMark(path, f.in)
	if err != nil {
		return fileError(path, err)
	}
	if f.base, f.rows = int64(mark), int64(mark); !r.WholeFiles && celltext.ReturnsAlone(f.in) {
		return newFinding(path, 0, errReturns.Error(), errReturns)
	}
	if r.WholeFiles {
		f.whole = csv.NewReader(celltext.NewLines(path, f.in, celltext.Layout{Comma: rune(f.comma), NoHeader: r.Format.NoHeader}))
		f.whole.Comma, f.whole.FieldsPerRecord, f.whole.ReuseRecord = rune(f.comma), -1, true
		f.whole.TrimLeadingSpace = !unicode.IsSpace(rune(f.comma))
	}
	if r.Format.NoHeader {
		f.names = r.names()
		return nil
	}
	if f.names, err = f.header(path); err != nil {
		return err
	}
	for j, name := range f.names {
		var ok bool
		if f.names[j], ok = f.parser.Text(name); !ok {
			return newFinding(path, 0, fmt.Sprintf("column %d: %v", j+1, notUTF8(name)), fault.ErrParam)
		}
	}
	f.names, f.dropped = celltext.TrimNames(f.names)
	return nil
}

// header returns the unparsed fields of the first line.
func (f *csvFile) header(path string) ([]string, error) {
	if f.whole != nil {
		names, err := f.whole.Read()
		var parse *csv.ParseError
		switch {
		case err == io.EOF:
			return nil, nil
		case errors.As(err, &parse):
			wrong := newFinding(path, 0, parse.Err.Error(), fault.ErrShape)
			wrong.Line = int64(parse.Line)
			return nil, wrong
		case err != nil:
			return nil, fileError(path, err)
		}
		return slices.Clone(names), nil
	}
	line, err := readLine(f.in, nil)
	if err != nil && err != io.EOF {
		return nil, newFinding(path, 0, err.Error(), err)
	}
	f.rows += int64(len(line))
	if _, err := io.Copy(io.Discard,
		celltext.NewLines(path, bufio.NewReader(bytes.NewReader(line)), celltext.Layout{Comma: rune(f.comma)})); err != nil {
		return nil, fileError(path, err)
	}
	fields, err := split(trimLine(line), f.comma, nil, math.MaxInt)
	if err != nil {
		return nil, newFinding(path, 0, err.Error(), fault.ErrShape)
	}
	names := make([]string, len(fields))
	for j, name := range fields {
		names[j] = string(name)
	}
	return names, nil
}

// fileError returns a Finding if err concerns the contents of the file. It returns err if it concerns the disk or the network.
func fileError(path string, err error) error {
	if errors.Is(err, errDamaged) || errors.Is(err, fault.ErrParam) || errors.Is(err, fault.ErrShape) {
		return newFinding(path, -1, strings.TrimPrefix(err.Error(), path+": "), err)
	}
	return err
}

func (f *csvFile) close() error { return f.of.Close() }

// readLine returns the next line with its line break. A line longer than the reader's buffer is copied to buf.
func readLine(in *bufio.Reader, buf []byte) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	buf = append(buf[:0], line...)
	for err == bufio.ErrBufferFull {
		if len(buf) > maxLine {
			return nil, errLongLine
		}
		line, err = in.ReadSlice('\n')
		buf = append(buf, line...)
	}
	return buf, err
}

// trimLine returns a line without its line break.
func trimLine(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
}

// split appends the fields of a line to fields, and stops after most fields. A field shares the memory of the line, unless it is
// quoted. An empty line has no fields. Spaces before a quote are dropped, as in encoding/csv.
func split(line []byte, comma byte, fields [][]byte, most int) ([][]byte, error) {
	if len(line) == 0 {
		return fields, nil
	}
	spaces, quotes := " \t", bytes.IndexByte(line, '"') >= 0
	if comma == ' ' || comma == '\t' || !quotes {
		spaces = ""
	}
	for len(fields) < most {
		if start := bytes.TrimLeft(line, spaces); quotes && len(start) > 0 && start[0] == '"' {
			field, rest, err := quoted(start[1:])
			if err != nil {
				return fields, err
			}
			fields = append(fields, field)
			if len(rest) == 0 {
				return fields, nil
			}
			if rest[0] != comma {
				return fields, errQuote
			}
			line = rest[1:]
			continue
		}
		field, i := line, bytes.IndexByte(line, comma)
		if i >= 0 {
			field = line[:i]
		}
		if quotes && bytes.IndexByte(field, '"') >= 0 {
			return fields, errQuote
		}
		if fields = append(fields, field); i < 0 {
			return fields, nil
		}
		line = line[i+1:]
	}
	return fields, nil
}

// quoted returns the text before the closing quote, and the text after it.
func quoted(s []byte) (field, rest []byte, err error) {
	for from := 0; ; {
		i := bytes.IndexByte(s[from:], '"')
		if i < 0 {
			return nil, nil, errOpenQuote
		}
		i += from
		if i+1 == len(s) || s[i+1] != '"' {
			return bytes.ReplaceAll(s[:i], []byte(`""`), []byte(`"`)), s[i+1:], nil
		}
		from = i + 2
	}
}

// csvRange passes the rows that begin in a range of a file to c. Errors of the data become findings of c. csvRange returns the
// errors of reading and of the context.
func (r *Layout) csvRange(ctx context.Context, path string, span span, c *Collector) error {
	f, err := openCSV(ctx, path, r)
	if fatal := c.openFault(err); fatal != nil || err != nil {
		span.Finish()
		return fatal
	}
	defer func() { f.close() }()
	if len(f.names)+f.dropped == 0 { // an empty file
		span.Finish()
		return nil
	}
	cols, err := r.columnsOf(f.names)
	if err != nil {
		c.fault(0, err)
		span.Finish()
		return nil
	}
	cols.count += f.dropped
	at := f.rows
	if r.WholeFiles {
		return r.csvWhole(ctx, f, cols, span, c)
	}
	if from := span.Start(); from > at {
		if err := f.close(); err != nil {
			return err
		}
		if f.of, err = beamfiles.Open(ctx, path, from-1); err != nil {
			return err
		}
		f.in.Reset(f.of)
		line, err := readLine(f.in, nil) // skip the end of the row that begins before the range
		if err != nil && err != io.EOF {
			return c.stop(from, err, span)
		}
		at = from - 1 + int64(len(line))
	}
	return r.csvLines(ctx, f, at, cols, span, c)
}

// csvLines passes the rows from an offset to c.
func (r *Layout) csvLines(ctx context.Context, f *csvFile, at int64, cols columns, span span, c *Collector) error {
	in := &csvCells{parser: f.parser}
	var long []byte
	for span.Claim(at) {
		line, err := readLine(f.in, long)
		if err != nil && err != io.EOF {
			return c.stop(at, err, span)
		}
		if len(line) == 0 {
			span.Finish() // the file has been shortened during the pass
			return nil
		}
		in.fields, err = split(trimLine(line), f.comma, in.fields[:0], cols.count+mostSurplus)
		if err == errOpenQuote {
			return c.stop(at, err, span)
		}
		if len(in.fields) > 0 || err != nil {
			if err := c.csvRow(ctx, cols, in, err, at, line); err != nil {
				return err
			}
		}
		if c.done() {
			span.Finish()
			return nil
		}
		at += int64(len(line))
	}
	return nil
}

// csvWhole passes all rows of a file to c. Their fields may contain line breaks.
func (r *Layout) csvWhole(ctx context.Context, f *csvFile, cols columns, span span, c *Collector) error {
	in := &csvCells{parser: f.parser}
	for {
		at := f.base + f.whole.InputOffset()
		record, err := f.whole.Read()
		if err == io.EOF {
			break
		}
		var parse *csv.ParseError
		if errors.Is(err, errDamaged) {
			c.fault(at, err)
			break
		}
		if errors.Is(err, fault.ErrShape) {
			c.fault(-1, err) // err names the line
			break
		}
		if err != nil && !errors.As(err, &parse) {
			return err
		}
		in.fields = in.fields[:0]
		for _, s := range record {
			in.fields = append(in.fields, []byte(s))
		}
		if parse != nil {
			err = parse.Err
		}
		if err := c.csvRow(ctx, cols, in, err, at, []byte(strings.Join(record, string(f.comma)))); err != nil {
			return err
		}
		if c.done() {
			break
		}
	}
	span.Finish()
	return nil
}

// csvHead returns the first rows of a file. It leaves out rows whose number of fields differs from the number of columns.
func (r *Layout) csvHead(ctx context.Context, path string) (columns []table.Column, rows [][]any, err error) {
	f, err := openCSV(ctx, path, r)
	if err != nil {
		return nil, nil, err
	}
	defer f.close()
	names := f.names
	for {
		fields, err := f.fields()
		if err == io.EOF || err != nil && len(rows) > 0 { // a pass will report such an error with its place
			break
		}
		if err != nil {
			return nil, nil, fileError(path, err)
		}
		if names == nil && r.Format.NoHeader {
			for j := range fields {
				names = append(names, strconv.Itoa(j))
			}
		}
		row := make([]any, len(names))
		ok := len(fields) == len(names)+f.dropped
		for j := range row {
			if ok {
				row[j], ok = f.parser.Text(fields[j])
			}
		}
		if ok && len(row) > 0 {
			rows = append(rows, row)
		}
		if len(rows) == headRows(len(names)) {
			break
		}
	}
	for _, name := range names {
		columns = append(columns, table.Column{Name: name})
	}
	return columns, rows, nil
}

// fields returns the fields of the next row. It returns no fields for an empty row, and for a row that cannot be split.
func (f *csvFile) fields() (out []string, err error) {
	if f.whole != nil {
		record, err := f.whole.Read()
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			return nil, nil
		}
		return slices.Clone(record), err
	}
	line, err := readLine(f.in, nil)
	if len(line) == 0 && err != nil || err != nil && err != io.EOF {
		return nil, err
	}
	fields, err := split(trimLine(line), f.comma, nil, math.MaxInt)
	if err != nil {
		return nil, nil
	}
	for _, field := range fields {
		out = append(out, string(field))
	}
	return out, nil
}

// csvCells holds the fields of a row.
type csvCells struct {
	fields [][]byte
	parser *celltext.Parser
}

// number implements cells.
func (c *csvCells) number(e *table.Encoder, at place) (float64, error) {
	field := c.fields[at.file]
	return e.Text(at.schema, unsafe.String(unsafe.SliceData(field), len(field))) // safe, because only an error keeps the string, as a copy
}

// text implements cells.
func (c *csvCells) text(column int) (string, error) {
	text, ok := c.parser.Text(string(c.fields[column]))
	if !ok {
		return "", notUTF8(text)
	}
	return text, nil
}

// csvRow adds a row, or records why it is left out.
func (c *Collector) csvRow(ctx context.Context, cols columns, in *csvCells, wrong error, at int64, line []byte) error {
	if wrong == nil {
		wrong = cols.checkFields(in)
	}
	if wrong == nil {
		wrong = c.rows.parse(c.Layout, cols, in)
	}
	id := ""
	if cols.id >= 0 && cols.id < len(in.fields) {
		// An error is ignored here, because the ID of a bad row is only shown to users.
		id, _ = in.parser.Text(string(in.fields[cols.id]))
	}
	if wrong != nil {
		text, _ := in.parser.Text(string(trimLine(line)))
		c.leaveOut(at, id, wrong.Error(), text)
		return nil
	}
	return c.closeRow(ctx, at, id)
}

// notUTF8 returns the error of a text that is not UTF-8.
func notUTF8(text string) error {
	return fmt.Errorf("%q is not UTF-8: set Format.Latin1 for a file that is Latin-1", text)
}

// mostSurplus limits how many surplus fields of a line are counted for an error.
const mostSurplus = 1000

// checkFields returns an error if a row has another number of fields than the first line, text in a column without a name, or an
// invalid ID.
func (cols columns) checkFields(in *csvCells) error {
	fields := in.fields
	if len(fields) >= cols.count+mostSurplus {
		return fmt.Errorf("%d fields or more instead of %d", len(fields), cols.count)
	}
	if len(fields) != cols.count {
		return fmt.Errorf("%d fields instead of %d", len(fields), cols.count)
	}
	for j, field := range fields[cols.named:] {
		if len(bytes.TrimSpace(field)) > 0 {
			return fmt.Errorf("%q in column %d, which has no name", field, cols.named+j+1)
		}
	}
	if cols.id >= 0 {
		_, err := in.text(cols.id)
		return err
	}
	return nil
}
