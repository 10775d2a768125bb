package table

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// intake collects the rows of an input. Even the last cell may determine the kind of a column. All cells are therefore kept until
// the end, in a few slices for each column.
type intake struct {
	input   string // a file's name
	options Options
	parser  *celltext.Parser
	plain   *celltext.Parser // parser for texts in UTF-8, whatever the encoding of files
	columns []*Cells
	places  []int // the line of each row; nil: rows are numbered from 1
	parts   []part
	started bool // whether a part has begun
	rows    int
}

// part is one of several inputs that form a source.
type part struct {
	name   string
	from   int // the index of its first row among the rows in memory
	before int // the number of its rows that are no longer held
}

// newIntake returns the intake of an input with these columns. Columns without a name are numbered.
func newIntake(input string, columns []Column, o Options) (*intake, error) {
	parser, err := o.Format.parser()
	if err != nil {
		return nil, fault.AddPlace(input, err)
	}
	o.completeTarget(namesOf(columns))
	t := &intake{input: input, options: o, parser: parser, plain: o.Format.plain()}
	if o.Schema == nil {
		if err := o.checkColumns(input, namesOf(columns)); err != nil {
			return nil, err
		}
	}
	for j, of := range columns {
		c := &Cells{of: t, name: of.Name, skip: of.Name == "" || slices.Contains(o.Drop, of.Name)}
		if of.Name == "" {
			c.name = fmt.Sprintf("column %d", j+1)
		}
		if err := c.declare(input, of); err != nil {
			return nil, err
		}
		t.columns = append(t.columns, c)
	}
	if n, ok := celltext.Duplicate(t.names()); ok {
		return nil, fault.Param(input, "column name", strconv.Quote(n)+" twice", "each once")
	}
	if o.Schema != nil {
		return t, t.checkPresent()
	}
	return t, nil
}

// declare records the type that an input declares for a column.
func (c *Cells) declare(input string, of Column) error {
	if of.Role == LeftOut {
		c.skip, c.unread, c.note = true, true, of.Note
		o := &c.of.options
		used := slices.Contains([]string{o.Target, o.Group, o.Weight}, c.name) || o.Kinds[c.name] != 0
		if o.Schema != nil {
			k := slices.IndexFunc(o.Schema.Columns, func(known Column) bool { return known.Name == c.name })
			used = k >= 0 && o.Schema.Columns[k].Role == Feature
		}
		if used {
			return &CellError{0, c.name, fault.Param(input, c.place(), of.Note, "numbers, times or texts")}
		}
		return nil
	}
	c.typed.words = c.typed.words || of.Kind == Text || of.Kind == Category
	if of.Kind != 0 && of.Kind != Text {
		c.typed.kind, c.typed.levels = of.Kind, of.Levels
	}
	return nil
}

// header returns columns with these names, whose types are not declared.
func header(names []string) []Column {
	out := make([]Column, len(names))
	for j, n := range names {
		out[j].Name = n
	}
	return out
}

func namesOf(columns []Column) []string {
	out := make([]string, len(columns))
	for j, c := range columns {
		out[j] = c.Name
	}
	return out
}

func (t *intake) names() []string {
	out := make([]string, len(t.columns))
	for j, c := range t.columns {
		out[j] = c.name
	}
	return out
}

// checkPresent returns ErrParam if the input lacks a feature of the schema.
func (t *intake) checkPresent() error {
	names := t.names()
	for _, c := range t.options.Schema.Columns {
		if c.Role == Feature && !slices.Contains(names, c.Name) {
			return &CellError{0, c.Name, fault.Param(t.input, "column", strconv.Quote(c.Name)+", which is missing",
				"all features of the schema; there are "+celltext.List(names))}
		}
	}
	return nil
}

// begin starts the next part, and returns the cells of its columns. Those of columns that are not read are nil.
func (t *intake) begin(name string, columns []Column) ([]*Cells, error) {
	t.parts = append(t.parts, part{name: name, from: t.rows})
	out := make([]*Cells, len(columns))
	names := namesOf(columns)
	for j, c := range t.columns {
		if c.unread {
			continue
		}
		at := j
		if t.started {
			if at = slices.Index(names, c.name); at >= 0 && slices.Contains(names[at+1:], c.name) {
				return nil, fault.Param(name, "column name", strconv.Quote(c.name)+" twice", "each once")
			}
		}
		if at < 0 {
			return nil, &CellError{0, c.name, fault.Param(name, "column", strconv.Quote(c.name)+", which is missing",
				"all columns of "+t.parts[0].name+"; there are "+celltext.List(names))}
		}
		if err := c.declare(name, columns[at]); err != nil {
			return nil, err
		}
		if !c.unread {
			out[at] = c
		}
	}
	t.started = true
	return out, nil
}

// took adds n rows to the count, after their cells were appended.
func (t *intake) took(n int) error {
	t.rows += n
	for last := t.parts[len(t.parts)-1]; len(t.places) < t.rows; { // readers without lines
		t.places = append(t.places, last.before+len(t.places)-last.from+1)
	}
	for _, c := range t.columns {
		if !c.unread && len(c.kinds) != t.rows {
			return fault.Shape(fmt.Sprintf("%s: column %q has", t.place(t.rows-1), c.name), len(c.kinds), "cells",
				"the reader counts %d rows", t.rows)
		}
	}
	return check.Numbers(fmt.Sprintf("%s: %d rows of %d columns", t.input, t.rows, len(t.columns)),
		float64(t.rows)*float64(len(t.columns)), "read it in Blocks")
}

// forget drops all rows, but keeps the statistics of their cells.
func (t *intake) forget() {
	for _, c := range t.columns {
		c.kinds, c.values, c.text, c.ends = c.kinds[:0], c.values[:0], c.text[:0], c.ends[:0]
	}
	if n := len(t.parts); n > 0 {
		last := t.parts[n-1]
		t.parts = append(t.parts[:0], part{name: last.name, before: last.before + t.rows - last.from})
	}
	t.places, t.rows = t.places[:0], 0
}

// place describes a row for an error: its line in a file, or its number from 1.
func (t *intake) place(row int) string {
	name, line := t.input, row+1
	for _, p := range t.parts {
		if p.from <= row {
			name, line = p.name, p.before+row-p.from+1
		}
	}
	if row < len(t.places) {
		line = t.places[row]
	}
	return fmt.Sprintf("%s:%d", name, line)
}

// wrong returns the error of a cell.
func (t *intake) wrong(c *Cells, row int, want string) error {
	return &CellError{row + 1, c.name,
		fault.Param(t.place(row), c.place(), strconv.Quote(celltext.Short(c.textOf(row))), want)}
}
