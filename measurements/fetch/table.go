package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// table holds the words of a data file: a name for each column, and rows with the same number of cells.
type table struct {
	names []string
	rows  [][]string
}

// check returns an error if the number of cells of a row differs from the number of names.
func (t *table) check() error {
	if len(t.rows) == 0 {
		return errors.New("the file has no rows")
	}
	for i, row := range t.rows {
		if len(row) != len(t.names) {
			return fmt.Errorf("row %d has %d cells, and there are %d columns", i+1, len(row), len(t.names))
		}
	}
	return nil
}

// column returns the position of a column.
func (t *table) column(name string) (int, error) {
	for i, n := range t.names {
		if n == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no column %q among %s", name, strings.Join(t.names, ", "))
}

// csv returns the table as a CSV file with a header.
func (t *table) csv() ([]byte, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.Write(t.names); err != nil {
		return nil, err
	}
	if err := w.WriteAll(t.rows); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// reader parses the bytes of a file into a table.
type reader func(content []byte) (*table, error)

// separated returns a reader of cells with a separator between them. The names of the columns are in the first row. Without a
// header they are 1, 2 and so on.
func separated(comma rune, header bool) reader {
	return func(content []byte) (*table, error) {
		r := csv.NewReader(bytes.NewReader(content))
		r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = comma, -1, true
		rows, err := r.ReadAll()
		if err != nil {
			return nil, err
		}
		return headed(rows, header)
	}
}

// spaced reads cells with any number of spaces between them, without a header.
func spaced(content []byte) (*table, error) {
	var rows [][]string
	for line := range strings.Lines(string(content)) {
		if cells := strings.Fields(line); len(cells) > 0 {
			rows = append(rows, cells)
		}
	}
	return headed(rows, false)
}

// headed returns a table of the rows. If header is set, the first row holds the names.
func headed(rows [][]string, header bool) (*table, error) {
	if len(rows) == 0 {
		return nil, errors.New("the file is empty")
	}
	for _, row := range rows {
		for j := range row {
			row[j] = strings.TrimSpace(row[j])
		}
	}
	t := &table{names: rows[0], rows: rows[1:]}
	if !header {
		t.names, t.rows = make([]string, len(rows[0])), rows
		for j := range t.names {
			t.names[j] = fmt.Sprint(j + 1)
		}
	}
	return t, t.check()
}

// arff reads the attribute-relation file format of Weka, except for sparse rows, dates and strings with escaped quotes.
func arff(content []byte) (*table, error) {
	t := &table{}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	data := false
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch word := strings.ToLower(line); {
		case line == "" || line[0] == '%':
		case data:
			cells, err := quoted(line)
			if err != nil {
				return nil, err
			}
			t.rows = append(t.rows, cells)
		case strings.HasPrefix(word, "@attribute"):
			rest := strings.TrimSpace(line[len("@attribute"):])
			end := strings.IndexAny(rest, " \t{")
			if rest != "" && rest[0] == '\'' {
				end = 1 + strings.IndexByte(rest[1:], '\'')
			}
			if end <= 0 {
				return nil, fmt.Errorf("there is no name and type in %q", line)
			}
			t.names = append(t.names, strings.Trim(rest[:end], "'"))
		case strings.HasPrefix(word, "@data"):
			data = true
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return t, t.check()
}

// quoted splits a line at the commas outside single quotes.
func quoted(line string) ([]string, error) {
	var cells []string
	var cell strings.Builder
	within := false
	for _, c := range line {
		switch {
		case c == '\'':
			within = !within
		case c == ',' && !within:
			cells = append(cells, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteRune(c)
		}
	}
	if within {
		return nil, fmt.Errorf("a quote is not closed: %w", io.ErrUnexpectedEOF)
	}
	return append(cells, strings.TrimSpace(cell.String())), nil
}
