package table

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/adapters/table/internal/arff"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// ReadARFF reads a file of Weka's format, which may be compressed by gzip. Options may be nil. Attributes that are numeric, real or
// integer are numbers, nominal ones are categories with their values as levels, in their order, strings are texts, categories or ids,
// and dates without a format are times. A question mark without quotes is a gap, and nothing else is. In a sparse row, {2 7, 5 red},
// what is not there is 0, or the first value of a nominal attribute. The weights of rows, relational attributes and dates in another
// format than ISO are errors.
//
// It returns the errors of [ReadCSV], and ErrParam with the line for a file that is not ARFF.
func ReadARFF(path string, o *Options) (*Table, error) { return readFile(path, o, ParseARFF) }

// ParseARFF is ReadARFF for a reader; the name, which may be a file's, stands in the errors.
func ParseARFF(name string, r io.Reader, o *Options) (*Table, error) {
	options, err := o.complete()
	if err != nil {
		return nil, err
	}
	if options.Format.Missing == nil {
		options.Format.Missing = []string{"?", ""} // the second in rows from elsewhere
	}
	parser, err := options.Format.parser()
	if err != nil {
		return nil, fault.AddPlace(name, err)
	}
	if r, err = uncompressed(name, r); err != nil {
		return nil, err
	}
	in := &arffInput{name: name, options: options}
	lines := bufio.NewReader(r)
	for end := false; !end; {
		text, err := lines.ReadString('\n')
		if end = err == io.EOF; err != nil && !end {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in.line++
		if in.line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		text, ok := parser.Text(text)
		if !ok {
			return nil, celltext.NotUTF8(in.place(), "line", text)
		}
		if text == "" || text[0] == '%' {
			continue
		}
		if err := in.take(text); err != nil {
			return nil, err
		}
	}
	if in.rows == nil {
		return nil, fault.Param(name, "section", "none", "@data after the attributes")
	}
	return in.rows.table()
}

// arffInput is a file that is being read.
type arffInput struct {
	name    string
	options Options
	line    int
	names   []string
	typed   []typed
	rows    *intake // nil before @data
}

func (a *arffInput) place() string { return fmt.Sprintf("%s:%d", a.name, a.line) }

// refused is the error of a line that cannot be read.
func (a *arffInput) refused(what, text, want string) error {
	return fault.Param(a.place(), what, strconv.Quote(shortened(text)), want)
}

// take takes in a line that is no comment.
func (a *arffInput) take(text string) error {
	if a.rows != nil {
		return a.row(text)
	}
	word, rest := text, ""
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		word, rest = text[:i], strings.TrimSpace(text[i:])
	}
	switch strings.ToLower(word) {
	case "@relation":
		return nil
	case "@attribute":
		return a.attribute(rest)
	case "@data":
		var err error
		if a.rows, err = newIntake(a.name, header(a.names), a.options); err != nil {
			return err
		}
		for j, c := range a.rows.columns {
			c.typed = a.typed[j]
		}
		return nil
	}
	return a.refused("line", text, "@relation, @attribute or @data")
}

// arffDates are the formats of dates that are those of cells.
var arffDates = []string{"yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss"}

// attribute takes in a declaration, after the word.
func (a *arffInput) attribute(text string) error {
	words, rest, err := arff.Cells(text, 1)
	if err != nil || len(words) == 0 || words[0].Text == "" {
		return a.refused("attribute", text, "a name and a type")
	}
	var t typed
	rest = strings.TrimSpace(rest)
	switch kind := strings.ToLower(rest); {
	case kind == "numeric", kind == "real", kind == "integer":
		t.kind = Number
	case kind == "string":
		t.words = true
	case kind == "date" || strings.HasPrefix(kind, "date ") && slices.Contains(arffDates, strings.Trim(rest[len("date"):], `"' `)):
		t.kind = Time
	case strings.HasPrefix(rest, "{") && strings.HasSuffix(rest, "}"):
		levels, _, err := arff.Cells(rest[1:len(rest)-1], -1)
		if err != nil {
			return a.refused("attribute", text, "values between commas: "+err.Error())
		}
		t.kind, t.levels = Category, []string{}
		for _, l := range levels {
			t.levels = append(t.levels, l.Text)
		}
		if v, twice := celltext.Duplicate(t.levels); twice {
			return a.refused("attribute", words[0].Text, strconv.Quote(v)+" once among its values")
		}
	default:
		return a.refused("attribute", text, "numeric, real, integer, string, {values}, or date by one of "+strings.Join(arffDates, ", "))
	}
	a.names, a.typed = append(a.names, words[0].Text), append(a.typed, t)
	return nil
}

// row takes in a row, dense or sparse.
func (a *arffInput) row(text string) error {
	var row []arff.Cell
	var err error
	if strings.HasPrefix(text, "{") {
		row, err = a.sparse(text)
	} else if row, _, err = arff.Cells(text, -1); err == nil && len(row) != len(a.names) {
		return fault.Shape(a.place()+": the line has", len(row), "cells", "there are %d attributes", len(a.names))
	}
	if err != nil {
		return a.refused("line", text, err.Error())
	}
	for j, cell := range row {
		if err := a.cell(j, cell); err != nil {
			return err
		}
	}
	a.rows.places = append(a.rows.places, a.line)
	a.rows.rows++
	return nil
}

// cell takes in a cell of column j.
func (a *arffInput) cell(j int, written arff.Cell) error {
	c := a.rows.columns[j]
	of, text := a.typed[j], written.Text
	cell := celltext.Cell{Kind: celltext.Word, Value: math.NaN()}
	switch missing := text == "?" || slices.Contains(a.options.Format.Missing, text); {
	case missing && !written.Quoted:
		cell.Kind = celltext.Gap
	case of.kind == Category:
		if !slices.Contains(of.levels, text) {
			return a.refused(c.place(), text, "one of its values "+someOf(of.levels))
		}
	case !of.words:
		want := celltext.Numbers
		if of.kind == Time {
			want = celltext.Times
		}
		if cell = a.rows.parser.Parse(text); !fits(cell.Kind, want) {
			return a.refused(c.place(), text, "a "+of.kind.String()+", as its attribute says, or ? for a gap")
		}
	}
	c.add(cell, text, a.line)
	return nil
}

// sparse returns all cells of a sparse row.
func (a *arffInput) sparse(text string) ([]arff.Cell, error) {
	row := make([]arff.Cell, len(a.names))
	for j, t := range a.typed {
		switch {
		case len(t.levels) > 0:
			row[j] = arff.Cell{Text: t.levels[0], Quoted: true}
		case t.kind == Number:
			row[j].Text = "0"
		default:
			row[j].Text = "?"
		}
	}
	return row, arff.Sparse(text, row)
}
