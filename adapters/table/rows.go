package table

import (
	"database/sql/driver"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// structTag is the key of a field's tag.
const structTag = "table"

// Rows reads the features of rows by the schema: each row is a map from names to values, a struct (see [FromStructs]), or a line of a
// CSV file with the columns of the schema in their order, with or without the target. A value is a number, a text, a bool, a time.Time,
// a driver.Valuer such as a sql.NullString, or a pointer to one; nil is a gap. Texts are read as the cells of a file are.
//
// Errors: ErrParam, which names the row, counted from 1, for a feature that a row lacks, for a name that is no column of the schema,
// and for a value that is not what the schema says.
func (s *Schema) Rows(rows ...any) (*Table, error) {
	const input = "table: rows"
	if len(rows) == 0 {
		return nil, fault.Shape(input+": there are", 0, "rows", "want at least 1")
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	t, err := newIntake(input, header(namesOf(s.Columns)), Options{Schema: s, Format: s.Format})
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		values, err := s.rowValues(t.place(i), row)
		if err == nil {
			err = t.addValues(values)
		}
		if err != nil {
			return nil, err
		}
	}
	return t.encode(s, false)
}

// rowValues returns the values of a row by the names of its columns.
func (s *Schema) rowValues(place string, row any) (map[string]any, error) {
	v := reflect.ValueOf(row)
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, fault.Param(place, "row", "nil", "a map, a struct or a line")
		}
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.String:
		return s.lineValues(place, v.String())
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		out := make(map[string]any, v.Len())
		for each := v.MapRange(); each.Next(); {
			out[each.Key().String()] = each.Value().Interface()
		}
		return out, nil
	case v.Kind() == reflect.Struct:
		fields, err := fieldsOf(place, v.Type())
		if err != nil {
			return nil, err
		}
		out := make(map[string]any, len(fields))
		for _, f := range fields {
			out[f.name] = f.value(v)
		}
		return out, nil
	}
	return nil, fault.Param(place, "row", fmt.Sprintf("%T", row), "a map from names, a struct or a line of text")
}

// lineValues returns the cells of a line of a CSV file.
func (s *Schema) lineValues(place, line string) (map[string]any, error) {
	in := csv.NewReader(strings.NewReader(line))
	in.Comma = s.Format.comma()
	in.FieldsPerRecord = -1
	cells, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: the line %q: %w", place, shortened(line), err)
	}
	columns := slices.Clone(s.Columns)
	if len(cells) == len(columns)-1 {
		columns = slices.DeleteFunc(columns, func(c Column) bool { return c.Role == Target })
	}
	if len(cells) != len(columns) {
		return nil, fault.Shape(place+": the line has", len(cells), "cells", "the schema has %d columns, the target among them",
			len(s.Columns))
	}
	out := make(map[string]any, len(cells))
	for j, c := range columns {
		out[c.Name] = cells[j]
	}
	return out, nil
}

// addValues takes in a row of values by their names, which are those of the schema.
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
				fault.Param(t.place(t.rows), "column", strconv.Quote(name)+", which is not known", "one of "+someOf(t.names()))}
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

// addValue takes in a value. With texts, a text that is no gap is a word, even where it looks like a number.
func (t *intake) addValue(c *Cells, value any, texts bool) error {
	text, cell, isText, ok := cellOf(value)
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
		text, cell = t.options.Schema.boolCell(c.name, is)
	}
	c.add(cell, text, c.line())
	return nil
}

// boolCell returns what a bool is in a column: 0 or 1 among numbers, and among levels the one that is written so, such as True.
func (s *Schema) boolCell(column string, is bool) (string, celltext.Cell) {
	text, cell := strconv.FormatBool(is), celltext.Cell{Kind: celltext.Word, Value: math.NaN()}
	for _, c := range s.Columns {
		switch {
		case c.Name != column:
		case c.Kind == Number:
			if cell = (celltext.Cell{Kind: celltext.Integer}); is {
				cell.Value = 1
			}
		default:
			if k := slices.IndexFunc(c.Levels, func(l string) bool { return strings.EqualFold(l, text) }); k >= 0 {
				text = c.Levels[k]
			}
		}
	}
	return text, cell
}

// cellOf returns what a value is in a table. A text is still to be parsed.
func cellOf(value any) (text string, cell celltext.Cell, isText, ok bool) {
	gap := celltext.Cell{Kind: celltext.Gap, Value: math.NaN()}
	switch v := value.(type) {
	case nil:
		return "", gap, false, true
	case string:
		return v, cell, true, true
	case []byte:
		if v == nil {
			return "", gap, false, true
		}
		return string(v), cell, true, true
	case time.Time:
		if v.IsZero() {
			return "", gap, false, true
		}
		seconds := float64(v.Unix()) + float64(v.Nanosecond())/1e9
		return v.UTC().Format(time.RFC3339Nano), celltext.Cell{Kind: celltext.Time, Value: seconds}, false, true
	case time.Duration:
		return number(v.Seconds())
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "", gap, false, true
		}
		return cellOf(v.Elem().Interface())
	}
	if of, isValuer := value.(driver.Valuer); isValuer {
		inner, err := of.Value()
		if _, again := inner.(driver.Valuer); err != nil || again {
			return "", gap, false, false
		}
		return cellOf(inner)
	}
	switch {
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool()), celltext.Cell{Kind: celltext.Word, Value: math.NaN()}, false, true
	case v.Kind() == reflect.String:
		return v.String(), cell, true, true
	case v.CanInt():
		return integer(strconv.FormatInt(v.Int(), 10), float64(v.Int()))
	case v.CanUint() && v.Kind() != reflect.Uintptr:
		return integer(strconv.FormatUint(v.Uint(), 10), float64(v.Uint()))
	case v.Kind() == reflect.Float32: // as it is written, so that 0.1 stays 0.1
		text := strconv.FormatFloat(v.Float(), 'g', -1, 32)
		wide, _ := strconv.ParseFloat(text, 64)
		return number(wide)
	case v.CanFloat():
		return number(v.Float())
	}
	return "", gap, false, false
}

// integer is a cell of the digits of an integer, of which v is the nearest number.
func integer(text string, v float64) (string, celltext.Cell, bool, bool) {
	return text, celltext.Cell{Kind: celltext.Integer, Value: v, Rounded: strconv.FormatFloat(v, 'f', -1, 64) != text}, false, true
}

func number(v float64) (string, celltext.Cell, bool, bool) {
	switch {
	case math.IsNaN(v):
		return "", celltext.Cell{Kind: celltext.Gap, Value: v}, false, true
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.FormatFloat(v, 'f', -1, 64), celltext.Cell{Kind: celltext.Integer, Value: v}, false, true
	}
	return strconv.FormatFloat(v, 'g', -1, 64), celltext.Cell{Kind: celltext.Number, Value: v}, false, true
}
