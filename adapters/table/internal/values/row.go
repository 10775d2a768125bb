package values

import (
	"encoding/csv"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Row returns the values of a row, by the names of its columns. The row is a map, a struct or a line of a CSV file. A line has a
// cell for each of names, and may omit the cell of the target. Errors contain the place.
func Row(place string, row any, comma rune, names []string, target int) (map[string]any, error) {
	v := reflect.ValueOf(row)
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, fault.Param(place, "row", "nil", "a map, a struct or a line")
		}
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.String:
		return line(place, v.String(), comma, names, target)
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		out := make(map[string]any, v.Len())
		for each := v.MapRange(); each.Next(); {
			out[each.Key().String()] = each.Value().Interface()
		}
		return out, nil
	case v.Kind() == reflect.Struct:
		fields, err := FieldsOf(place, v.Type())
		if err != nil {
			return nil, err
		}
		out := make(map[string]any, len(fields))
		for _, f := range fields {
			out[f.Name] = f.Value(v)
		}
		return out, nil
	}
	return nil, fault.Param(place, "row", fmt.Sprintf("%T", row), "a map from names, a struct or a line of text")
}

// line returns the values in a line of a CSV file, by the names of their columns.
func line(place, text string, comma rune, names []string, target int) (map[string]any, error) {
	in := csv.NewReader(strings.NewReader(text))
	in.Comma = comma
	in.FieldsPerRecord = -1
	cells, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: the line %q: %w", place, celltext.Short(text), err)
	}
	all := len(names)
	if len(cells) == all-1 && target >= 0 {
		names = slices.Delete(slices.Clone(names), target, target+1)
	}
	if len(cells) != len(names) {
		return nil, fault.Shape(place+": the line has", len(cells), "cells", "the schema has %d columns, the target among them", all)
	}
	out := make(map[string]any, len(cells))
	for j, name := range names {
		out[name] = cells[j]
	}
	return out, nil
}
