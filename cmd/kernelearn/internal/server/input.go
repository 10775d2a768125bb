package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kernelearn/kernelearn/adapters/table"
)

// inputType returns the type of a body, which is JSON or CSV. If the header has no type, or has the type of a form, which curl -d
// sends, the first character of the body determines the type.
func inputType(h http.Header, body []byte) (string, error) {
	if e := h.Get("Content-Encoding"); e != "" && e != "identity" {
		return "", failf(http.StatusUnsupportedMediaType, "Content-Encoding %s: want a body that is not compressed", e)
	}
	of, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case of == "application/json":
		return jsonType, nil
	case of == "text/csv":
		return csvType, nil
	case h.Get("Content-Type") == "" || err == nil && of == "application/x-www-form-urlencoded":
		if start := bytes.TrimLeft(body, " \t\r\n"); len(start) == 0 || start[0] == '{' || start[0] == '[' {
			return jsonType, nil
		}
	}
	return "", failf(http.StatusUnsupportedMediaType, "Content-Type %q: want application/json or text/csv", h.Get("Content-Type"))
}

// outputType returns the first supported type in the Accept header, or the type of the input if there is none.
func outputType(h http.Header, input string) string {
	for _, one := range strings.Split(strings.Join(h.Values("Accept"), ","), ",") {
		switch of, _, _ := mime.ParseMediaType(one); of {
		case "application/json":
			return jsonType
		case "text/csv":
			return csvType
		}
	}
	return input
}

// rows reads a body with the schema of a model. A column that is not in the schema is an error.
func (s *Server) rows(input string, body []byte, schema *table.Schema) (*table.Table, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, failf(http.StatusBadRequest, "the body is empty")
	}
	if input == jsonType {
		rows, err := s.parseJSON(body, schema)
		if err != nil {
			return nil, err
		}
		return schema.Rows(rows...)
	}
	if err := s.checkCSV(body, schema); err != nil {
		return nil, err
	}
	t, err := table.ParseCSV("body", bytes.NewReader(body), &table.Options{Schema: schema})
	if err != nil {
		return nil, err
	}
	if len(t.Ignored) > 0 {
		return nil, &failure{status: http.StatusUnprocessableEntity, column: t.Ignored[0],
			err: fmt.Errorf("body: column %q is not known, want the columns of the schema", t.Ignored[0])}
	}
	return t, nil
}

// surplus limits the cells of a line of CSV: a line may have four cells for each column of the schema, and surplus more.
const surplus = 100

// checkCSV returns an error if a CSV body has too many rows or cells, before memory is allocated for them. It rejects gzip, because
// uncompressed data can be much larger.
func (s *Server) checkCSV(body []byte, schema *table.Schema) error {
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return failf(http.StatusUnsupportedMediaType, "the body is compressed by gzip: want text")
	}
	mark := []byte{','}
	if schema.Format.Comma != 0 {
		mark = []byte(string(schema.Format.Comma))
	}
	lines, cells, most := 0, 0, 4*len(schema.Columns)+surplus
	quoted, empty := false, true
	for i, c := range body {
		switch {
		case c == '"':
			quoted, empty = !quoted, false
		case quoted:
		case c == '\n' || c == '\r':
			if !empty {
				lines++
			}
			cells, empty = 0, true
		default:
			empty = false
			if bytes.HasPrefix(body[i:], mark) {
				cells++
			}
		}
		if lines > s.settings.MaxRows+1 { // including the header
			return s.tooManyRows()
		}
		if cells > most {
			return &failure{status: http.StatusUnprocessableEntity, row: lines,
				err: fmt.Errorf("body: line %d has more than %d cells, the schema has %d columns", lines+1, most, len(schema.Columns))}
		}
	}
	return nil
}

func (s *Server) tooManyRows() error {
	return failf(http.StatusRequestEntityTooLarge, "the body has more than %d rows", s.settings.MaxRows)
}

