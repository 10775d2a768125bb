package kernelbeam

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// maxLine bounds what is kept of a file that has no line breaks.
const maxLine = 16 << 20

var (
	errOpenQuote = fmt.Errorf("a quote is not closed at the end of the line: set Data.CSV.WholeFiles for fields with line breaks: %w", fault.ErrParam)
	errLongLine  = fmt.Errorf("a line of more than %d bytes: %w", maxLine, fault.ErrTooLarge)
	errQuote     = errors.New("a quote within a field")
)

// csvFile is a file of which the line of names is read.
type csvFile struct {
	of    *opened
	in    *bufio.Reader
	names []string    // none in an empty file
	rows  int64       // where the first row begins
	whole *csv.Reader // where files are read as a whole, and from where, of the file
	base  int64
}

// openCSV opens a file and reads its names.
func openCSV(ctx context.Context, path string, r *reading) (*csvFile, error) {
	o, err := open(ctx, path, 0)
	if err != nil {
		return nil, err
	}
	f := &csvFile{of: o, in: bufio.NewReaderSize(o, 1<<18), names: r.Columns}
	if packed(f.in) {
		if !r.WholeFiles {
			o.Close()
			return nil, &DataError{File: path, Reason: errPacked.Error(), Err: errPacked}
		}
		if f.in, err = unpack(f.in); err != nil {
			o.Close()
			return nil, dataError(path, err)
		}
	}
	if r.WholeFiles {
		err := f.openWhole(path, r)
		if err != nil {
			o.Close()
		}
		return f, err
	}
	if r.Columns != nil {
		return f, nil
	}
	line, err := readLine(f.in, nil)
	if err != nil && err != io.EOF {
		o.Close()
		return nil, &DataError{File: path, Line: 1, Reason: err.Error(), Err: err}
	}
	f.rows = int64(len(line))
	fields, err := split(bytes.TrimPrefix(trimLine(line), []byte(byteOrderMark)), byte(r.Comma), nil)
	if err != nil {
		o.Close()
		return nil, &DataError{File: path, Line: 1, Reason: err.Error(), Err: fault.ErrShape}
	}
	for _, name := range fields {
		f.names = append(f.names, strings.TrimSpace(string(name)))
	}
	return f, nil
}

// openWhole reads the names where they may have line breaks.
func (f *csvFile) openWhole(path string, r *reading) error {
	if mark, err := f.in.Peek(3); err == nil && string(mark) == byteOrderMark {
		f.base = 3
		if _, err := f.in.Discard(3); err != nil {
			return err
		}
	}
	f.whole = csv.NewReader(f.in)
	f.whole.Comma, f.whole.FieldsPerRecord, f.whole.ReuseRecord = r.Comma, -1, true
	if r.Columns != nil {
		return nil
	}
	record, err := f.whole.Read()
	var parse *csv.ParseError
	switch {
	case err == io.EOF:
		return nil
	case errors.As(err, &parse):
		return &DataError{File: path, Line: int64(parse.Line), Reason: parse.Err.Error(), Err: fault.ErrShape}
	case err != nil:
		return dataError(path, err)
	}
	for _, name := range record {
		f.names = append(f.names, strings.TrimSpace(name))
	}
	return nil
}

// dataError is a DataError for a damaged file, and err for what a disk or a network has.
func dataError(path string, err error) error {
	if errors.Is(err, errDamaged) {
		return &DataError{File: path, Reason: err.Error(), Err: err}
	}
	return err
}

const byteOrderMark = "\xef\xbb\xbf"

func (f *csvFile) close() error { return f.of.Close() }

// readLine returns the next line with its break, appended to buf where it is longer than the reader's memory.
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

// trimLine takes the break off.
func trimLine(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
}

