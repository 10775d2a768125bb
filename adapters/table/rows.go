package table

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/kernelearn/kernelearn/adapters/table/internal/values"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Rows reads the features of rows with the schema. Each row is a map from names to values, a struct (see [FromStructs]), or a line
// of a CSV file with the columns of the schema in their order, with or without the target. A value is a number, a text, a bool, a
// time.Time, a driver.Valuer such as a sql.NullString, or a pointer to one of these. A nil value is a gap. Texts are read like the
// cells of a file.
//
// Rows returns ErrParam for a feature that a row lacks, for a name that is not a column of the schema, and for a value that does
// not match the schema. The error names the row, counted from 1.
func (s *Schema) Rows(rows ...any) (*Table, error) {
	const input = "table: rows"
	if len(rows) == 0 {
		return nil, fault.Shape(input+": there are", 0, "rows", "want at least 1")
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	names, target := namesOf(s.Columns), s.find(Target)
	t, err := newIntake(input, header(names), Options{Schema: s, Format: s.Format})
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		cells, err := values.Row(t.place(i), row, s.Format.comma(), names, target)
		if err == nil {
			err = t.addValues(cells)
		}
		if err != nil {
			return nil, err
		}
	}
	return t.encode(s, false)
}

// addValues appends a row. The map values holds its values by the names of the schema's columns.
func (t *intake) addValues(values map[string]any) error {
	known := make(map[string]bool, len(t.columns))
	for j, c := range t.columns {
		known[c.name] = true
		if _, ok := values[c.name]; !ok && t.options.Schema.Columns[j].Role == Feature {
			return &CellError{t.rows + 1, c.name,
				fault.Param(t.place(t.rows), "column", strconv.Quote(c.name)+", which is missing", "a value, or nil for a gap")}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !known[name] {
			return &CellError{t.rows + 1, name,
				fault.Param(t.place(t.rows), "column", strconv.Quote(name)+", which is not known", "one of "+celltext.List(t.names()))}
		}
	}
	for _, c := range t.columns {
		if err := t.addValue(c, values[c.name], false); err != nil {
			return err
		}
	}
	t.rows++
	return nil
}

// addValue appends a value. If texts is true, every text that is not a gap is a word, even if it looks like a number.
func (t *intake) addValue(c *Cells, value any, texts bool) error {
	text, cell, isText, ok := values.Cell(value)
	row := len(c.kinds)
	if !ok {
		return &CellError{row + 1, c.name, fault.Param(t.place(row), c.place(), fmt.Sprintf("a %T", value),
			"a number, a text, a bool or a time")}
	}
	if isText {
		parser := t.parser
		if utf8.ValidString(text) {
			parser = t.plain
		}
		if text, cell, ok = parser.Cell(text); !ok {
			return &CellError{row + 1, c.name, celltext.NotUTF8(t.place(row), c.place(), text)}
		}
		c.typed.words = c.typed.words || texts && cell.Kind != celltext.Gap
	} else if is, isBool := value.(bool); isBool && t.options.Schema != nil {
		if k := slices.IndexFunc(t.options.Schema.Columns, func(of Column) bool { return of.Name == c.name }); k >= 0 {
			of := &t.options.Schema.Columns[k]
			text, cell = values.Bool(is, of.Kind == Number, of.Levels)
		}
	}
	c.add(cell, text, c.line())
	return nil
}