// parseJSON returns the rows of {...}, [{...}, ...] or {"rows": [{...}, ...]}.
func (s *Server) parseJSON(body []byte, schema *table.Schema) ([]any, error) {
	if !utf8.Valid(body) {
		return nil, failf(http.StatusBadRequest, "JSON: the body is not UTF-8")
	}
	if err := json.Unmarshal(body, new(json.RawMessage)); err != nil {
		if e := new(json.SyntaxError); errors.As(err, &e) {
			return nil, failf(http.StatusBadRequest, "JSON: after %d bytes: %w", e.Offset, err)
		}
		return nil, failf(http.StatusBadRequest, "JSON: %w", err)
	}
	in := json.NewDecoder(bytes.NewReader(body)) // the JSON is valid, so later errors concern its content
	in.UseNumber()
	first, err := in.Token()
	if err != nil {
		return nil, err
	}
	switch first {
	case json.Delim('['):
		return s.parseArray(in, schema)
	case json.Delim('{'):
		row, nested, err := s.parseObject(in, 1, schema, true)
		if nested != nil || err != nil {
			return nested, err
		}
		return []any{row}, nil
	}
	return nil, failf(http.StatusBadRequest, "JSON: %.40v: want an object or an array of objects", first)
}

// parseArray parses the objects of an array, whose opening bracket has been read.
func (s *Server) parseArray(in *json.Decoder, schema *table.Schema) (out []any, err error) {
	for in.More() {
		if len(out) == s.settings.MaxRows {
			return nil, s.tooManyRows()
		}
		first, err := in.Token()
		if err != nil {
			return nil, err
		}
		if first != json.Delim('{') {
			return nil, &failure{status: http.StatusBadRequest, row: len(out) + 1,
				err: fmt.Errorf("JSON: row %d: want an object", len(out)+1)}
		}
		row, _, err := s.parseObject(in, len(out)+1, schema, false)
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	if len(out) == 0 {
		return nil, failf(http.StatusUnprocessableEntity, "JSON: there are 0 rows, want at least 1")
	}
	_, err = in.Token()
	return out, err
}

// parseObject parses a row, whose opening brace has been read. If only is true, the object may contain an array called rows
// instead, which is then returned.
func (s *Server) parseObject(in *json.Decoder, number int, schema *table.Schema, only bool) (row map[string]any, rows []any, err error) {
	row = make(map[string]any, len(schema.Columns))
	wrong := func(status int, column, format string, args ...any) (map[string]any, []any, error) {
		return nil, nil, &failure{status: status, row: number, column: column,
			err: fmt.Errorf("JSON: row %d: column %q: "+format, append([]any{number, column}, args...)...)}
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, nil, err
		}
		name := key.(string) // all keys of valid JSON are strings
		value, err := in.Token()
		if err != nil {
			return nil, nil, err
		}
		if only && name == "rows" && value == json.Delim('[') && len(row) == 0 {
			if rows, err = s.parseArray(in, schema); err != nil {
				return nil, nil, err
			}
			if in.More() {
				return nil, nil, failf(http.StatusBadRequest, "JSON: want nothing beside rows")
			}
			return nil, rows, nil
		}
		if _, twice := row[name]; twice {
			return wrong(http.StatusBadRequest, name, "there twice")
		}
		if !slices.ContainsFunc(schema.Columns, func(c table.Column) bool { return c.Name == name }) {
			return wrong(http.StatusUnprocessableEntity, name, "not known, want the columns of the schema")
		}
		switch v := value.(type) {
		case json.Delim:
			return wrong(http.StatusUnprocessableEntity, name, "want a number, a string, true, false or null")
		case json.Number:
			if value, err = number64(v); err != nil {
				return wrong(http.StatusUnprocessableEntity, name, "%.40s exceeds the range of float64", v)
			}
		}
		row[name] = value
	}
	_, err = in.Token()
	return row, nil, err
}

// number64 returns the value of a number. If the number is written as an integer, it returns an integer, so that no digit is lost.
func number64(v json.Number) (any, error) {
	if i, err := v.Int64(); err == nil {
		return i, nil
	}
	return v.Float64()
}
