package table

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/kernelearn/kernelearn/adapters/table/internal/values"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Encoder converts single cells to numbers according to a schema, for programs that skip rows with invalid cells. The numbers are
// the same as those in a [Table] or in [Blocks]. An Encoder is safe for concurrent use.
type Encoder struct {
	parser   *celltext.Parser
	plain    *celltext.Parser // for texts in UTF-8
	decoders []decoder
}

// Encoder returns the encoder of a schema. It returns ErrParam for an invalid schema or Format.
func (s *Schema) Encoder() (*Encoder, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	parser, err := s.Format.parser()
	if err != nil {
		return nil, err
	}
	e := &Encoder{parser: parser, plain: s.Format.plain()}
	for _, c := range s.Columns {
		e.decoders = append(e.decoders, newDecoder(c, s.Format))
	}
	return e, nil
}

// Text returns the number of a cell of a text file. The argument column is the index of its column in the schema. The result is a
// number, seconds, the code of a level or a class, len(Levels) for a level that the schema does not list, or NaN for a gap. Text
// returns ErrParam for a cell that does not match the kind of the column or is not in the encoding of the Format, or ErrNotFinite.
// Errors name the column.
func (e *Encoder) Text(column int, raw string) (float64, error) {
	return e.text(e.parser, column, raw)
}

func (e *Encoder) text(parser *celltext.Parser, column int, raw string) (float64, error) {
	text, cell, ok := parser.Cell(raw)
	if !ok {
		return 0, e.decoders[column].refused(strconv.Quote(celltext.Short(raw)), "UTF-8, or Format.Latin1 set for a file that is Latin-1")
	}
	return e.decoders[column].value(cell, text)
}

// Value is like Text, for a value of the types that [FromRows] accepts: a number, a text, a bool, a time.Time, or nil for a gap.
func (e *Encoder) Value(column int, value any) (float64, error) {
	d := &e.decoders[column]
	text, cell, isText, ok := values.Cell(value)
	if is, isBool := value.(bool); isBool {
		text, cell = values.Bool(is, d.Kind == Number, d.Levels)
	}
	switch {
	case !ok:
		return 0, d.refused(fmt.Sprintf("a %T", value), "a number, a text, a bool or a time")
	case isText:
		parser := e.parser
		if utf8.ValidString(text) {
			parser = e.plain
		}
		return e.text(parser, column, text)
	}
	return d.value(cell, text)
}

// decoder converts the cells of a column to numbers.
type decoder struct {
	Column
	want   celltext.Type  // the type of cells that are not categories
	codes  map[string]int // of a Category
	format Format
}

func newDecoder(c Column, f Format) decoder {
	d := decoder{Column: c, want: celltext.Numbers, format: f}
	if c.Kind == Time {
		d.want = celltext.Times
	}
	if c.Kind == Category {
		d.codes = make(map[string]int, len(c.Levels))
		for code, level := range c.Levels {
			d.codes[level] = code
		}
	}
	return d
}

// code returns the code of a level. For a level that is not listed, it is the code after the last.
func (d *decoder) code(text string) int {
	if code, ok := d.codes[text]; ok {
		return code
	}
	return len(d.codes)
}

// number returns the number of a cell, and false if the kind of the cell does not match the column.
func (d *decoder) number(k celltext.Kind, v float64) (float64, bool) {
	switch {
	case k == celltext.Gap:
		return v, true
	case fits(k, d.want):
		return v, v-v == 0
	}
	return math.NaN(), d.format.WordsAsGaps
}

// name describes the cells that the column accepts.
func (d *decoder) name() string {
	if d.want == celltext.Times {
		return "a date or time"
	}
	return "a number"
}

// value returns the number of a cell. The argument text is the text of the cell.
func (d *decoder) value(cell celltext.Cell, text string) (float64, error) {
	if d.Kind == Category {
		if cell.Kind == celltext.Gap {
			return math.NaN(), nil
		}
		return float64(d.code(text)), nil
	}
	v, ok := d.number(cell.Kind, cell.Value)
	switch {
	case ok && cell.Rounded && !d.format.RoundIntegers:
		return 0, d.refused(text, "an integer that float64 represents exactly, or Format.RoundIntegers")
	case ok:
		return v, nil
	case math.IsInf(cell.Value, 0):
		return 0, &CellError{0, d.Name, fmt.Errorf("column %q: %w", d.Name, celltext.TooLarge(text))}
	}
	return 0, d.refused(strconv.Quote(celltext.Short(text)), d.name())
}

// refused returns the error of a cell that the column does not accept.
func (d *decoder) refused(value, want string) error {
	return &CellError{0, d.Name, misfit(fmt.Sprintf("column %q = %s, want %s", d.Name, value, want))}
}

// misfit is the ErrParam error of a cell. The caller adds the row.
type misfit string

// Error implements error.
func (m misfit) Error() string { return string(m) }

// Unwrap returns ErrParam.
func (m misfit) Unwrap() error { return fault.ErrParam }
