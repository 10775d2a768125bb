package golearn

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// defaultMissing lists the cells that ReadCSV takes for gaps: "", "?", "NA", "NaN".
func defaultMissing() []string { return []string{"", "?", "NA", "NaN"} }

// defaultComma is what stands between the cells of a line.
const defaultComma = ','

// maxPrecision is the number of decimals beyond which a float64 has no more to say.
const maxPrecision = 17

// CSVOptions says how to read a CSV file. The zero value, like a nil pointer, is a
// header line, the last column as the class, and types guessed.
type CSVOptions struct {
	// NoHeader says that the first line is data. The columns are then called "0",
	// "1" and so on, as golearn does.
	NoHeader bool
	// Class names the column that is the class attribute; "" is the last one.
	Class string
	// NoClass says that no column is.
	NoClass bool
	// Categorical names columns to be categorical even if all their cells are
	// numbers: a class of 1, 2 and 3, a postcode.
	Categorical []string
	// Missing lists the cells that stand for a gap; nil is "", "?", "NA" and "NaN".
	Missing []string
	// Comma stands between cells; 0 is ','.
	Comma rune
}

// ReadCSV reads a file into a grid. White space around cells is dropped, but for a Comma that is
// white space itself. A column all of whose cells, but for gaps, are numbers becomes a float attribute,
// and any other a categorical one, its categories in the order in which they first occur.
// A gap is NaN in a float column and the category "?" in a categorical
// one: golearn's own parser makes it 0 or the first category. As golearn does,
// the grid lists the attributes of a type together.
//
// Errors name the file and the line: ErrShape for a line with more or fewer cells
// than the first, or for no data; ErrParam for a column name that comes twice or
// an option that names no column; ErrNotFinite for a number that is too large for a float64; those of the
// file system and of encoding/csv. While the file is read memory is about its size and 16 bytes a cell.
func ReadCSV(path string, opt *CSVOptions) (*base.DenseInstances, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("golearn: ReadCSV: %w", err)
	}
	defer f.Close()
	return ParseCSV(path, f, opt)
}

// ParseCSV is ReadCSV for a reader; the name, which may be a file's, stands in the
// errors.
func ParseCSV(name string, r io.Reader, opt *CSVOptions) (*base.DenseInstances, error) {
	t, err := parseTable(name, r, opt.withDefaults())
	if err != nil {
		return nil, err
	}
	return t.grid()
}

func parseTable(name string, r io.Reader, o CSVOptions) (*table, error) {
	reader := &records{name: name, csv: newReader(r, o.Comma)}
	first, err := reader.next()
	if err != nil {
		return nil, err
	}
	var header []string
	if first != nil {
		if header, err = columnNames(name, reader.line, first, o.NoHeader); err != nil {
			return nil, err
		}
		if err := o.among(name, header); err != nil {
			return nil, err
		}
	}
	missing := make(map[string]bool, len(o.Missing))
	for _, m := range o.Missing {
		missing[m] = true
	}
	columns := make([]*parsed, len(header))
	for j, n := range header {
		columns[j] = newParsed(n, slices.Contains(o.Categorical, n))
	}
	rows := 0
	cells := first
	if !o.NoHeader && first != nil {
		cells, err = reader.next()
	}
	for ; err == nil && cells != nil; cells, err = reader.next() {
		if len(cells) != len(header) {
			return nil, fault.Shape(fmt.Sprintf("%s:%d: the line has", name, reader.line), len(cells), "cells", "the first one has %d", len(header))
		}
		for j, c := range cells {
			columns[j].add(c, missing[c], reader.line)
		}
		rows++
	}
	switch {
	case err != nil:
		return nil, err
	case rows == 0:
		return nil, fault.Shape(fmt.Sprintf("%s:%d: the file ends with", name, max(1, reader.line)), 0, "data lines", "want at least 1")
	}
	cols, values := make([]column, len(columns)), make([][]float64, len(columns))
	for j, c := range columns {
		if cols[j], values[j], err = c.finish(name); err != nil {
			return nil, err
		}
	}
	class := -1
	if !o.NoClass {
		class = slices.Index(header, cmp.Or(o.Class, header[len(header)-1]))
	}
	return tableOf(cols, values, rows, class), nil
}

// among checks that the columns which the options name are among those of the header.
func (o CSVOptions) among(name string, header []string) error {
	if !o.NoClass && o.Class != "" && !slices.Contains(header, o.Class) {
		return fault.Param(name, "CSVOptions.Class", strconv.Quote(o.Class), "one of the columns "+strings.Join(header, ", "))
	}
	for _, c := range o.Categorical {
		if !slices.Contains(header, c) {
			return fault.Param(name, "CSVOptions.Categorical", strconv.Quote(c), "columns out of "+strings.Join(header, ", "))
		}
	}
	return nil
}

func (opt *CSVOptions) withDefaults() CSVOptions {
	var o CSVOptions
	if opt != nil {
		o = *opt
	}
	if o.Missing == nil {
		o.Missing = defaultMissing()
	}
	if o.Comma == 0 {
		o.Comma = defaultComma
	}
	return o
}

// byteOrderMark stands at the beginning of files that spreadsheets have written.
const byteOrderMark = "\ufeff"

func newReader(r io.Reader, comma rune) *csv.Reader {
	buffered := bufio.NewReader(r)
	if start, _ := buffered.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, _ = buffered.Discard(len(byteOrderMark))
	}
	reader := csv.NewReader(buffered)
	reader.Comma = comma
	// Counting cells in parseTable gives an error that says how many there were.
	reader.FieldsPerRecord = -1
	// Where white space stands between cells, that before an empty one is its end.
	reader.TrimLeadingSpace = !unicode.IsSpace(comma)
	reader.ReuseRecord = true
	return reader
}

// records reads the lines of a file.
type records struct {
	name string
	csv  *csv.Reader
	line int // the last one that was read
}

// next returns the trimmed cells of the next line, which hold until the one after it is read; nil at the end.
func (r *records) next() ([]string, error) {
	cells, err := r.csv.Read()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, csvError(r.name, err)
	}
	r.line, _ = r.csv.FieldPos(0)
	for j, c := range cells {
		cells[j] = strings.TrimSpace(c)
	}
	return cells, nil
}

// csvError puts the file's name before the line that encoding/csv names.
func csvError(name string, err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d: column %d: %w", name, parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func columnNames(name string, line int, first []string, noHeader bool) ([]string, error) {
	out := make([]string, len(first))
	for j, n := range first {
		if out[j] = strings.Clone(n); noHeader {
			out[j] = strconv.Itoa(j)
		}
	}
	if n, ok := duplicate(out); ok {
		return nil, fault.Param(fmt.Sprintf("%s:%d", name, line), "column name", strconv.Quote(n)+" twice", "each once")
	}
	return out, nil
}

// decimals counts the digits that print a number as it was written.
func decimals(s string) int {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	e, _ := strconv.Atoi(exponent)
	return min(max(len(fraction)-e, 0), maxPrecision)
}