// split appends the fields of a line, which stay parts of it unless a quote has to be undone. An empty line has none.
func split(line []byte, comma byte, fields [][]byte) ([][]byte, error) {
	if len(line) == 0 {
		return fields, nil
	}
	for {
		if len(line) > 0 && line[0] == '"' {
			field, rest, err := quoted(line[1:])
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
		i := bytes.IndexByte(line, comma)
		if i < 0 {
			return append(fields, line), nil
		}
		fields = append(fields, line[:i])
		line = line[i+1:]
	}
}

// quoted returns what stands before the closing quote, and what after.
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

// csvRange hands the rows that begin in a range of a file to c. What is wrong with the data c hears of; errors are
// those of reading, and of the context.
func (r *reading) csvRange(ctx context.Context, path string, span span, c *collector) error {
	f, err := openCSV(ctx, path, r)
	if fatal := c.faulty(err); fatal != nil || err != nil {
		span.finish()
		return fatal
	}
	defer func() { f.close() }()
	if len(f.names) == 0 { // an empty file
		span.finish()
		return nil
	}
	cols, err := r.columnsOf(f.names)
	if err != nil {
		c.fault(0, err)
		span.finish()
		return nil
	}
	at := f.rows
	if r.WholeFiles {
		return r.csvWhole(ctx, f, cols, span, c)
	}
	if from := span.start(); from > at {
		if err := f.close(); err != nil {
			return err
		}
		if f.of, err = open(ctx, path, from-1); err != nil {
			return err
		}
		f.in.Reset(f.of)
		line, err := readLine(f.in, nil) // the row that begins before
		if err != nil && err != io.EOF {
			return c.stop(from, err, span)
		}
		at = from - 1 + int64(len(line))
	}
	return r.csvLines(ctx, f, at, cols, span, c)
}

// csvLines hands over the rows from an offset on.
func (r *reading) csvLines(ctx context.Context, f *csvFile, at int64, cols columns, span span, c *collector) error {
	var fields [][]byte
	var long []byte
	for span.claim(at) {
		line, err := readLine(f.in, long)
		if err != nil && err != io.EOF {
			return c.stop(at, err, span)
		}
		if len(line) == 0 {
			span.finish() // the file has become shorter
			return nil
		}
		fields, err = split(trimLine(line), byte(r.Comma), fields[:0])
		if err == errOpenQuote {
			return c.stop(at, err, span)
		}
		if len(fields) > 0 || err != nil {
			if err := c.csvRow(ctx, cols, fields, err, at, line); err != nil {
				return err
			}
		}
		if c.over() {
			span.finish()
			return nil
		}
		at += int64(len(line))
	}
	return nil
}

// csvWhole hands over all rows of a file whose fields may have line breaks.
func (r *reading) csvWhole(ctx context.Context, f *csvFile, cols columns, span span, c *collector) error {
	var fields [][]byte
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
		if err != nil && !errors.As(err, &parse) {
			return err
		}
		fields = fields[:0]
		for _, s := range record {
			fields = append(fields, []byte(s))
		}
		if parse != nil {
			err = parse.Err
		}
		if err := c.csvRow(ctx, cols, fields, err, at, []byte(strings.Join(record, string(r.Comma)))); err != nil {
			return err
		}
		if c.over() {
			break
		}
	}
	span.finish()
	return nil
}

// csvRow takes in a row, or says what is wrong with it.
func (c *collector) csvRow(ctx context.Context, cols columns, fields [][]byte, wrong error, at int64, line []byte) error {
	switch {
	case wrong != nil:
	case len(fields) != cols.count:
		wrong = fmt.Errorf("%d fields in place of %d", len(fields), cols.count)
	default:
		wrong = c.rows.parse(c.read, cols, fields)
	}
	id := ""
	if cols.id >= 0 && cols.id < len(fields) {
		id = string(fields[cols.id])
	}
	if wrong != nil {
		c.badRow(at, id, wrong.Error(), string(trimLine(line)))
		return nil
	}
	return c.took(ctx, at, id)
}
