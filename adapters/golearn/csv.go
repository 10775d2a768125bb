package golearn

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

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

// ReadCSV reads a file into a grid. White space around cells is dropped. A column
// all of whose cells, but for gaps, are numbers becomes a float attribute, and any
// other a categorical one, its categories in the order in which they first occur.
// A gap is NaN in a float column and the category "?" in a categorical
// one: golearn's own parser makes it 0 or the first category. As golearn does,
// the grid lists the attributes of a type together.
//
// Errors name the file and the line: ErrShape for a line with more or fewer cells
// than the first, or for no data; ErrParam for a column name that comes twice or
// an option that names no column; those of the file system and of encoding/csv.
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
	o := opt.withDefaults()
	header, records, err := readRecords(name, r, o)
	if err != nil {
		return nil, err
	}
	class := -1
	if !o.NoClass {
		if class = len(header) - 1; o.Class != "" {
			class = slices.Index(header, o.Class)
		}
		if class < 0 {
			return nil, fault.Param(name, "CSVOptions.Class", strconv.Quote(o.Class), "one of the columns "+strings.Join(header, ", "))
		}
	}
	for _, c := range o.Categorical {
		if !slices.Contains(header, c) {
			return nil, fault.Param(name, "CSVOptions.Categorical", strconv.Quote(c), "columns out of "+strings.Join(header, ", "))
		}
	}
	missing := make(map[string]bool, len(o.Missing))
	for _, m := range o.Missing {
		missing[m] = true
	}
	cols := make([]column, len(header))
	values := make([][]float64, len(header))
	for j, n := range header {
		cols[j], values[j] = parseColumn(n, records, j, missing, slices.Contains(o.Categorical, n))
	}
	return tableOf(cols, values, len(records), class).grid()
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

// readRecords returns the column names and the trimmed cells of the data lines.
func readRecords(name string, r io.Reader, o CSVOptions) (header []string, records [][]string, err error) {
	reader := csv.NewReader(r)
	reader.Comma = o.Comma
	// Counting cells here gives an error that says how many there were.
	reader.FieldsPerRecord = -1
	reader.TrimLeadingSpace = true
	last := 1
	for {
		record, err := reader.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, csvError(name, err)
		}
		line, _ := reader.FieldPos(0)
		last = line
		for j, c := range record {
			record[j] = strings.TrimSpace(c)
		}
		if header == nil {
			record[0] = strings.TrimPrefix(record[0], "\ufeff") // written by spreadsheets
			if header, err = columnNames(name, line, record, o.NoHeader); err != nil {
				return nil, nil, err
			}
			if !o.NoHeader {
				continue
			}
		}
		if len(record) != len(header) {
			return nil, nil, fault.Shape(fmt.Sprintf("%s:%d: the line has", name, line), len(record), "cells", "the first one has %d", len(header))
		}
		records = append(records, record)
	}
	if len(records) == 0 {
		return nil, nil, fault.Shape(fmt.Sprintf("%s:%d: the file ends with", name, last), 0, "data lines", "want at least 1")
	}
	return header, records, nil
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
	out := slices.Clone(first)
	if noHeader {
		for j := range out {
			out[j] = strconv.Itoa(j)
		}
	}
	if n, ok := duplicate(out); ok {
		return nil, fault.Param(fmt.Sprintf("%s:%d", name, line), "column name", strconv.Quote(n)+" twice", "each once")
	}
	return out, nil
}

// parseColumn guesses the type of a column and returns its cells.
func parseColumn(name string, records [][]string, j int, missing map[string]bool, categorical bool) (column, []float64) {
	if !categorical {
		if c, values, ok := parseFloats(name, records, j, missing); ok {
			return c, values
		}
	}
	texts := make([]string, len(records))
	for i, r := range records {
		if texts[i] = r[j]; missing[r[j]] {
			texts[i] = missingCategory
		}
	}
	values, categories := coded(texts)
	return column{Name: name, Kind: categoricalKind, Values: categories}, values
}

func parseFloats(name string, records [][]string, j int, missing map[string]bool) (column, []float64, bool) {
	c := column{Name: name, Kind: floatKind}
	values := make([]float64, len(records))
	for i, r := range records {
		values[i] = math.NaN()
		if missing[r[j]] {
			continue
		}
		v, err := strconv.ParseFloat(r[j], 64)
		if err != nil {
			return column{}, nil, false
		}
		values[i] = v
		c.Precision = max(c.Precision, decimals(r[j]))
	}
	return c, values, true
}

// decimals counts the digits that print a number as it was written.
func decimals(s string) int {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	e, _ := strconv.Atoi(exponent)
	return min(max(len(fraction)-e, 0), maxPrecision)
}
